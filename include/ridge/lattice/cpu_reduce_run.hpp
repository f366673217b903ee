// A reduction on the cpu: shares of threads, and their sums added up in a fixed order.
#pragma once

#include <ridge/lattice/cpu_reduce.hpp>

namespace ridge::lattice {

namespace cpu_reduce::inline RIDGE_TARGET_NAME {

/// Walks groups [begin, end) of the field: run by run of the slices they are in.
template <class W>
void walk_groups(W& walker, const SliceWalk& slices, Index group_reals, Index run_groups,
                 Index begin, Index end) {
  while (begin < end) {
    const Index run = begin / run_groups;
    const Index stop = std::min(end, (run + 1) * run_groups);
    walker.walk(run % slices.slices, begin * group_reals, stop * group_reals);
    begin = stop;
  }
}

/// The accumulators of one result: every thread's, every lane's of its box, one after the other.
template <class T, Reduction What, bool complex, class A>
class Gatherer {
public:
  using One = decltype(std::declval<A>().lane(0));
  using Sums = ChunkSums<T, What, complex, A>;

  Gatherer(const ReduceCall<T>& call, const SliceWalk& slices, const Slots& slots)
      : call_(call), slices_(slices), slots_(slots) {}

  [[nodiscard]] double result(const std::vector<std::vector<Sums>>& threads, Index box, Index slice,
                              Index key, int part) const {
    One total;
    total.clear();
    for (const std::vector<Sums>& sums : threads) {
      if (sums.empty()) continue;
      const Index first = (slice * slots_.keys + key) * slots_.chunks;
      for (Index c = 0; c < slots_.chunks; ++c)
        add_chunk(total, sums[static_cast<std::size_t>(first + c)], c, box, part);
    }
    return total.value();
  }

private:
  void add_chunk(One& total, const Sums& sums, Index chunk, Index box, int part) const {
    for (int i = 0; i < Chunk<T>::count; ++i) {
      for (int e = 0; e < 8; ++e) {
        const Index real = chunk * Chunk<T>::elements + i * 8 + e;
        const Index lane = real / call_.shape.parts();
        if (slices_.boxes > 1 && lane / slices_.lane_stride % slices_.boxes != box) continue;
        if constexpr (Sums::crossed) {
          One one = part == 0 ? sums.same[i].lane(e) : sums.cross[i].lane(e);
          if (part == 1 && real % 2 == 1) one.negate(); // re im' - im re'
          total.merge(one);
        } else if (call_.parts() == 1 || real % 2 == part) {
          total.merge(sums.same[i].lane(e));
        }
      }
    }
  }

  const ReduceCall<T>& call_;
  const SliceWalk& slices_;
  const Slots& slots_;
};

template <class T, Reduction What, bool complex, class A>
void reduce(const ReduceCall<T>& call, const CpuSchedule& s) {
  using W = Walker<T, What, complex, A>;
  const SliceWalk slices = slice_walk(call);
  const bool whole_vectors = What == Reduction::sum || slices.boxes > 1;
  const Index vector = Index{call.geometry.nsimd} * call.shape.number_bytes();
  const Slots slots{slices.slices, call.keys(), whole_vectors ? vector / chunk_bytes : 1};
  const Index group_reals = vector * call.shape.components / static_cast<Index>(sizeof(T));
  const Index run_groups = slices.run / (vector * call.shape.components);

  const int threads = s.threads > 0 ? s.threads : cpu::default_threads();
  std::vector<std::vector<typename W::Sums>> sums(static_cast<std::size_t>(threads));
  cpu::run(threads, [&](int thread, int team) {
    W walker(call, slots, s);
    const auto mine = cpu::share_of(call.geometry.groups, thread, team);
    walk_groups(walker, slices, group_reals, run_groups, mine.begin, mine.end);
    if constexpr (What == Reduction::axpy_norm) store_fence();
    sums[static_cast<std::size_t>(thread)] = walker.sums();
  });

  const Gatherer<T, What, complex, A> gather(call, slices, slots);
  Index o = 0;
  for (Index box = 0; box < slices.boxes; ++box) {
    for (Index slice = 0; slice < slices.slices; ++slice) {
      for (Index key = 0; key < slots.keys; ++key) {
        for (int part = 0; part < call.parts(); ++part)
          call.result.data[o++] = gather.result(sums, box, slice, key, part);
      }
    }
  }
}

template <class T, Reduction What, bool complex>
void reduce_in_order(const ReduceCall<T>& call, const CpuSchedule& s) {
  if constexpr (What == Reduction::max) {
    reduce<T, What, complex, Greatest<Doubles>>(call, s);
  } else if (call.reproducible) {
    reduce<T, What, complex, BinnedSum<Doubles>>(call, s);
  } else {
    reduce<T, What, complex, PlainSum<Doubles>>(call, s);
  }
}

} // namespace cpu_reduce::inline RIDGE_TARGET_NAME

template <class T>
void Reducer<T, target::Cpu>::run(Queue& /*queue*/, const ReduceCall<T>& call,
                                  const CpuSchedule& s) {
  switch (call.what) {
  case Reduction::sum:
    return cpu_reduce::reduce_in_order<T, Reduction::sum, false>(call, s);
  case Reduction::norm2:
    return cpu_reduce::reduce_in_order<T, Reduction::norm2, false>(call, s);
  case Reduction::inner:
    if (call.shape.complex) {
      return cpu_reduce::reduce_in_order<T, Reduction::inner, true>(call, s);
    }
    return cpu_reduce::reduce_in_order<T, Reduction::inner, false>(call, s);
  case Reduction::axpy_norm:
    return cpu_reduce::reduce_in_order<T, Reduction::axpy_norm, false>(call, s);
  case Reduction::max:
    return cpu_reduce::reduce_in_order<T, Reduction::max, false>(call, s);
  }
}

} // namespace ridge::lattice
