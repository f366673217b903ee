// Maps on the cpu: 64-byte packs, several under way, stored past the caches.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
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
  const Index ahead = s.ahead / static_cast<Index>(sizeof(T));
  const P a(call.a);
  const T* const x = call.x.data;
  const T* const y = call.y.data;
  T* const z = call.z.data;
  const auto run = [=](Index begin, Index end) {
    for (Index i = begin; i < end; i += unroll * width) {
      const int count = static_cast<int>(std::min<Index>(unroll, (end - i) / width));
      P value[unroll];
      for (int u = 0; u < count; ++u) {
        const Index at = i + u * width;
        if (ahead > 0) {
          __builtin_prefetch(x + at + ahead);
          if constexpr (What == Map::axpy) __builtin_prefetch(y + at + ahead);
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
  };
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(call.z.size, thread, threads, grain);
    const Index part = (mine.end - mine.begin) / s.places / grain * grain;
    if (s.places > 1) {
      for (Index at = 0; at < part; at += unroll * width) {
        for (Index place = 0; place < s.places; ++place) {
          const Index begin = mine.begin + place * part + at;
          run(begin, begin + unroll * width);
        }
      }
    }
    run(mine.begin + (s.places > 1 ? s.places * part : 0), mine.end);
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
