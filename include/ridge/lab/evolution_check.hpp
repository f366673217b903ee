// Comparing many sweeps with the reference, on boxes of the field small enough for it.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/lab/stencil_check.hpp>
#include <ridge/stencil/sweeps.hpp>
#include <ridge/stencil/sweeps_reference.hpp>

#include <functional>

namespace ridge::lab {

/// A box of a field and what of it the reference is right for: what lies nearer to where it was cut
/// out than the values from beyond can come in the steps taken is not.
struct CheckedBox {
  Index begin[3], end[3];             ///< of the box
  Index right_begin[3], right_end[3]; ///< of what is compared
  stencil::Boundaries boundaries;     ///< untouched where it is cut
};

/// Boxes at the low corner, in the middle and at the high corner. Along a periodic axis the box is
/// in the middle.
[[nodiscard]] std::vector<CheckedBox> checked_boxes(Index3 extents, stencil::Offset radius,
                                                    const stencil::Boundaries& boundaries,
                                                    Index steps);

/// As many steps, at most `steps`, as the reference can follow in about a second.
[[nodiscard]] Index checked_steps(stencil::Offset radius, Index steps);

/// Compares `sweeps`, which took `steps` from inputs where input i holds `random_value(i + 1,
/// index)` of the packed index.
template <class K, class T>
[[nodiscard]] Check check_sweeps(Queue& queue, stencil::Sweeps& sweeps, const K& kernel,
                                 const stencil::Boundaries& boundaries, Index3 n, Index steps,
                                 double tolerance) {
  Deviation total;
  const View<const T> got = sweeps.view<T>(0);
  for (const CheckedBox& box : checked_boxes(n, stencil::radius_of<K>(), boundaries, steps)) {
    const Index3 size{box.end[0] - box.begin[0], box.end[1] - box.begin[1],
                      box.end[2] - box.begin[2]};
    std::vector<std::vector<double>> fields(static_cast<std::size_t>(stencil::inputs_of<K>));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      for (Index z = box.begin[2]; z < box.end[2]; ++z) {
        for (Index y = box.begin[1]; y < box.end[1]; ++y) {
          for (Index x = box.begin[0]; x < box.end[0]; ++x)
            fields[i].push_back(random_value(i + 1, x + n.x * (y + n.y * z)));
        }
      }
    }
    stencil::SweepsReference<K> reference(kernel, std::move(fields), size, box.boundaries);
    for (Index s = 0; s < steps; ++s)
      reference.step();
    HostBox host(queue, Bytes{got.row * size.y * size.z * static_cast<Index>(sizeof(T))});
    const View<const T> here =
        host.template fetch<T>(queue, got, box.begin[1], size.y, box.begin[2], size.z);
    queue.wait();
    const std::vector<double>& expected = reference.field(0);
    for (Index z = box.right_begin[2]; z < box.right_end[2]; ++z) {
      for (Index y = box.right_begin[1]; y < box.right_end[1]; ++y) {
        for (Index x = box.right_begin[0]; x < box.right_end[0]; ++x) {
          const double wanted = expected[static_cast<std::size_t>(
              x - box.begin[0] + size.x * (y - box.begin[1] + size.y * (z - box.begin[2])))];
          const double error = std::abs(
              static_cast<double>(here.data[here.at(x, y - box.begin[1], z - box.begin[2])]) -
              wanted);
          Deviation one;
          one.scale = std::abs(wanted);
          one.nan = std::isnan(error);
          one.max_error = one.nan ? 0 : error;
          one.worst = {x, y, z};
          total.add(one);
        }
      }
    }
  }
  return judge(total, tolerance);
}

} // namespace ridge::lab
