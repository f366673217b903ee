// Cases of reproducible sums over ranks, which have one schedule. Plain loops on the host, over the
// sites that ranks own, say what the sums should be. Numbers of fields are functions of the site.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/record/record.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ridge::lattice {

/// A real number of field `seed` at a site of the whole lattice.
[[nodiscard]] inline double site_number(std::uint64_t seed, const SiteShape& shape, Index whole,
                                        int component, int part) {
  return random_value(seed, (whole * shape.components + component) * shape.parts() + part);
}

/// Sets what this rank owns of a field to such numbers; NaN around it.
template <class T>
void set_site_numbers(Queue& queue, const Span<T>& reals, const SiteShape& shape,
                      const RankLattice& part, std::uint64_t seed) {
  const Geometry geometry = part.held().geometry(shape.number_bytes());
  const Bytes bytes{reals.size * static_cast<Index>(sizeof(T))};
  Memory staging;
  T* to = reals.data;
  const bool direct = queue.device().host_accessible();
  if (!direct) {
    staging = Memory(queue.device(), bytes, "numbers to fill a field", Memory::Place::staging);
    to = static_cast<T*>(staging.data());
  }
  std::fill(to, to + reals.size, std::numeric_limits<T>::quiet_NaN());
  const int parts = shape.parts();
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(part.owned().count(), thread, threads);
    const Extents& held = part.held().extents();
    for (Index site = mine.begin; site < mine.end; ++site) {
      Coordinates x;
      Index rest = part.in_held(site);
      for (int d = 0; d < held.rank(); ++d) {
        x[d] = static_cast<int>(rest % held[d]);
        rest /= held[d];
      }
      const Place at = geometry.place(x);
      const Index whole = part.in_whole(site);
      for (int c = 0; c < shape.components; ++c) {
        T* const first =
            to + ((at.group * shape.components + c) * geometry.nsimd + at.lane) * parts;
        for (int p = 0; p < parts; ++p)
          first[p] = static_cast<T>(site_number(seed, shape, whole, c, p));
      }
    }
  });
  if (!direct) copy_bytes_to_device(queue, reals.data, to, bytes);
  queue.wait();
}

/// What sums should be, result by result: their bits, their value, and what the magnitudes of their
/// terms add up to.
struct PlainSums {
  explicit PlainSums(std::size_t results) : binned(results), value(results), scale(results) {
    for (auto& sum : binned)
      sum.clear();
  }
  /// `term` as it is rounded before it is added, and as it is.
  void add(std::size_t result, double term, long double exact) {
    binned[result].add(term);
    binned[result].settle();
    value[result] += exact;
    scale[result] += std::abs(exact);
  }
  void merge(const PlainSums& other);

  std::vector<BinnedSum<double>> binned;
  std::vector<long double> value, scale;
};

/// Calls `add_site(site, sums)` for the sites that this rank owns, counted with x fastest.
template <class F>
[[nodiscard]] PlainSums plain_sums(const RankLattice& part, std::size_t results,
                                   const F& add_site) {
  PlainSums total(results);
  std::mutex guard;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    PlainSums mine(results);
    const auto share = cpu::share_of(part.owned().count(), thread, threads);
    for (Index site = share.begin; site < share.end; ++site)
      add_site(site, mine);
    const std::lock_guard lock(guard);
    total.merge(mine);
  });
  return total;
}

namespace detail {

/// The most slices along `dimension` that a rank owns; 1 where that is -1.
[[nodiscard]] Index most_slices(const RankLattice& part, int dimension);
/// What sums_of_ranks makes of the messages of all ranks, one after the other: accumulators of so
/// many slices each.
[[nodiscard]] std::vector<double> merged_sums(const RankLattice& part, int dimension,
                                              const std::vector<BinnedSum<double>>& all);

} // namespace detail

/// Compares what all ranks found with the plain sums of all ranks: nearly the value, and its bits.
/// `dimension` as of detail::sums_of_ranks. Collective.
[[nodiscard]] Check compare_with(comm::Communicator& ranks, const RankLattice& part, int dimension,
                                 const PlainSums& mine, const std::vector<double>& found,
                                 double tolerance);

class SumOverRanks : public Case, protected comm::Step {
public:
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    if (s.text != "auto") {
      throw UsageError("--schedule " + s.text + ": over ranks " + name_ +
                       " runs under one schedule; give auto");
    }
    return program_of_ranks();
  }
  [[nodiscard]] comm::Step* ranks() override { return this; }
  [[nodiscard]] Extents share() const override {
    return comm::greatest_share(part_.whole(), part_.ranks());
  }

protected:
  SumOverRanks(std::string name, std::string precision, comm::Communicator& ranks,
               const RankLattice& part)
      : name_(std::move(name)), precision_(std::move(precision)), ranks_(ranks), part_(part) {}

  void run() final {
    run_compute();
    run_exchange();
  }

  std::string name_, precision_;
  comm::Communicator& ranks_;
  RankLattice part_;
};

} // namespace ridge::lattice
