// Reductions of lattice fields over ranks: the same bits for every number of ranks, every grid and
// every device, and one message of each rank. They are those of ridge/lattice/reduce.hpp with
// `reproducible`. Collective.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reduce.hpp>

#include <cstring>
#include <vector>

namespace ridge::lattice {

/// The sum over the sites that a rank owns: of the numbers, component after component, real and
/// imaginary parts apart; the products of all real numbers of x and y; or the real and the
/// imaginary part of conj(x) y.
enum class Summed { numbers, products, crossed };

/// Partial sums of slices: a binned accumulator for each piece of work of each result.
template <class T>
struct SiteSum {
  static constexpr int words = 8; ///< of an accumulator

  Span<const T> x, y;
  Geometry geometry;
  SiteShape shape;
  SiteBox box;
  Summed summed = Summed::numbers;
  int dimension = -1; ///< along which slices are summed; -1: the whole box is
  /// Slice after slice, component after component, real and imaginary part, piece after piece.
  Span<double> result = {};

  /// Slices of the box.
  [[nodiscard]] RIDGE_FN Index slices() const {
    return dimension < 0 ? 1 : box.end[dimension] - box.begin[dimension];
  }
  /// Results of a slice: for each of `keys` components `parts`.
  [[nodiscard]] RIDGE_FN int keys() const {
    return summed == Summed::numbers ? shape.components : 1;
  }
  [[nodiscard]] RIDGE_FN int parts() const {
    return summed == Summed::products ? 1 : shape.parts();
  }
  [[nodiscard]] RIDGE_FN Index results() const { return slices() * keys() * parts(); }
  /// Pieces of work of a result: fewer where there are many results, or little to add up. Beyond a
  /// hundred a piece has many numbers: GPUs want thousands of blocks, cpus none that begin often.
  [[nodiscard]] RIDGE_FN int pieces() const {
    const Index few = pieces_of(128, 512, 1024);
    const Index many = pieces_of(2048, 8192, 16384);
    return static_cast<int>(few > many ? few : many);
  }

private:
  /// At most `most`, and `enough` of all results, each of `numbers` or more.
  [[nodiscard]] RIDGE_FN Index pieces_of(Index most, Index enough, Index numbers) const {
    const Index wanted = enough / results();
    const Index worth = x.size / (results() * numbers);
    const Index count = wanted < worth ? wanted : worth;
    return count > most ? most : count < 1 ? 1 : count;
  }
};

/// Names what each kind's module offers: `void(Queue&, const SiteSum<T>&)`.
template <class T>
struct SiteSummer;

namespace detail {

/// This rank's part: a binned accumulator of each result of the slices that it owns.
template <class T>
[[nodiscard]] std::vector<BinnedSum<double>> own_sums(Queue& queue, const SiteSum<T>& sum);
/// The sums of all ranks: those of each slice of the whole lattice along `dimension`, of which each
/// rank has `mine`, its own ones; of the whole lattice where the dimension is -1. Collective.
[[nodiscard]] std::vector<double> sums_of_ranks(comm::Communicator& ranks, const RankLattice& part,
                                                int dimension, std::vector<BinnedSum<double>> mine);

template <class Site>
[[nodiscard]] SiteSum<RealOf<Site>> site_sum(const RankLattice& part, const Field<Site>& x,
                                             const Field<Site>& y, Summed summed, int dimension) {
  check_same_lattice(part.held(), "this rank's part", x.lattice(), x.name());
  check_same_lattice(part.held(), "this rank's part", y.lattice(), y.name());
  return {x.reals(), y.reals(), x.geometry(), x.shape(), part.owned(), summed, dimension};
}

/// Results of type S, slice after slice.
template <class S, class Site>
[[nodiscard]] std::vector<S> sums_of(comm::Communicator& ranks, Queue& queue,
                                     const RankLattice& part, const Field<Site>& x,
                                     const Field<Site>& y, Summed summed, int dimension) {
  const auto values = sums_of_ranks(ranks, part, dimension,
                                    own_sums(queue, site_sum(part, x, y, summed, dimension)));
  std::vector<S> results(values.size() * sizeof(double) / sizeof(S));
  std::memcpy(static_cast<void*>(results.data()), values.data(), values.size() * sizeof(double));
  return results;
}

/// Sums of inner products of such fields.
template <class Site>
inline constexpr Summed summed_inner = is_complex<Site> ? Summed::crossed : Summed::products;

} // namespace detail

/// The sum over all sites: a tensor in double. Throws UsageError, as the others do, for a field
/// that is not on `part.held()`.
template <class Site>
[[nodiscard]] Over<Site, double> sum(comm::Communicator& ranks, Queue& queue,
                                     const RankLattice& part, const Field<Site>& x) {
  return detail::sums_of<Over<Site, double>>(ranks, queue, part, x, x, Summed::numbers, -1)[0];
}

/// The sum of the squares of all real numbers.
template <class Site>
[[nodiscard]] double norm2(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const Field<Site>& x) {
  return detail::sums_of<double>(ranks, queue, part, x, x, Summed::products, -1)[0];
}

/// The sum over sites and components of conj(x) y.
template <class Site>
[[nodiscard]] NumberInDouble<Site> inner_product(comm::Communicator& ranks, Queue& queue,
                                                 const RankLattice& part, const Field<Site>& x,
                                                 const Field<Site>& y) {
  return detail::sums_of<NumberInDouble<Site>>(ranks, queue, part, x, y, detail::summed_inner<Site>,
                                               -1)[0];
}

// Reductions of each slice along dimension `d`: as many results as the extent of the whole lattice,
// on every rank, in one message of each as well. A message holds what the rank owns of the slices,
// 64 bytes a number. Throw UsageError for a dimension that there is not, too.

template <class Site>
[[nodiscard]] std::vector<Over<Site, double>> slice_sum(comm::Communicator& ranks, Queue& queue,
                                                        const RankLattice& part,
                                                        const Field<Site>& x, int d) {
  check_dimension(part.held(), d, "slice_sum");
  return detail::sums_of<Over<Site, double>>(ranks, queue, part, x, x, Summed::numbers, d);
}
template <class Site>
[[nodiscard]] std::vector<double> slice_norm2(comm::Communicator& ranks, Queue& queue,
                                              const RankLattice& part, const Field<Site>& x,
                                              int d) {
  check_dimension(part.held(), d, "slice_norm2");
  return detail::sums_of<double>(ranks, queue, part, x, x, Summed::products, d);
}
template <class Site>
[[nodiscard]] std::vector<NumberInDouble<Site>>
slice_inner_product(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                    const Field<Site>& x, const Field<Site>& y, int d) {
  check_dimension(part.held(), d, "slice_inner_product");
  return detail::sums_of<NumberInDouble<Site>>(ranks, queue, part, x, y, detail::summed_inner<Site>,
                                               d);
}

} // namespace ridge::lattice
