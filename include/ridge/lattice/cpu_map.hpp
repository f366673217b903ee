// Maps on the cpu: 64-byte packs, several under way, stored past the caches.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/lattice/mapper.hpp>

#include <algorithm>

namespace ridge::lattice {

namespace cpu_map::inline RIDGE_TARGET_NAME {

/// Elements that belong to one thread at least.
inline constexpr Index grain = 4096;

template <class T, Map What>
void map(const MapCall<T>& call, const CpuSchedule& s) {
  using P = Pack<T, 64 / static_cast<int>(sizeof(T)), abi::Native>;
  constexpr Index width = lanes_of<P>;
  constexpr int unroll = 4;
  const bool stream = s.store == Store::nontemporal;
  const cpu::LinesAhead ahead(s.ahead, s.streams);
  const P a(call.a);
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
          if constexpr (What == Map::axpy) ahead.ask(y + at);
        }
        value[u] = a * P::load(x + at);
        if constexpr (What == Map::axpy) value[u] += P::load(y + at);
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

template <class T>
void Mapper<T, target::Cpu>::run(Queue& /*queue*/, const MapCall<T>& call, const CpuSchedule& s) {
  if (call.what == Map::axpy) return cpu_map::map<T, Map::axpy>(call, s);
  return cpu_map::map<T, Map::scale>(call, s);
}

} // namespace ridge::lattice
