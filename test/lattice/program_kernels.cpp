// Compiled once per device kind.
#include "program_kernels.hpp"

#include <ridge/lattice/evaluate.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/reduce_expression.hpp>
#include <ridge/lattice/site_loop.hpp>

namespace ridge::lattice {

template struct Reducer<test::FourthPowers, float, Here>;
template struct Reducer<test::FourthPowers, double, Here>;
template struct Reducer<test::Distance, double, Here>;
template struct Reducer<test::LargestProduct, double, Here>;
template struct Mapper<test::Squares, double, Here>;
template struct Assigner<ColourVector<double>, test::Turned, Here>;
template struct SiteReducer<test::TurnedNorm2, Here>;
template struct SiteLooper<ColourVector<double>, test::Doubled, Here>;

namespace test {

template <class Target>
std::vector<Program> Bound<Target>::programs(Queue& queue, const Operands& f,
                                             DeviceResult<double>& result) {
  std::vector<Program> all;
  all.push_back(bind_assign<Target>(queue, *f.z, turned(f), Subset::all, {}, "turned"));
  all.push_back(bind_norm2<Target>(queue, *f.z, result, Subset::odd));
  all.push_back(bind_site_loop<Target>(queue, f.z->view(), doubled(f), Subset::even));
  return all;
}

template struct Bound<Here>;

} // namespace test

} // namespace ridge::lattice
