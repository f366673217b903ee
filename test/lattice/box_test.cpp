// Sums of boxes within fields, against plain loops over their sites, bit for bit. Sites around a
// box are NaN: nothing of them may count.
#include <ridge/core/error.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reduce.hpp>

#include "refused.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lattice {
namespace {

using Sums = std::vector<BinnedSum<double>>;

Coordinates coordinates(const Lattice& lattice, Index site) {
  Coordinates x;
  for (int d = 0; d < lattice.extents().rank(); ++d)
    x[d] = static_cast<int>(test::coordinate(lattice, site, d));
  return x;
}

/// Random numbers of very different sizes in a box, NaN around it.
template <class Site>
std::vector<Site> numbers_in(const Lattice& lattice, const SiteBox& box, std::uint64_t seed) {
  auto sites = test::random_sites<Site>(lattice, seed);
  using Real = RealOf<Site>;
  for (Index i = 0; i < lattice.sites(); ++i) {
    auto* const reals = reinterpret_cast<Real*>(&sites[static_cast<std::size_t>(i)]);
    const bool there = box.holds(coordinates(lattice, i));
    for (Index r = 0; r < reals_of<Site>; ++r) {
      const int power = static_cast<int>(mix_bits(i + r) % 40) - 20;
      reals[r] = there ? std::ldexp(reals[r], power) : std::numeric_limits<Real>::quiet_NaN();
    }
  }
  return sites;
}

/// The sums of plain loops; of each slice along a dimension unless that is -1.
template <class R, class Site>
std::vector<double> plain_sums(const Lattice& lattice, const SiteBox& box, int dimension,
                               const std::vector<Site>& x, const std::vector<Site>& y) {
  constexpr int complex = is_complex<Site> ? 2 : 1;
  constexpr int parts = R::parts == Parts::joined ? 1 : complex;
  constexpr int keys = R::by_component ? components_of<Site> : 1;
  const Index slices = dimension < 0 ? 1 : lattice.extents()[dimension];
  Sums sums(static_cast<std::size_t>(slices * keys * parts));
  for (auto& sum : sums)
    sum.clear();
  for (Index i = 0; i < lattice.sites(); ++i) {
    if (!box.holds(coordinates(lattice, i))) continue;
    const auto a = test::reals(x[static_cast<std::size_t>(i)]);
    const auto b = test::reals(y[static_cast<std::size_t>(i)]);
    const Index slice = dimension < 0 ? 0 : test::coordinate(lattice, i, dimension);
    const auto add = [&](Index key, int part, double term) {
      auto& sum = sums[static_cast<std::size_t>((slice * keys + key) * parts + part)];
      sum.add(detail::opaque(term));
      sum.settle();
    };
    for (std::size_t r = 0; r < a.size(); ++r) {
      const auto c = static_cast<Index>(r) / complex;
      const int part = static_cast<int>(r) % complex;
      if (R::by_component) {
        add(c, part, a[r]);
      } else if (R::inputs == 1) {
        add(0, 0, a[r] * a[r]);
      } else {
        add(0, 0, a[r] * b[r]);
        if (complex == 2) add(0, 1, part == 0 ? a[r] * b[r + 1] : -a[r] * b[r - 1]);
      }
    }
  }
  std::vector<double> values;
  for (const auto& sum : sums)
    values.push_back(sum.value());
  return values;
}

template <class R, class Site>
ReduceCall<R, RealOf<Site>> call_of(const Field<Site>& x, const Field<Site>& y,
                                    const DeviceResult<BinnedSum<double>>& result, int dimension) {
  if constexpr (R::inputs == 1) {
    return reduce_call(R{}, x, result, true, dimension);
  } else {
    return reduce_call(R{}, x, y, result, true, dimension);
  }
}

/// The default schedule, and `several`.
std::vector<std::optional<Schedule>> schedules(const Device& device, const Geometry& g,
                                               bool several) {
  std::vector<std::optional<Schedule>> all{std::nullopt};
  if (!several) return all;
  if (device.kind() == DeviceKind::cpu) {
    for (const int threads : {1, 3}) {
      CpuSchedule s;
      s.threads = threads;
      all.emplace_back(Schedule{s});
    }
  } else {
    for (const int threads : {32, 160}) { // components end within blocks of the second
      GpuSchedule s;
      s.groups = std::max(1, threads / g.nsimd);
      all.emplace_back(Schedule{s});
    }
  }
  return all;
}

template <class R, class Site>
void compare(Queue& queue, const Lattice& lattice, const SiteBox& box, const Field<Site>& x,
             const Field<Site>& y, const std::vector<Site>& xs, const std::vector<Site>& ys) {
  const SiteBox all = box_of(lattice.extents());
  for (int dimension = -1; dimension < lattice.extents().rank(); ++dimension) {
    const auto right = plain_sums<R>(lattice, box, dimension, xs, ys);
    const DeviceResult<BinnedSum<double>> result(queue.device(), static_cast<Index>(right.size()));
    auto call = call_of<R>(x, y, result, dimension);
    call.boxed = true;
    call.box = box;
    const Index slices = dimension < 0 ? 1 : lattice.extents()[dimension];
    const auto of_slice = static_cast<Index>(right.size()) / slices;
    const Index first = dimension < 0 ? 0 : box.begin[dimension] * of_slice;
    const Index last = dimension < 0 ? of_slice : box.end[dimension] * of_slice;
    for (const auto& schedule : schedules(queue.device(), x.geometry(), dimension < 0)) {
      run_once(queue, call, schedule);
      const auto found = result.get(queue);
      for (Index i = first; i < last; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(found[at].value(), right[at])
            << R::name << " of " << to_text(lattice) << " along " << dimension << ", result " << i
            << (schedule ? ", " + to_text(*schedule) : "");
      }
      if (box.count() != all.count()) continue; // and the bits of fields without a box
      auto whole = call;
      whole.boxed = false;
      run_once(queue, whole, schedule);
      std::vector<double> same(right.size());
      copy_to_host(queue, same.data(), static_cast<const double*>(call.result.data),
                   static_cast<Index>(same.size()));
      queue.wait();
      ASSERT_EQ(same, right);
    }
  }
}

template <class Site>
void compare_box(Queue& queue, const Lattice& lattice, const SiteBox& box, std::uint64_t seed) {
  const auto xs = numbers_in<Site>(lattice, box, seed);
  const auto ys = numbers_in<Site>(lattice, box, seed + 1);
  Field<Site> x(queue.device(), lattice, "x"), y(queue.device(), lattice, "y");
  x.set(queue, xs);
  y.set(queue, ys);
  compare<Sum>(queue, lattice, box, x, y, xs, ys);
  compare<Norm2>(queue, lattice, box, x, y, xs, ys);
  compare<InnerProduct>(queue, lattice, box, x, y, xs, ys);
}

SiteBox random_box(const Extents& n, std::uint64_t seed) {
  SiteBox box = box_of(n);
  for (int d = 0; d < n.rank(); ++d) {
    const auto bits = mix_bits(static_cast<Index>(seed * 8) + d);
    if (bits % 3 == 0) continue; // not cut
    box.begin[d] = static_cast<int>(bits / 3 % static_cast<std::uint64_t>((n[d] + 1) / 2));
    const auto most = static_cast<std::uint64_t>(n[d] - box.begin[d]);
    box.end[d] = box.begin[d] + 1 + static_cast<int>(bits / 1024 % most);
  }
  return box;
}

class Box : public testing::TestWithParam<std::string> {
protected:
  Queue queue{Device(GetParam())};

  template <class Site>
  void compare_boxes(const Extents& n, int width, std::uint64_t boxes) {
    const Lattice lattice(n, width);
    compare_box<Site>(queue, lattice, box_of(n), 1);
    for (std::uint64_t seed = 1; seed < boxes && !HasFatalFailure(); ++seed)
      compare_box<Site>(queue, lattice, random_box(n, seed), 2 * seed);
  }
};

TEST_P(Box, SumsOfNumbersAreThoseOfPlainLoops) {
  compare_boxes<double>({8, 6, 10}, 64, 4);
  compare_boxes<float>({6, 32, 7}, 64, 4);
  compare_boxes<float>({8, 16, 4}, 256, 3);
  compare_boxes<float>({64}, 64, 3);
  compare_boxes<double>({2, 3, 4, 5, 2}, 64, 4);
}
TEST_P(Box, SumsOfComplexNumbersAreThoseOfPlainLoops) {
  compare_boxes<Complex<float>>({4, 6, 5, 4}, 64, 4);
  compare_boxes<Complex<double>>({3, 8, 10}, 128, 3);
}
TEST_P(Box, SumsOfTensorsAreThoseOfPlainLoops) {
  compare_boxes<ColourVector<double>>({4, 3, 2, 6}, 64, 3);
  compare_boxes<ColourMatrix<float>>({8, 4, 6}, 64, 3);
  compare_boxes<Spinor<double>>({2, 4, 3, 4}, 64, 3);
  compare_boxes<Propagator<float>>({4, 2, 6}, 64, 2);
}

TEST_P(Box, LargeBoxesAreCutIntoChunks) {
  const Extents n{32, 16, 24, 20};
  SiteBox box = box_of(n);
  box.begin[3] = 1;
  box.end[3] = 17;
  const Lattice lattice(n);
  const auto xs = numbers_in<Complex<double>>(lattice, box, 1);
  Field<Complex<double>> x(queue.device(), lattice, "x");
  x.set(queue, xs);
  const DeviceResult<BinnedSum<double>> result(queue.device());
  auto call = call_of<Norm2>(x, x, result, -1);
  call.boxed = true;
  call.box = box;
  run_once(queue, call);
  EXPECT_EQ(result.get(queue)[0].value(), plain_sums<Norm2>(lattice, box, -1, xs, xs)[0]);
}

TEST_P(Box, EmptyBoxesSumToZero) {
  const Lattice lattice({8, 4, 6});
  const SiteBox none{{{0, 0, 3, 0, 0}}, {{8, 4, 3, 1, 1}}};
  const auto xs = numbers_in<float>(lattice, none, 1);
  Field<float> x(queue.device(), lattice, "x");
  x.set(queue, xs);
  const DeviceResult<BinnedSum<double>> result(queue.device());
  auto call = call_of<Sum>(x, x, result, -1);
  call.boxed = true;
  call.box = none;
  run_once(queue, call);
  EXPECT_EQ(result.get(queue)[0].value(), 0);
}

TEST_P(Box, RefusesSumsThatAreNotBinned) {
  const Lattice lattice({8, 4, 6});
  const Field<float> x(queue.device(), lattice, "x");
  const DeviceResult<BinnedSum<double>> result(queue.device());
  auto call = reduce_call(Max{}, x, result);
  call.boxed = true;
  const auto message = testing::HasSubstr("sums of a box are reproducible ones");
  EXPECT_THAT(ridge::test::refused([&] { run_once(queue, call); }), message);
  auto sum = reduce_call(Norm2{}, x, result);
  sum.boxed = true;
  EXPECT_THAT(ridge::test::refused([&] { run_once(queue, sum); }), message);
}

INSTANTIATE_TEST_SUITE_P(Devices, Box, testing::ValuesIn(test::devices_here()), test::DeviceName());

} // namespace
} // namespace ridge::lattice
