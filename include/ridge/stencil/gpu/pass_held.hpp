// Values that a lane of a pass holds in registers.
#pragma once

#include <ridge/stencil/gpu/pass_call.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Planes of each sweep (0: the input): that of step k is k % turn.
template <class K, class T, GpuPassVariant P>
struct PassHeld {
  using Shape = PassShape<K, T, P>;
  using Value = typename Shape::Value;
  static constexpr int turn = Shape::turn;

  Value plane[turn][Shape::sweeps][Shape::rows];

  RIDGE_DEVICE void clear() {
    for (auto& half : plane) {
      for (auto& values : half) {
        for (auto& value : values)
          value = Value(typename Shape::Number(0));
      }
    }
  }

  /// Which of the planes is the one `age` steps older than the newest, in steps of this phase.
  template <int Phase>
  static constexpr int place_of_age(int age) {
    return (Phase + turn - age) % turn;
  }

  /// So that those of the next step are where those of this step were.
  void move_on() {
    for (int level = 0; level < Shape::sweeps; ++level) {
      for (int j = 0; j < Shape::rows; ++j) {
        const Value first = plane[0][level][j];
        for (int i = 1; i < turn; ++i)
          plane[i - 1][level][j] = plane[i][level][j];
        plane[turn - 1][level][j] = first;
      }
    }
  }

  /// Gives the planes beyond faces their values as soon as what they are images of is there.
  /// `newest` is the plane that came last.
  template <int Phase, int Level>
  RIDGE_DEVICE void reflect_planes(const PassFaces<typename Shape::Number, Shape::radius>& faces,
                                   int newest) {
    auto& fresh = plane[Phase][Level];
    unrolled<Shape::radius>([&](auto i) {
      constexpr int beyond = i + 1;
      // By their distance from the newest one.
      const auto behind = [&](auto back, int j) -> Value& {
        return plane[place_of_age<Phase>(back)][Level][j];
      };
      const auto& low = faces.face[2][0];
      const auto& high = faces.face[2][1];
      constexpr auto here = constant<beyond>; // the face's own
      constexpr auto point = constant<2 * beyond>;
      constexpr auto half = constant<2 * beyond - 1>;
      for_each_row<Shape::rows>([&](auto j) {
        if (newest == low.at + beyond && low.behind == 0)
          behind(point, j) = low.image(beyond, fresh[j], fresh[j], behind(here, j));
        if (newest == low.at + beyond - 1 && low.behind != 0)
          behind(half, j) = low.image(beyond, fresh[j], fresh[j], fresh[j]);
        if (newest == high.at + beyond)
          fresh[j] = high.image(beyond, behind(point, j), behind(half, j), behind(here, j));
      });
    });
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
