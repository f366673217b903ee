// Fields of site tensors on a lattice.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/lattice/layout.hpp>
#include <ridge/lattice/tensor.hpp>

#include <string>
#include <vector>

namespace ridge::lattice {

/// A field without its type: what reductions, conversions and files need to know.
struct SiteShape {
  int components = 1;
  bool complex = true;
  int real_bytes = 8;

  [[nodiscard]] RIDGE_FN int parts() const { return complex ? 2 : 1; }
  [[nodiscard]] RIDGE_FN int number_bytes() const { return real_bytes * parts(); }
  [[nodiscard]] RIDGE_FN int site_bytes() const { return number_bytes() * components; }
  friend bool operator==(const SiteShape&, const SiteShape&) = default;
};

template <class Site>
[[nodiscard]] constexpr SiteShape shape_of() {
  return {components_of<Site>, is_complex<Site>, static_cast<int>(sizeof(RealOf<Site>))};
}

/// Copies between host and device that a field has made: whole fields, each way.
struct CopyCount {
  Index to_device = 0;
  Index to_host = 0;
};

/// What kernels see of a field: its real numbers, and where its sites lie. `Site` may be const.
template <class Site>
struct SiteView {
  using Tensor = std::remove_const_t<Site>;
  using Real = RealOf<Tensor>;
  using Element = std::conditional_t<std::is_const_v<Site>, const Real, Real>;
  Span<Element> reals;
  Geometry geometry;

  SiteView() = default;
  RIDGE_FN SiteView(const Span<Element>& reals_, const Geometry& geometry_)
      : reals(reals_), geometry(geometry_) {}
  template <class Other>
  requires std::is_same_v<const Other, Site>
      RIDGE_FN SiteView(const SiteView<Other>& v) // NOLINT(google-explicit-constructor)
      : reals(v.reals), geometry(v.geometry) {}

  /// Index of the first real of component `c` at a place.
  [[nodiscard]] RIDGE_FN Index at(const Place& p, int c) const {
    constexpr int parts = is_complex<Tensor> ? 2 : 1;
    return ((p.group * components_of<Tensor> + c) * geometry.nsimd + p.lane) * parts;
  }
};

namespace detail {
/// Between the layout and plain order (site after site with x fastest), on the host.
void to_plain(const Geometry& geometry, const SiteShape& shape, void* plain, const void* layout);
void from_plain(const Geometry& geometry, const SiteShape& shape, void* layout, const void* plain);
/// Throws UsageError unless `count` sites were given for the lattice of the field `name`.
void check_sites(const Lattice& lattice, const std::string& name, std::size_t count);
} // namespace detail

/// What a field is called and the lattice it is on, for messages.
struct FieldLabel {
  Lattice lattice;
  std::string name;
};

/// Owns the memory of a field on a device. Throws UsageError when the lattice cannot hold it.
template <class Site>
class Field {
public:
  using Tensor = Site;
  using Real = RealOf<Site>;

  /// Throws Failure with the need and what there is when it does not fit.
  Field(const Device& device, const Lattice& lattice, std::string name = "field")
      : label_{lattice, std::move(name)}, geometry_(lattice.geometry(sizeof(NumberOf<Site>))),
        memory_(device, bytes(), label_.name) {}

  [[nodiscard]] const FieldLabel& label() const { return label_; }
  [[nodiscard]] const Lattice& lattice() const { return label_.lattice; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] const std::string& name() const { return label_.name; }
  [[nodiscard]] static constexpr SiteShape shape() { return shape_of<Site>(); }
  [[nodiscard]] Bytes bytes() const {
    return {lattice().sites() * static_cast<Index>(sizeof(Site))};
  }
  /// All real numbers in the order of the layout, on the device.
  [[nodiscard]] Span<Real> reals() const {
    return {static_cast<Real*>(memory_.data()), lattice().sites() * reals_of<Site>};
  }
  [[nodiscard]] SiteView<Site> view() const { return {reals(), geometry_}; }

  /// Copies all sites from the host, given in plain order (x fastest), and waits. Throws UsageError
  /// when it is not one tensor a site.
  void set(Queue& queue, const std::vector<Site>& sites) {
    detail::check_sites(lattice(), name(), sites.size());
    std::vector<Site> layout(sites.size());
    detail::from_plain(geometry_, shape(), layout.data(), sites.data());
    copy_bytes_to_device(queue, memory_.data(), layout.data(), bytes());
    queue.wait();
    ++copies_.to_device;
  }
  /// Copies all sites to the host, in plain order, and waits.
  [[nodiscard]] std::vector<Site> get(Queue& queue) const {
    std::vector<Site> layout(static_cast<std::size_t>(lattice().sites()));
    copy_bytes_to_host(queue, layout.data(), memory_.data(), bytes());
    queue.wait();
    ++copies_.to_host;
    std::vector<Site> sites(layout.size());
    detail::to_plain(geometry_, shape(), sites.data(), layout.data());
    return sites;
  }
  /// How often `set` and `get` have moved the field.
  [[nodiscard]] const CopyCount& copies() const { return copies_; }

private:
  FieldLabel label_;
  Geometry geometry_;
  Memory memory_;
  mutable CopyCount copies_;
};

/// Throws UsageError that names both when two fields are not on the same lattice.
void check_same_lattice(const Lattice& a, std::string_view a_name, const Lattice& b,
                        std::string_view b_name);

} // namespace ridge::lattice
