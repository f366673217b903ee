// Shifts on the cpu: whole groups where all their lanes come from one, else number by number.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/shift_place.hpp>

#include <cstring>

namespace ridge::lattice {

inline namespace RIDGE_TARGET_NAME {

template <class T>
void shift_groups(const ShiftCall<T>& call, Index begin, Index end) {
  const Geometry& g = call.geometry;
  const int parts = call.shape.parts();
  const Index group_reals = Index{g.nsimd} * call.shape.components * parts;
  for (Index group = begin; group < end; ++group) {
    const Place first = shifted(g, {group, 0}, call.dimension, call.by);
    bool whole = true; // all lanes come from the same lanes of one group
    for (int lane = 0; lane < g.nsimd && whole; ++lane) {
      const Place from = shifted(g, {group, lane}, call.dimension, call.by);
      whole = from.group == first.group && from.lane == lane;
    }
    T* const to = call.z.data + group * group_reals;
    if (whole) {
      std::memcpy(to, call.x.data + first.group * group_reals,
                  static_cast<std::size_t>(group_reals) * sizeof(T));
      continue;
    }
    for (int lane = 0; lane < g.nsimd; ++lane) {
      const Place from = shifted(g, {group, lane}, call.dimension, call.by);
      const T* const source = call.x.data + from.group * group_reals;
      for (int c = 0; c < call.shape.components; ++c) {
        for (int p = 0; p < parts; ++p)
          to[(c * g.nsimd + lane) * parts + p] = source[(c * g.nsimd + from.lane) * parts + p];
      }
    }
  }
}

} // namespace RIDGE_TARGET_NAME

template <class T, class Target>
Bound Shifter<T, Target>::bind(Queue& /*queue*/, const ShiftCall<T>& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate shifters for ridge::Here");
  const int team = s.threads > 0 ? s.threads : cpu::default_threads();
  return Bound([call, team] {
    cpu::run(team, [&](int thread, int threads) {
      const auto mine = cpu::share_of(call.geometry.groups, thread, threads);
      shift_groups(call, mine.begin, mine.end);
    });
  });
}

} // namespace ridge::lattice
