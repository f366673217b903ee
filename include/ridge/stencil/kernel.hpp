// Stencil kernels.
//
//   struct Diffusion {
//     static constexpr auto footprint = ridge::stencil::star<1>();
//     double rate;
//     template <class N>
//     RIDGE_FN auto operator()(const N& u) const {
//       return u(0, 0, 0) + rate * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) +
//                                   u(0, 0, -1) + u(0, 0, 1) - 6.0 * u(0, 0, 0));
//     }
//   };
//
// `u(dx, dy, dz)` is the neighbour at that distance, for as many points at once as the device
// likes; numbers mix with it freely and are converted to the field's precision. Kernels of several
// inputs declare `footprints`, made by std::make_tuple with one footprint an input, and take one
// argument an input. Offsets must be within the footprint: the emulated GPU and the tests catch
// what is not. `static constexpr double flops` (operations a point) is optional; without it
// records say that they are unknown. So is `static constexpr bool linear = true` of a sum of
// neighbours times numbers.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/stencil/footprint.hpp>

#include <tuple>

namespace ridge::stencil {

/// The footprints of K's inputs as a tuple, however K declares them.
template <class K>
constexpr auto footprints_of() {
  if constexpr (requires { K::footprints; }) {
    return K::footprints;
  } else {
    return std::make_tuple(K::footprint);
  }
}

/// The footprint of input I.
template <class K, int I>
inline constexpr auto footprint_of = std::get<I>(footprints_of<K>());

/// Number of input fields.
template <class K>
inline constexpr int inputs_of = std::tuple_size_v<decltype(footprints_of<K>())>;

/// The farthest neighbour along an axis: what is computed of offsets stays far from 2^31.
inline constexpr int farthest = 1 << 20;

/// Whether all neighbours of all inputs are so near.
template <class K>
constexpr bool is_near() {
  bool near = true;
  std::apply(
      [&](const auto&... f) {
        const auto look = [&](const auto& footprint) {
          for (const Offset& o : footprint.offsets) {
            const int along[3] = {o.x, o.y, o.z};
            for (int d = 0; d < 3; ++d)
              near = near && along[d] >= -farthest && along[d] <= farthest;
          }
        };
        (look(f), ...);
      },
      footprints_of<K>());
  return near;
}

/// Largest radius over all inputs, along each axis: points nearer to the edge are not written.
template <class K>
constexpr Offset radius_of() {
  static_assert(is_near<K>(), "a stencil reads neighbours at most 2^20 points away");
  Offset r;
  std::apply(
      [&](const auto&... f) {
        const auto grow = [&](Offset o) {
          if (o.x > r.x) r.x = o.x;
          if (o.y > r.y) r.y = o.y;
          if (o.z > r.z) r.z = o.z;
        };
        (grow(f.radius()), ...);
      },
      footprints_of<K>());
  return r;
}

/// Floating-point operations a point, as K counts them; 0 when it does not say.
template <class K>
constexpr double flops_of() {
  if constexpr (requires { K::flops; }) {
    return K::flops;
  } else {
    return 0;
  }
}

/// Whether a stencil of this radius reads neighbours in y and none in z.
constexpr bool is_flat(Offset radius) {
  return radius.y > 0 && radius.z == 0;
}

/// Points of all inputs together.
template <class K>
constexpr int points_of() {
  int points = 0;
  std::apply([&](const auto&... f) { ((points += f.size), ...); }, footprints_of<K>());
  return points;
}

/// Whether K's result is a sum of its neighbours, each multiplied by a number, and K says so:
/// `static constexpr bool linear = true`. Marches may then add it up plane by plane, in another
/// order than K's.
template <class K>
inline constexpr bool takes_parts = [] {
  if constexpr (requires { K::linear; }) {
    return K::linear && radius_of<K>().z > 0;
  } else {
    return false;
  }
}();

/// Whether K says that it is done with one axis before it reads along the next, so that few values
/// are held at once: `static constexpr bool by_axis = true`.
template <class K>
inline constexpr bool goes_by_axis = [] {
  if constexpr (requires { K::by_axis; }) {
    return static_cast<bool>(K::by_axis);
  } else {
    return false;
  }
}();

/// True when everything below the plane of the point lies in its own column.
template <class K>
constexpr bool column_below() {
  bool column = true;
  std::apply(
      [&](const auto&... f) {
        const auto look = [&](const auto& footprint) {
          for (const Offset& o : footprint.offsets) {
            if (o.z < 0 && (o.x != 0 || o.y != 0)) column = false;
          }
        };
        (look(f), ...);
      },
      footprints_of<K>());
  return column;
}

/// Whether marches add up parts by default, of kernels that take them: where planes below are read
/// beside the point's column, so that they would stay in shared memory, and at order 6, whose sums
/// registers hold as those of order 8 do not (docs/design/stencils_on_gpus.md).
constexpr bool parts_are_faster(bool planes_below_stay, int radius) {
  return planes_below_stay || radius == 3;
}
template <class K>
inline constexpr bool adds_parts = takes_parts<K>&& parts_are_faster(!column_below<K>(),
                                                                     radius_of<K>().z);

/// Whether several planes can be computed together on a cpu.
template <class K>
inline constexpr bool has_planes = radius_of<K>().y > 0 && radius_of<K>().z > 0;

} // namespace ridge::stencil
