// The reference of many sweeps with what sweeps in precision T may be off at each point.
#pragma once

#include <ridge/stencil/sweeps_reference.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace ridge::stencil {

/// Points [begin, end) of a field.
struct PointBox {
  Index3 begin, end;
};

/// A field and its bounds.
struct BoundedField {
  std::vector<double> value, bound;
};

/// Steps as SweepsReference, of which only the points in a box are wanted in the end.
///
/// Bounds of each step's errors add up as the kernel's derivatives say, which is right for kernels
/// that damp, but grows without end for others that are as stable. So a bound is also no more than
/// that of all steps had they each been off as the worst one that the point depends on.
template <class K, class T>
class BoundedSweeps {
public:
  BoundedSweeps(SweepsReference<K> reference, const PointBox& wanted, Index steps)
      : reference_(std::move(reference)), wanted_(wanted), left_(steps), steps_(steps) {
    const Index3 n = reference_.extents();
    const detail::Extended extension(reference_.boundaries(), n, radius, false);
    const Index sizes[3] = {n.x, n.y, n.z};
    const int reach[3] = {radius.x, radius.y, radius.z};
    for (int axis = 0; axis < 3; ++axis) {
      for (Index i = -reach[axis]; i < sizes[axis] + reach[axis]; ++i)
        inside_[static_cast<std::size_t>(axis)].push_back(extension.inside(axis, i));
    }
    const auto points = static_cast<std::size_t>(n.x * n.y * n.z);
    for (std::size_t level = 0; level < levels; ++level) {
      bounds_[level].assign(points, 0);
      scales_[level].assign(points, 0);
    }
    // Given, but values of faces are rounded to T.
    reference_.for_each_point([&](std::size_t at, Index x, Index y, Index z) {
      if (!extension.computes(x, y, z)) bounds_[0][at] = rounding_of<T>(reference_.field(0)[at]);
    });
    for (std::size_t level = 1; level < levels; ++level)
      bounds_[level] = bounds_[0];
  }

  void step() {
    --left_;
    std::vector<double> bounds = bounds_[0];
    std::vector<double> scales = scales_[0];
    reference_.step_with([&](std::size_t at, const auto& in, Index x, Index y, Index z) {
      if (!is_wanted(x, y, z)) return reference_.field(0)[at];
      double scale = 0;
      const BoundedPack<T> inherited = evaluate(in, {x, y, z}, true, scale);
      const BoundedPack<T> own = evaluate(in, {x, y, z}, false, scale);
      const double value = inherited[0];
      bounds[at] = inherited.bound + rounding_of<T>(value);
      scales[at] = std::max(scale, own.bound + rounding_of<T>(value));
      return value;
    });
    for (std::size_t i = levels - 1; i > 0; --i) {
      bounds_[i] = std::move(bounds_[i - 1]);
      scales_[i] = std::move(scales_[i - 1]);
    }
    bounds_[0] = std::move(bounds);
    scales_[0] = std::move(scales);
  }

  /// Input 0 as it is after all steps; points that are not wanted are anything.
  [[nodiscard]] BoundedField result() const {
    BoundedField all{reference_.field(0), bounds_[0]};
    for (std::size_t at = 0; at < all.bound.size(); ++at) {
      const double most = static_cast<double>(steps_) * scales_[0][at];
      if (most > 0 && !(all.bound[at] <= most)) all.bound[at] = most;
    }
    return all;
  }

private:
  static constexpr Offset radius = radius_of<K>();
  static constexpr auto levels = static_cast<std::size_t>(levels_of<K>());

  /// Whether a wanted point of the end depends on what this step makes of the point.
  [[nodiscard]] bool is_wanted(Index x, Index y, Index z) const {
    const auto within = [&](std::size_t axis, Index i, Index begin, Index end, int r) {
      if (reference_.boundaries().faces[axis][0].kind == Boundary::periodic) return true;
      return i >= begin - left_ * r && i < end + left_ * r;
    };
    return within(0, x, wanted_.begin.x, wanted_.end.x, radius.x) &&
           within(1, y, wanted_.begin.y, wanted_.end.y, radius.y) &&
           within(2, z, wanted_.begin.z, wanted_.end.z, radius.z);
  }

  /// The kernel at a point, of inputs with their bounds or as if they were exact. `scale` becomes
  /// the largest of what is read.
  template <class In>
  [[nodiscard]] BoundedPack<T> evaluate(const In& in, Index3 at, bool inherit,
                                        double& scale) const {
    const auto neighbours = [&](std::size_t input) {
      return [&, input](int dx, int dy = 0, int dz = 0) {
        const Index3 p{at.x + dx, at.y + dy, at.z + dz};
        const View<const double>& view = in[input];
        const double value = view.data[view.at(p.x + radius.x, p.y + radius.y, p.z + radius.z)];
        const Index3 q{inside_[0][static_cast<std::size_t>(p.x + radius.x)],
                       inside_[1][static_cast<std::size_t>(p.y + radius.y)],
                       inside_[2][static_cast<std::size_t>(p.z + radius.z)]};
        const Index3 n = reference_.extents();
        const auto from = static_cast<std::size_t>(q.x + n.x * (q.y + n.y * q.z));
        double bound = 0;
        if (!(q == p)) { // what lies beyond a face is computed in T
          bound = rounding_of<T>(value) +
                  rounding_of<T>(reference_.field(static_cast<int>(input))[from]);
        }
        if (input < levels) {
          if (inherit) bound += bounds_[input][from];
          scale = std::max(scale, scales_[input][from]);
        }
        return BoundedPack<T>(value, bound);
      };
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return BoundedPack<T>(reference_.kernel()(neighbours(I)...));
    }
    (std::make_index_sequence<inputs_of<K>>{});
  }

  SweepsReference<K> reference_;
  PointBox wanted_;
  Index left_, steps_;
  std::array<std::vector<Index>, 3> inside_; ///< of each point of an axis and beyond
  std::array<std::vector<double>, levels> bounds_, scales_;
};

} // namespace ridge::stencil
