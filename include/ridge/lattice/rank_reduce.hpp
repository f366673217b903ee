// Reductions of lattice fields over ranks: the same bits for every number of ranks, every grid and
// every device, and one message of each rank. They are those of ridge/lattice/reduce.hpp with
// `reproducible`: each rank reduces the box that it owns. Collective.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reduce.hpp>

#include <cstring>
#include <vector>

namespace ridge::lattice {

namespace detail {

/// The sums of all ranks: those of each slice of the whole lattice along `dimension`, of which each
/// rank has `mine`, its own ones; of the whole lattice where the dimension is -1. Collective.
[[nodiscard]] std::vector<double> sums_of_ranks(comm::Communicator& ranks, const RankLattice& part,
                                                int dimension, std::vector<BinnedSum<double>> mine);

/// Accumulators of the slices that this rank owns, of those of all slices that it holds.
[[nodiscard]] std::vector<BinnedSum<double>> owned_sums(const RankLattice& part, int dimension,
                                                        std::vector<BinnedSum<double>> held);

/// A reduction of what this rank owns of fields on `part.held()`.
template <class R, class T>
[[nodiscard]] ReduceCall<R, T> owned_by(const RankLattice& part, ReduceCall<R, T> call) {
  call.reproducible = true;
  call.boxed = true;
  call.box = part.owned();
  return call;
}

/// Results of type S, slice after slice, of one field or two.
template <class S, class R, class Site, class... Fields>
[[nodiscard]] std::vector<S> sums_of(comm::Communicator& ranks, Queue& queue,
                                     const RankLattice& part, const R& reduction, int dimension,
                                     const Field<Site>& x, const Fields&... others) {
  const auto check = [&](const auto& field) {
    check_same_lattice(part.held(), "this rank's part", field.lattice(), field.name());
  };
  (check(x), ..., check(others));
  const Index slices = dimension < 0 ? 1 : part.held().extents()[dimension];
  const DeviceResult<BinnedSum<double>> held(queue.device(), slices * Index{sizeof(S)} / 8);
  run_once(queue, owned_by(part, reduce_call(reduction, x, others..., held, true, dimension)));
  const auto values =
      sums_of_ranks(ranks, part, dimension, owned_sums(part, dimension, held.get(queue)));
  std::vector<S> results(values.size() * sizeof(double) / sizeof(S));
  std::memcpy(static_cast<void*>(results.data()), values.data(), values.size() * sizeof(double));
  return results;
}

} // namespace detail

/// The sum over all sites: a tensor in double. Throws UsageError, as the others do, for a field
/// that is not on `part.held()`.
template <class Site>
[[nodiscard]] Over<Site, double> sum(comm::Communicator& ranks, Queue& queue,
                                     const RankLattice& part, const Field<Site>& x) {
  return detail::sums_of<Over<Site, double>>(ranks, queue, part, Sum{}, -1, x)[0];
}

/// The sum of the squares of all real numbers.
template <class Site>
[[nodiscard]] double norm2(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const Field<Site>& x) {
  return detail::sums_of<double>(ranks, queue, part, Norm2{}, -1, x)[0];
}

/// The sum over sites and components of conj(x) y.
template <class Site>
[[nodiscard]] NumberInDouble<Site> inner_product(comm::Communicator& ranks, Queue& queue,
                                                 const RankLattice& part, const Field<Site>& x,
                                                 const Field<Site>& y) {
  return detail::sums_of<NumberInDouble<Site>>(ranks, queue, part, InnerProduct{}, -1, x, y)[0];
}

// Reductions of each slice along dimension `d`: as many results as the extent of the whole lattice,
// on every rank, in one message of each as well. A message holds what the rank owns of the slices,
// 64 bytes a number. Throw UsageError for a dimension that there is not, too.

template <class Site>
[[nodiscard]] std::vector<Over<Site, double>> slice_sum(comm::Communicator& ranks, Queue& queue,
                                                        const RankLattice& part,
                                                        const Field<Site>& x, int d) {
  check_dimension(part.held(), d, "slice_sum");
  return detail::sums_of<Over<Site, double>>(ranks, queue, part, Sum{}, d, x);
}
template <class Site>
[[nodiscard]] std::vector<double> slice_norm2(comm::Communicator& ranks, Queue& queue,
                                              const RankLattice& part, const Field<Site>& x,
                                              int d) {
  check_dimension(part.held(), d, "slice_norm2");
  return detail::sums_of<double>(ranks, queue, part, Norm2{}, d, x);
}
template <class Site>
[[nodiscard]] std::vector<NumberInDouble<Site>>
slice_inner_product(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                    const Field<Site>& x, const Field<Site>& y, int d) {
  check_dimension(part.held(), d, "slice_inner_product");
  return detail::sums_of<NumberInDouble<Site>>(ranks, queue, part, InnerProduct{}, d, x, y);
}

} // namespace ridge::lattice
