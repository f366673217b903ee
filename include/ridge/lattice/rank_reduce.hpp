// Reductions of lattice fields over ranks: the same bits for every number of ranks, every grid and
// every device, and one message of each rank. They are those of ridge/lattice/reduce.hpp with
// `reproducible`. Collective.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reduce.hpp>

#include <vector>

namespace ridge::lattice {

/// What is summed of the sites that a rank owns: numbers, the products of x and y, or the products
/// of the real parts of x with the imaginary ones of y less the reverse.
enum class Summed { numbers, products, crossed };

/// Partial sums, as of a BoxSum.
template <class T>
struct SiteSum {
  Span<const T> x, y;
  Geometry geometry;
  SiteShape shape;
  SiteBox box;
  Summed summed = Summed::numbers;
  int component = -1; ///< of the tensor; all where negative
  int part = -1;      ///< 0 for real, 1 for imaginary parts; both where negative
  Span<double> result = {};
};

/// Names what each kind's module offers: `void(Queue&, const SiteSum<T>&)`.
template <class T>
struct SiteSummer;

namespace detail {
/// The sums over all ranks.
template <class T>
[[nodiscard]] std::vector<double> site_sums(comm::Communicator& ranks, Queue& queue,
                                            const std::vector<SiteSum<T>>& sums);
template <class Site>
[[nodiscard]] SiteSum<RealOf<Site>> site_sum(const RankLattice& part, const Field<Site>& x,
                                             const Field<Site>& y) {
  check_same_lattice(part.held(), "this rank's part", x.lattice(), x.name());
  check_same_lattice(part.held(), "this rank's part", y.lattice(), y.name());
  return {x.reals(), y.reals(), x.geometry(), x.shape(), part.owned()};
}
} // namespace detail

/// The sum over all sites: a tensor in double. Throws UsageError, as the others do, for a field
/// that is not on `part.held()`.
template <class Site>
[[nodiscard]] Over<Site, double> sum(comm::Communicator& ranks, Queue& queue,
                                     const RankLattice& part, const Field<Site>& x) {
  std::vector<SiteSum<RealOf<Site>>> sums;
  for (int c = 0; c < components_of<Site>; ++c) {
    for (int p = 0; p < x.shape().parts(); ++p) {
      sums.push_back(detail::site_sum(part, x, x));
      sums.back().component = c;
      sums.back().part = p;
    }
  }
  const auto values = detail::site_sums(ranks, queue, sums);
  Over<Site, double> result;
  for (int c = 0; c < components_of<Site>; ++c) {
    if constexpr (is_complex<Site>) {
      const auto i = static_cast<std::size_t>(2 * c);
      component(result, c) = Complex<double>(values[i], values[i + 1]);
    } else {
      component(result, c) = values[static_cast<std::size_t>(c)];
    }
  }
  return result;
}

/// The sum of the squares of all real numbers.
template <class Site>
[[nodiscard]] double norm2(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const Field<Site>& x) {
  auto call = detail::site_sum(part, x, x);
  call.summed = Summed::products;
  return detail::site_sums<RealOf<Site>>(ranks, queue, {call})[0];
}

/// The sum over sites and components of conj(x) y.
template <class Site>
[[nodiscard]] NumberInDouble<Site> inner_product(comm::Communicator& ranks, Queue& queue,
                                                 const RankLattice& part, const Field<Site>& x,
                                                 const Field<Site>& y) {
  auto real = detail::site_sum(part, x, y);
  real.summed = Summed::products;
  if constexpr (is_complex<Site>) {
    auto imaginary = real;
    imaginary.summed = Summed::crossed;
    const auto values = detail::site_sums<RealOf<Site>>(ranks, queue, {real, imaginary});
    return {values[0], values[1]};
  } else {
    return detail::site_sums<RealOf<Site>>(ranks, queue, {real})[0];
  }
}

} // namespace ridge::lattice
