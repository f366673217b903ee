// Reductions without a loop (reduce=once): awkward sizes, many blocks, and what they leave folded.
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include "support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace ridge::lattice {
namespace {

using test::random_field;
using test::random_sites;
using test::reals;

/// The least lattice: so many vectors of four words a component.
template <class Site>
Lattice vectors(Index count) {
  return Lattice({count * Lattice::default_width / static_cast<Index>(sizeof(NumberOf<Site>))});
}

class Once : public ::testing::TestWithParam<std::string> {
protected:
  [[nodiscard]] static GpuSchedule schedule(int groups, int items) {
    GpuSchedule s;
    s.groups = groups;
    s.items = items;
    s.reduce = Passes::once;
    s.finish = Finish::second;
    return s;
  }

  /// axpy_norm, norm2, inner_product and sum of fields of so many sites.
  template <class Site>
  void expect_right(const Lattice& lattice, const GpuSchedule& s) {
    const std::string where = to_text(lattice) + " " + to_text(Schedule(s));
    const auto x = random_field<Site>(queue, lattice, 3);
    const auto y = random_field<Site>(queue, lattice, 4);
    Field<Site> z(device, lattice, "z");
    using Real = RealOf<Site>;
    const Real a = 0.5;
    const ReduceOptions o{Schedule(s)};
    const double stored = axpy_norm(queue, z, a, x, y, o);
    const auto xs = x.get(queue), ys = y.get(queue), zs = z.get(queue);
    long double norm = 0, inner[2] = {0, 0}, z_norm = 0;
    std::vector<long double> sums(static_cast<std::size_t>(reals_of<Site>), 0);
    double terms = 10;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto p = reals(xs[i]), q = reals(ys[i]), r = reals(zs[i]);
      for (std::size_t k = 0; k < p.size(); ++k) {
        ASSERT_EQ(static_cast<Real>(r[k]), a * static_cast<Real>(p[k]) + static_cast<Real>(q[k]))
            << where << " z at " << i;
        norm += static_cast<long double>(p[k]) * p[k];
        z_norm += static_cast<long double>(r[k]) * r[k];
        sums[k] += p[k];
        inner[0] += static_cast<long double>(p[k]) * q[k];
        if (is_complex<Site>) {
          const bool real = k % 2 == 0;
          inner[1] += (real ? 1 : -1) * static_cast<long double>(p[k]) * q[real ? k + 1 : k - 1];
        }
        ++terms;
      }
    }
    const double near = 1e-13 * terms;
    EXPECT_NEAR(stored, static_cast<double>(z_norm), near) << where;
    EXPECT_NEAR(norm2(queue, x, o), static_cast<double>(norm), near) << where;
    const auto product = reals(inner_product(queue, x, y, o));
    for (std::size_t k = 0; k < (is_complex<Site> ? 2 : 1); ++k)
      EXPECT_NEAR(product[k], static_cast<double>(inner[k]), near) << where << " part " << k;
    const auto sum_of_all = reals(sum(queue, x, o));
    for (std::size_t k = 0; k < sums.size(); ++k)
      ASSERT_NEAR(sum_of_all[k], static_cast<double>(sums[k]), near) << where << " sum " << k;
  }

  Device device{GetParam()};
  Queue queue{device};
};

TEST_P(Once, AwkwardSizes) {
  for (const Index count : {1, 31, 255, 257, 1023, 1025}) {
    for (const GpuSchedule& s : {schedule(64, 1), schedule(64, 4), schedule(3, 1)}) {
      expect_right<Complex<double>>(vectors<Complex<double>>(count), s);
      expect_right<Complex<float>>(vectors<Complex<float>>(count), s);
      expect_right<double>(vectors<double>(count), s);
      expect_right<float>(vectors<float>(count), s);
    }
    expect_right<ColourVector<float>>(vectors<ColourVector<float>>(count), schedule(128, 1));
    expect_right<Complex<double>>(vectors<Complex<double>>(count), schedule(256, 1));
  }
}

TEST_P(Once, AMillionNumbersAndEight) {
  expect_right<double>(Lattice({1000008}), schedule(128, 1));
}

TEST_P(Once, WhatManyBlocksLeaveIsFolded) {
  expect_right<Complex<double>>(vectors<Complex<double>>(4099), schedule(1, 1));
  expect_right<ColourVector<double>>(vectors<ColourVector<double>>(1301), schedule(1, 1));
  expect_right<Propagator<double>>(vectors<Propagator<double>>(1027), schedule(64, 1));
}

TEST_P(Once, SlicesOfManyBlocksAreFolded) {
  const auto x = random_field<Complex<float>>(queue, Lattice({6, 4 * 4099}), 5);
  const auto xs = x.get(queue);
  std::vector<long double> expect(6, 0);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    for (const double v : reals(xs[i]))
      expect[i % 6] += static_cast<long double>(v) * v;
  }
  for (const bool reproducible : {false, true}) {
    const auto norms = slice_norm2(queue, x, 0, {Schedule(schedule(1, 1)), reproducible});
    ASSERT_EQ(norms.size(), 6U);
    for (std::size_t k = 0; k < norms.size(); ++k)
      EXPECT_NEAR(norms[k], static_cast<double>(expect[k]), 1e-9) << k;
  }
}

TEST_P(Once, RepeatsBitForBitAndStoresInPlace) {
  const Lattice lattice = vectors<Complex<double>>(4103);
  const ReduceOptions o{Schedule(schedule(1, 1))};
  const auto x = random_field<Complex<double>>(queue, lattice, 6);
  const double first = norm2(queue, x, o);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(norm2(queue, x, o), first);
  auto y = random_field<Complex<double>>(queue, lattice, 7);
  Field<Complex<double>> z(device, lattice, "z");
  const double apart = axpy_norm(queue, z, 0.25, x, y, o);
  EXPECT_EQ(axpy_norm(queue, y, 0.25, x, y, o), apart);
  const auto in_place = y.get(queue), expected = z.get(queue);
  EXPECT_EQ(std::memcmp(in_place.data(), expected.data(), expected.size() * sizeof expected[0]), 0);
}

TEST_P(Once, KeepsTheBitsOfReproducibleSums) {
  const auto x = random_field<Complex<double>>(queue, vectors<Complex<double>>(5003), 8);
  const double expected = norm2(queue, x, {{}, true});
  for (const GpuSchedule& s : {schedule(1, 1), schedule(64, 4), schedule(128, 1)})
    EXPECT_EQ(norm2(queue, x, {Schedule(s), true}), expected) << to_text(Schedule(s));
}

TEST_P(Once, MaxSeesNaN) {
  const Lattice lattice = vectors<double>(513);
  auto sites = random_sites<double>(lattice, 5);
  for (double& v : sites)
    v -= 3;
  sites.back() = -1.5;
  Field<double> x(device, lattice, "x");
  x.set(queue, sites);
  const ReduceOptions o{Schedule(schedule(64, 1))};
  EXPECT_EQ(max(queue, x, o), -1.5);
  sites[2050] = std::numeric_limits<double>::quiet_NaN();
  x.set(queue, sites);
  EXPECT_TRUE(std::isnan(max(queue, x, o)));
  EXPECT_TRUE(std::isnan(norm2(queue, x, o)));
}

TEST_P(Once, RefusesWhatIsNoneOfIt) {
  const Lattice lattice({8, 8});
  const Geometry g = lattice.geometry(8);
  for (const char* text : {"reduce=once finish=last", "once spread=4"}) {
    EXPECT_THROW((void)parse_schedule(text, device, Task::reduce_number, shape_of<double>(), g),
                 UsageError)
        << text;
  }
}

std::vector<std::string> gpus_here() {
  std::vector<std::string> all;
  for (const std::string& name : test::devices_here()) {
    if (Device(name).kind() != DeviceKind::cpu) all.push_back(name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Here, Once, ::testing::ValuesIn(gpus_here()), test::DeviceName{});

} // namespace
} // namespace ridge::lattice
