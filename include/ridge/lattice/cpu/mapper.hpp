// Maps on the cpu: 64-byte packs, several under way, stored past the caches.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/lattice/executor.hpp>

#include <algorithm>

namespace ridge::lattice {

namespace cpu_map::inline RIDGE_TARGET_NAME {

/// Elements that belong to one thread at least.
inline constexpr Index grain = 4096;

template <class M, class T>
void map(const MapCall<M, T>& call, const CpuSchedule& s) {
  using P = Pack<T, 64 / static_cast<int>(sizeof(T)), abi::Native>;
  constexpr Index width = lanes_of<P>;
  constexpr int unroll = 4;
  const bool stream = s.store == Store::nontemporal;
  const cpu::LinesAhead ahead(s.ahead, s.streams);
  const M map = call.map; // a copy, which no store can change
  const T* const x = call.x.data;
  const T* const y = call.y.data;
  T* const z = call.z.data;
  const Index size = call.z.size;
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [=](int thread, int threads) {
    const auto mine = cpu::share_of(size, thread, threads, grain);
    for (Index i = mine.begin; i < mine.end; i += unroll * width) {
      const int count = static_cast<int>(std::min<Index>(unroll, (mine.end - i) / width));
      P value[unroll];
      for (int u = 0; u < count; ++u) {
        const Index at = i + u * width;
        if (ahead) {
          ahead.ask(x + at);
          if constexpr (M::inputs == 2) ahead.ask(y + at);
        }
        if constexpr (M::inputs == 2) {
          value[u] = map(P::load(x + at), P::load(y + at));
        } else {
          value[u] = map(P::load(x + at));
        }
      }
      for (int u = 0; u < count; ++u) {
        if (stream) {
          value[u].stream(z + i + u * width);
        } else {
          value[u].store(z + i + u * width);
        }
      }
    }
    store_fence();
  });
}

} // namespace cpu_map::inline RIDGE_TARGET_NAME

template <class M, class T, class Target>
Bound Mapper<M, T, Target>::bind(Queue& /*queue*/, const MapCall<M, T>& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate mappers for ridge::Here");
  return Bound([call, s] { cpu_map::map(call, s); });
}

} // namespace ridge::lattice
