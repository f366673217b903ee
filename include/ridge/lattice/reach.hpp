// Reads of a site kernel around a site: found by calling it once with a site that takes notes.
#pragma once

#include <ridge/lattice/field.hpp>

#include <algorithm>
#include <vector>

namespace ridge::lattice {

/// How far a kernel reads a field.
struct FieldReach {
  const void* data = nullptr;
  SiteShape shape;
  Geometry geometry;
  Coordinates below = {}, above = {}; ///< sites, along each dimension
  bool diagonal = false;              ///< whether some read goes along two dimensions
};

/// All fields that a kernel reads.
class Reaches {
public:
  void add(const void* data, const SiteShape& shape, const Geometry& geometry,
           const Coordinates& at) {
    auto found = std::find_if(fields_.begin(), fields_.end(),
                              [&](const FieldReach& f) { return f.data == data; });
    if (found == fields_.end()) found = fields_.insert(found, FieldReach{data, shape, geometry});
    int along = 0;
    for (int d = 0; d < max_rank; ++d) {
      found->below[d] = std::max(found->below[d], -at[d]);
      found->above[d] = std::max(found->above[d], at[d]);
      along += at[d] != 0 ? 1 : 0;
    }
    found->diagonal = found->diagonal || along > 1;
  }
  [[nodiscard]] const std::vector<FieldReach>& fields() const { return fields_; }

private:
  std::vector<FieldReach> fields_;
};

/// The site that takes notes: all fields are 1 there, and what is stored is forgotten. `constexpr`,
/// as expressions call it that are for devices too, where nobody does.
class NotingSite {
public:
  template <class T>
  using Value = T;

  explicit NotingSite(Reaches& reaches) : reaches_(&reaches) {}

  template <class S>
  [[nodiscard]] constexpr NumberOf<std::remove_const_t<S>> load(const SiteView<S>& view,
                                                                int /*c*/) const {
    reaches_->add(view.reals.data, shape_of<std::remove_const_t<S>>(), view.geometry, at_);
    return NumberOf<std::remove_const_t<S>>(1);
  }
  template <bool Stream = false, class S>
  void store(const SiteView<S>& /*view*/, int /*c*/, const NumberOf<S>& /*number*/) const {}
  [[nodiscard]] RIDGE_FN NotingSite shifted(int d, int by) const {
    NotingSite moved = *this;
    moved.at_[d] += by;
    return moved;
  }

private:
  Reaches* reaches_;
  Coordinates at_;
};

/// The reads of a site kernel around a site, from one call on the host: it must read the same
/// neighbours at every site, whatever the fields hold.
template <class K>
[[nodiscard]] std::vector<FieldReach> reaches_of(const K& kernel) {
  Reaches reaches;
  kernel(NotingSite(reaches));
  return reaches.fields();
}

} // namespace ridge::lattice
