// A reduction on the cpu: shares of threads, and their sums added up in a fixed order.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/box_rows.hpp>
#include <ridge/lattice/cpu/chosen_lanes.hpp>
#include <ridge/lattice/cpu/reduce_walk.hpp>
#include <ridge/lattice/executor.hpp>

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

/// Walks the sites of a box, row by row. Numbers of sites outside of it, which may be anything,
/// become 0: groups that have such are copied first.
template <class T, class R, bool Crossed, class A>
class BoxWalker {
public:
  /// `walker` is of `call`, whose fields change from row to row.
  BoxWalker(ReduceCall<R, T>& call, Walker<T, R, Crossed, A>& walker)
      : call_(call), walker_(walker), x_(call.x), y_(call.y),
        rows_(call.geometry, call.box, call.dimension), lanes_(rows_.geometry),
        group_(Index{call.geometry.nsimd} * call.shape.components * call.shape.parts()),
        most_copied_(std::max<Index>(1, Index{1 << 14} / group_) * group_),
        copies_(static_cast<std::size_t>(most_copied_ * R::inputs)) {}

  /// The part of one of the threads.
  void walk(int thread, int team) {
    const Index of_slice = rows_.rows * rows_.length;
    const Index slices = slice_walk(call_).slices;
    const auto share = cpu::share_of(slices * of_slice, thread, team);
    for (Index i = share.begin; i < share.end;) {
      const Index row = i / rows_.length;
      const Index stop = std::min(share.end, (row + 1) * rows_.length);
      const Index slice = row / rows_.rows;
      const Index first = rows_.group(row % rows_.rows, slice);
      const Index begin = first + i - row * rows_.length;
      walk_row(slice, first, begin * group_, (begin + stop - i) * group_);
      i = stop;
    }
  }

private:
  /// Reals [begin, end) of a row that begins at group `first`.
  void walk_row(Index slice, Index first, Index begin, Index end) {
    const int nsimd = call_.geometry.nsimd;
    bool wanted[most_lanes];
    const int count = lanes_.find(rows_, first, 0, nsimd, wanted);
    if (count == nsimd) return walker_.walk(slice, begin, end);
    if (count == 0) return;
    for (; begin < end; begin += most_copied_) {
      const Index reals = std::min(most_copied_, end - begin);
      call_.x = copy(wanted, x_.data + begin, reals, copies_.data());
      if constexpr (R::inputs == 2)
        call_.y = copy(wanted, y_.data + begin, reals, copies_.data() + most_copied_);
      walker_.walk(slice, 0, reals);
    }
    call_.x = x_;
    call_.y = y_;
  }
  Span<const T> copy(const bool* wanted, const T* from, Index reals, T* to) const {
    const int parts = call_.shape.parts();
    for (Index r = 0; r < reals;) {
      for (int lane = 0; lane < call_.geometry.nsimd; ++lane) {
        for (int p = 0; p < parts; ++p, ++r)
          to[r] = wanted[lane] ? from[r] : T(0);
      }
    }
    return {to, reals};
  }

  static constexpr int most_lanes = 1024 / 4; ///< of a vector

  ReduceCall<R, T>& call_;
  Walker<T, R, Crossed, A>& walker_;
  const Span<const T> x_, y_;
  BoxRows rows_;
  cpu_site::ChosenLanes<true> lanes_;
  Index group_, most_copied_; ///< reals: of a group, copied at once
  std::vector<T> copies_;
};

/// The accumulators of one result: every thread's, every lane's of its box, one after the other.
template <class T, class R, bool Crossed, class A>
class Gatherer {
public:
  using One = decltype(std::declval<A>().lane(0));
  using Sums = ChunkSums<T, R, Crossed, A>;

  Gatherer(const ReduceCall<R, T>& call, const SliceWalk& slices, const Slots& slots)
      : call_(call), slices_(slices), slots_(slots) {}

  /// The sum of the first `team` of the threads' sums.
  [[nodiscard]] One result(const std::vector<std::vector<Sums>>& threads, int team, Index box,
                           Index slice, Index key, int part) const {
    One total;
    total.clear();
    for (int thread = 0; thread < team; ++thread) {
      const Index first = (slice * slots_.keys + key) * slots_.chunks;
      const Sums* const sums = threads[static_cast<std::size_t>(thread)].data() + first;
      for (Index c = 0; c < slots_.chunks; ++c)
        add_chunk(total, sums[c], c, box, part);
    }
    return total;
  }

private:
  void add_chunk(One& total, const Sums& sums, Index chunk, Index box, int part) const {
    for (int i = 0; i < Chunk<T>::count; ++i) {
      for (int e = 0; e < 8; ++e) {
        const Index real = chunk * Chunk<T>::elements + i * 8 + e;
        const Index lane = real / call_.shape.parts();
        if (slices_.boxes > 1 && lane / slices_.lane_stride % slices_.boxes != box) continue;
        if constexpr (Crossed) {
          One one = part == 0 ? sums.same[i].lane(e) : sums.cross[i].lane(e);
          if (part == 1 && real % 2 == 1) one.negate(); // re im' - im re'
          total.merge(one);
        } else if (call_.parts() == 1 || real % 2 == part) {
          total.merge(sums.same[i].lane(e));
        }
      }
    }
  }

  const ReduceCall<R, T>& call_;
  const SliceWalk& slices_;
  const Slots& slots_;
};

/// A reduction with its accumulators: what a launch runs.
template <class T, class R, bool Crossed, class A>
class Reduce {
public:
  Reduce(const ReduceCall<R, T>& call, const CpuSchedule& s)
      : call_(call), schedule_(s), slices_(slice_walk(call)),
        vector_(Index{call.geometry.nsimd} * call.shape.number_bytes()),
        slots_{slices_.slices, call.keys(),
               R::by_component || slices_.boxes > 1 ? vector_ / chunk_bytes : 1},
        threads_(s.threads > 0 ? s.threads : cpu::default_threads()),
        sums_(static_cast<std::size_t>(threads_)) {
    cpu::run(threads_, [&](int thread, int /*team*/) { // in memory near each thread
      sums_[static_cast<std::size_t>(thread)].resize(static_cast<std::size_t>(slots_.count()));
    });
  }

  void operator()() {
    const Index group = vector_ * call_.shape.components;
    const Index group_reals = group / static_cast<Index>(sizeof(T));
    const Index run_groups = slices_.run / group;
    int members = 0;
    cpu::run(threads_, [&](int thread, int team) {
      if (thread == 0) members = team;
      std::vector<Sums>& mine = sums_[static_cast<std::size_t>(thread)];
      if (mine.empty()) mine.resize(static_cast<std::size_t>(slots_.count())); // a larger team
      if constexpr (R::in_boxes && A::words > 1) {
        if (call_.boxed) {
          ReduceCall<R, T> call = call_;
          Walker<T, R, Crossed, A> walker(call, slots_, schedule_, mine);
          BoxWalker<T, R, Crossed, A>(call, walker).walk(thread, team);
          return;
        }
      }
      Walker<T, R, Crossed, A> walker(call_, slots_, schedule_, mine);
      const auto share = cpu::share_of(call_.geometry.groups, thread, team);
      walk_groups(walker, slices_, group_reals, run_groups, share.begin, share.end);
      if constexpr (R::stores) store_fence();
    });

    const Gatherer<T, R, Crossed, A> gather(call_, slices_, slots_);
    double* to = call_.result.data;
    for (Index box = 0; box < slices_.boxes; ++box) {
      for (Index slice = 0; slice < slices_.slices; ++slice) {
        for (Index key = 0; key < slots_.keys; ++key) {
          for (int part = 0; part < call_.parts(); ++part) {
            const auto sum = gather.result(sums_, members, box, slice, key, part);
            if (call_.boxed) {
              to = std::copy(sum.w, sum.w + sum.words, to);
            } else {
              *to++ = sum.value();
            }
          }
        }
      }
    }
  }

private:
  using Sums = ChunkSums<T, R, Crossed, A>;

  ReduceCall<R, T> call_;
  CpuSchedule schedule_;
  SliceWalk slices_;
  Index vector_; ///< bytes
  Slots slots_;
  int threads_;
  std::vector<std::vector<Sums>> sums_; ///< of each thread
};

} // namespace cpu_reduce::inline RIDGE_TARGET_NAME

template <class R, class T, class Target>
Bound Reducer<R, T, Target>::bind(Queue& /*queue*/, const ReduceCall<R, T>& call,
                                  const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate reducers for ridge::Here");
  using Doubles = cpu_reduce::Doubles;
  using List = CpuReduceList<R>;
  Bound bound;
  choose_from<List>(cpu_reduce_variant<R>(call.shape.complex, call.reproducible), [&](auto i) {
    constexpr CpuReduceVariant chosen = List::values[i];
    using A = std::conditional_t<chosen.binned, BinnedSum<Doubles>,
                                 typename R::template Accumulator<Doubles>>;
    bound = Bound(cpu_reduce::Reduce<T, R, chosen.crossed, A>(call, s));
  });
  return bound;
}

} // namespace ridge::lattice
