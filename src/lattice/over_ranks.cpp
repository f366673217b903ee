#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/over_ranks.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "sum_over_ranks.hpp"

#include <algorithm>
#include <vector>

namespace ridge::lattice {

namespace {

constexpr int words = BinnedSum<double>::words;

BinnedSum<double> accumulator(const double* from) {
  BinnedSum<double> made;
  for (int k = 0; k < words; ++k)
    made.w[k] = from[k];
  return made;
}

using Sums = std::vector<BinnedSum<double>>;

/// The sum of the parts that the device's module makes.
template <class T>
BinnedSum<double> sum_here(Queue& queue, BoxSum<T> call) {
  constexpr Index count = BoxSum<T>::parts * words;
  call.result = {static_cast<double*>(queue.scratch(Bytes{count * 8})), count};
  using Sum = void(Queue&, const BoxSum<T>&);
  offered<Sum>(queue.device().kind(), typeid(BoxSummer<T>*))(queue, call);
  std::vector<double> parts(static_cast<std::size_t>(count));
  copy_to_host(queue, parts.data(), call.result.data, count);
  queue.wait();
  BinnedSum<double> sum;
  sum.clear();
  for (std::size_t at = 0; at < parts.size(); at += words)
    sum.merge(accumulator(parts.data() + at));
  return sum;
}

/// The sums of all ranks, one rank after the other, in one message of each. All have as many.
Sums of_all(comm::Communicator& ranks, const Sums& mine) {
  std::vector<double> sent;
  for (const BinnedSum<double>& sum : mine)
    sent.insert(sent.end(), sum.w, sum.w + words);
  std::vector<double> all(sent.size() * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(sent.data(), sent.size() * sizeof(double), all.data());
  Sums sums;
  for (std::size_t at = 0; at < all.size(); at += words)
    sums.push_back(accumulator(all.data() + at));
  return sums;
}

/// The slices of the lattice that a rank owns: from the first up to, not including, the last.
struct OwnedSlices {
  Index begin = 0, count = 1;
};
std::vector<OwnedSlices> owned_slices(const RankLattice& part, int dimension) {
  std::vector<OwnedSlices> all(static_cast<std::size_t>(part.ranks().count()));
  for (int rank = 0; dimension >= 0 && rank < part.ranks().count(); ++rank) {
    const RankLattice of(part.whole(), part.ranks(), rank, part.depth(), part.held().width());
    const SiteBox& owned = of.owned();
    all[static_cast<std::size_t>(rank)] = {of.begin()[dimension],
                                           owned.end[dimension] - owned.begin[dimension]};
  }
  return all;
}

template <class T>
double over_ranks(comm::Communicator& ranks, Queue& queue, const BoxSum<T>& s) {
  static_assert(BoxSum<T>::words == words);
  Sums mine(1);
  mine[0].clear();
  const Index3 n = s.x.extents;
  if (n.x * n.y * n.z > 0) mine[0] = sum_here(queue, s);
  BinnedSum<double> total;
  total.clear();
  for (const BinnedSum<double>& sum : of_all(ranks, mine))
    total.merge(sum);
  return total.value();
}

} // namespace

template <class T>
double sum(comm::Communicator& ranks, Queue& queue, const View<const T>& x) {
  return over_ranks(ranks, queue, BoxSum<T>{x, x, false, {}});
}
template <class T>
double norm2(comm::Communicator& ranks, Queue& queue, const View<const T>& x) {
  return over_ranks(ranks, queue, BoxSum<T>{x, x, true, {}});
}
template <class T>
double inner_product(comm::Communicator& ranks, Queue& queue, const View<const T>& x,
                     const View<const T>& y) {
  if (!(x.extents == y.extents))
    throw UsageError("an inner product takes two boxes of the same extents");
  return over_ranks(ranks, queue, BoxSum<T>{x, y, true, {}});
}

Sums detail::owned_sums(const RankLattice& part, int dimension, Sums held) {
  if (dimension < 0) return held;
  const Index of_slice = static_cast<Index>(held.size()) / part.held().extents()[dimension];
  held.resize(static_cast<std::size_t>(part.owned().end[dimension] * of_slice), held[0]);
  held.erase(held.begin(), held.begin() + part.owned().begin[dimension] * of_slice);
  return held;
}

/// Results of the whole lattice from what each rank has sent: accumulators of as many slices as any
/// rank owns, rank after rank.
std::vector<double> detail::merged_sums(const RankLattice& part, int dimension, const Sums& all) {
  BinnedSum<double> nothing;
  nothing.clear();
  const auto owned = owned_slices(part, dimension);
  const std::size_t of_rank = all.size() / owned.size();
  const std::size_t of_slice = of_rank / static_cast<std::size_t>(most_slices(part, dimension));
  const Index slices = dimension < 0 ? 1 : part.whole()[dimension];
  Sums totals(static_cast<std::size_t>(slices) * of_slice, nothing);
  for (std::size_t rank = 0; rank < owned.size(); ++rank) {
    const std::size_t to = static_cast<std::size_t>(owned[rank].begin) * of_slice;
    for (std::size_t i = 0; i < static_cast<std::size_t>(owned[rank].count) * of_slice; ++i)
      totals[to + i].merge(all[rank * of_rank + i]);
  }
  std::vector<double> values;
  for (const BinnedSum<double>& total : totals)
    values.push_back(total.value());
  return values;
}

Index detail::most_slices(const RankLattice& part, int dimension) {
  Index most = 0;
  for (const OwnedSlices& slices : owned_slices(part, dimension))
    most = std::max(most, slices.count);
  return most;
}

std::vector<double> detail::sums_of_ranks(comm::Communicator& ranks, const RankLattice& part,
                                          int dimension, Sums mine) {
  check_rank(part.ranks(), part.rank(), ranks);
  const Index own = dimension < 0 ? 1 : part.owned().end[dimension] - part.owned().begin[dimension];
  const std::size_t of_slice = mine.size() / static_cast<std::size_t>(own);
  BinnedSum<double> nothing;
  nothing.clear();
  // Messages of one length.
  mine.resize(static_cast<std::size_t>(most_slices(part, dimension)) * of_slice, nothing);
  return merged_sums(part, dimension, of_all(ranks, mine));
}

template double sum(comm::Communicator&, Queue&, const View<const float>&);
template double sum(comm::Communicator&, Queue&, const View<const double>&);
template double norm2(comm::Communicator&, Queue&, const View<const float>&);
template double norm2(comm::Communicator&, Queue&, const View<const double>&);
template double inner_product(comm::Communicator&, Queue&, const View<const float>&,
                              const View<const float>&);
template double inner_product(comm::Communicator&, Queue&, const View<const double>&,
                              const View<const double>&);

} // namespace ridge::lattice
