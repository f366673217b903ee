// Reductions of expressions on the cpu: packs of sites, each lane of which adds up for itself.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/lattice/cpu/chosen_lanes.hpp>
#include <ridge/lattice/cpu/fields_ahead.hpp>
#include <ridge/lattice/cpu/site.hpp>
#include <ridge/lattice/site_executor.hpp>

#include <algorithm>
#include <vector>

namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME {

/// Groups whose sums are added up before they are added to those of the thread: so sums of many
/// sites keep their accuracy.
inline constexpr Index stretch = 512;

/// Adds what groups [begin, end) give to `sums`, by key and part.
template <int Width, class S>
void add_groups(const Geometry& g, const S& summand, Subset subset, const FieldsAhead& ahead,
                const ChosenLanes<chooses_sites<S>>& chosen, Index begin, Index end,
                typename S::template Accumulator<double>* sums) {
  using V = Pack<double, Width, abi::Native>;
  using Sum = typename S::template Accumulator<V>;
  constexpr int count = S::keys * S::parts;
  constexpr int additions = S::keys > 1 ? 1 : S::components; // to a sum, of a pack of sites
  static_assert(additions <= Sum::period);
  Sum own[count];
  for (Sum& sum : own)
    sum.clear();
  int taken = 0;
  for (Index group = begin; group < end; ++group) {
    ahead.ask(group);
    for (int first = 0; first < g.nsimd; first += Width) {
      const Sites<Width> at(g, group, first);
      V keep(1.0);
      bool all = subset == Subset::all;
      if constexpr (chooses_sites<S>) {
        bool wanted[Width];
        const int count = chosen.find(summand, group, first, Width, wanted);
        if (count == 0) continue;
        all = count == Width;
        for (int i = 0; i < Width && !all; ++i)
          keep.set(i, wanted[i] ? 1 : 0);
      } else if (!all) {
        for (int i = 0; i < Width; ++i)
          keep.set(i, at.is_even(i) == (subset == Subset::even) ? 1 : 0);
      }
      if ((taken += additions) > Sum::period) {
        for (Sum& sum : own)
          sum.settle();
        taken = additions;
      }
      for (int c = 0; c < S::components; ++c) {
        V terms[S::parts];
        summand.template find<V>(at, c, terms);
        Sum* const to = own + (S::keys > 1 ? c * S::parts : 0);
        for (int p = 0; p < S::parts; ++p)
          to[p].add(all ? terms[p] : select(keep > V(0.5), terms[p], V(0.0)));
      }
    }
  }
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < Width; ++i)
      sums[k].merge(own[k].lane(i));
  }
}

/// A reduction with its accumulators: what a launch runs.
template <int Width, class S>
class Reduce {
public:
  Reduce(const SiteReduceCall<S>& call, const CpuSchedule& s)
      : call_(call), threads_(s.threads > 0 ? s.threads : cpu::default_threads()),
        ahead_(s, call.summand), sums_(static_cast<std::size_t>(threads_ * count)) {}

  void operator()() {
    for (Sum& sum : sums_) // the team may be smaller
      sum.clear();
    const Geometry& g = call_.geometry;
    cpu::run(threads_, [&](int thread, int team) {
      Sum own[count];
      for (Sum& sum : own)
        sum.clear();
      const auto mine = cpu::share_of(g.groups, thread, team);
      const ChosenLanes<chooses_sites<S>> chosen(g);
      for (Index begin = mine.begin; begin < mine.end && cpu::goes_on(); begin += stretch) {
        add_groups<Width>(g, call_.summand, call_.subset, ahead_, chosen, begin,
                          std::min(mine.end, begin + stretch), own);
      }
      std::copy(own, own + count, sums_.begin() + thread * count);
    });
    for (int k = 0; k < count; ++k) {
      Sum total = sums_[static_cast<std::size_t>(k)];
      for (int thread = 1; thread < threads_; ++thread)
        total.merge(sums_[static_cast<std::size_t>(thread * count + k)]);
      if constexpr (S::partial) {
        std::copy(total.w, total.w + Sum::words, call_.result.data + Index{k} * Sum::words);
      } else {
        call_.result.data[k] = total.value();
      }
    }
  }

private:
  using Sum = typename S::template Accumulator<double>;
  static constexpr int count = S::keys * S::parts;

  SiteReduceCall<S> call_;
  int threads_;
  FieldsAhead ahead_;
  std::vector<Sum> sums_; ///< of each thread
};

} // namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME

namespace ridge::lattice {

template <class S, class Target>
Bound SiteReducer<S, Target>::bind(Queue& /*queue*/, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return Bound(cpu_site::Reduce<cpu_site::width_of<typename S::First>, S>(call, s));
}

} // namespace ridge::lattice
