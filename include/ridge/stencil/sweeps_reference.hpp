// The reference of many sweeps: plain sequential loops in double, every field extended axis by axis
// before each sweep.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/reference.hpp>
#include <ridge/stencil/sweeps_of.hpp>

#include <utility>
#include <vector>

namespace ridge::stencil {

namespace detail {

/// A field in double that is being extended beyond its faces.
class Extended {
public:
  Extended(const Boundaries& boundaries, Index3 extents, Offset radius, bool even)
      : boundaries_(&boundaries), n_{extents.x, extents.y, extents.z}, r_{radius.x, radius.y,
                                                                          radius.z},
        even_(even) {}

  /// The field with its radius beyond all faces, x fastest. Points on Dirichlet faces of `field`
  /// are set. What lies beyond untouched faces is 0.
  std::vector<double> make(std::vector<double>& field) const;
  /// Extents of what make() gives.
  [[nodiscard]] Index3 extents() const {
    return {n_[0] + 2 * r_[0], n_[1] + 2 * r_[1], n_[2] + 2 * r_[2]};
  }
  /// Whether a sweep computes this point.
  [[nodiscard]] bool computes(Index x, Index y, Index z) const;
  /// Where a point beyond a face is reflected or wrapped to, inside.
  [[nodiscard]] Index inside(int axis, Index at) const;

private:
  [[nodiscard]] const Condition& condition(int axis, int side) const {
    return boundaries_->faces[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
  }
  [[nodiscard]] double face_value(int axis, int side, std::array<Index, 3> at) const;

  const Boundaries* boundaries_;
  std::array<Index, 3> n_;
  std::array<Index, 3> r_;
  bool even_;
};

} // namespace detail

template <class K>
class SweepsReference {
public:
  /// `fields`: one an input, packed, of `extents`.
  SweepsReference(const K& kernel, std::vector<std::vector<double>> fields, Index3 extents,
                  const Boundaries& boundaries)
      : kernel_(kernel), fields_(std::move(fields)), extents_(extents), boundaries_(boundaries) {
    // Points that no sweep computes are those of the newest level at all times.
    const detail::Extended extension(boundaries_, extents_, radius_of<K>(), false);
    (void)extension.make(fields_[0]);
    for_each_point([&](std::size_t at, Index x, Index y, Index z) {
      for (std::size_t i = 1; i < levels; ++i) {
        if (!extension.computes(x, y, z)) fields_[i][at] = fields_[0][at];
      }
    });
  }

  void step() {
    constexpr Offset r = radius_of<K>();
    step_with([&](std::size_t /*at*/, const auto& in, Index x, Index y, Index z) {
      return reference_at(kernel_, in, x + r.x, y + r.y, z + r.z);
    });
  }

  /// The points that a sweep computes become `next(index, extended inputs, x, y, z)`.
  template <class Next>
  void step_with(const Next& next_at) {
    constexpr Offset r = radius_of<K>();
    std::vector<std::vector<double>> extended;
    std::array<View<const double>, inputs_of<K>> in;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const detail::Extended extension(boundaries_, extents_, r, i >= levels);
      extended.push_back(extension.make(fields_[i]));
      in[i] = View<const double>(extended.back().data(), extension.extents());
    }
    const detail::Extended extension(boundaries_, extents_, r, false);
    std::vector<double> next = fields_[0];
    for_each_point([&](std::size_t at, Index x, Index y, Index z) {
      if (extension.computes(x, y, z)) next[at] = next_at(at, in, x, y, z);
    });
    for (std::size_t i = levels - 1; i > 0; --i)
      fields_[i] = fields_[i - 1];
    fields_[0] = std::move(next);
  }

  /// An input as it is now.
  [[nodiscard]] const std::vector<double>& field(int input) const {
    return fields_[static_cast<std::size_t>(input)];
  }
  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] Index3 extents() const { return extents_; }
  [[nodiscard]] const Boundaries& boundaries() const { return boundaries_; }

  template <class Visit>
  void for_each_point(const Visit& visit) const {
    std::size_t at = 0;
    for (Index z = 0; z < extents_.z; ++z) {
      for (Index y = 0; y < extents_.y; ++y) {
        for (Index x = 0; x < extents_.x; ++x)
          visit(at++, x, y, z);
      }
    }
  }

private:
  static constexpr std::size_t levels = levels_of<K>();

  K kernel_;
  std::vector<std::vector<double>> fields_;
  Index3 extents_;
  Boundaries boundaries_;
};

} // namespace ridge::stencil
