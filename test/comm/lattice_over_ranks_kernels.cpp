// Compiled once per device kind.
#include <ridge/lattice/reduce_expression.hpp>
#include <ridge/lattice/site_executor.hpp>

#include "lattice_kernels.hpp"

namespace ridge::lattice {

using comm::test::Colour;
using comm::test::Corners;
using comm::test::Hop;
using comm::test::Mixed;

template struct SiteLooper<Colour, Hop, Here>;
template struct SiteLooper<Colour, Within<Hop>, Here>;
template struct SiteLooper<float, Corners, Here>;
template struct SiteLooper<float, Within<Corners>, Here>;
template struct SiteLooper<Colour, Mixed, Here>;
template struct SiteLooper<Colour, Within<Mixed>, Here>;

using comm::test::ReproducibleRise;
using comm::test::Rise;

template struct SiteReducer<detail::SummandOf<Max, Rise>, Here>;
template struct SiteReducer<AddedWithin<Max, Rise>, Here>;
template struct SiteReducer<detail::SummandOf<Norm2, ReproducibleRise>, Here>;
template struct SiteReducer<AddedWithin<Norm2, ReproducibleRise>, Here>;

} // namespace ridge::lattice

namespace ridge::comm::test {

namespace {

template <class S>
void append(std::vector<double>& to, const S& result) {
  const auto* const first = reinterpret_cast<const double*>(&result);
  to.insert(to.end(), first, first + sizeof(S) / sizeof(double));
}
/// `where`: a queue, or a communicator, a queue and a part.
template <class Target, class E, class... Where>
std::vector<double> all_of(const E& e, const Reduced& f, lattice::Subset subset, Where&... where) {
  std::vector<double> results;
  append(results, lattice::sum<Target>(where..., e, subset));
  append(results, lattice::norm2<Target>(where..., e, subset));
  append(results, lattice::inner_product<Target>(where..., f.b, e, subset));
  return results;
}

} // namespace

template <class Target>
std::vector<double> Reductions<Target>::of_one(Queue& queue, const Reduced& f,
                                               lattice::Subset subset, bool reproducible) {
  if (reproducible) return all_of<Target>(lattice::reproducible(residual(f)), f, subset, queue);
  return all_of<Target>(residual(f), f, subset, queue);
}
template <class Target>
std::vector<double>
Reductions<Target>::over_ranks(Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
                               const Reduced& f, lattice::Subset subset, bool reproducible) {
  if (reproducible) {
    return all_of<Target>(lattice::reproducible(residual(f)), f, subset, ranks, queue, part);
  }
  return all_of<Target>(residual(f), f, subset, ranks, queue, part);
}

template struct Reductions<Here>;

} // namespace ridge::comm::test
