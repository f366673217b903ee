// Reproducible sums: the same bits on every device, under every schedule, and nearly exact.
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/reduce.hpp>

#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace ridge::lattice {
namespace {

BinnedSum<double> binned(const std::vector<double>& values, std::size_t parts = 1) {
  BinnedSum<double> total;
  total.clear();
  for (std::size_t p = 0; p < parts; ++p) {
    BinnedSum<double> sum;
    sum.clear();
    int since = 0;
    for (std::size_t i = p; i < values.size(); i += parts) {
      sum.add(values[i]);
      if (++since == BinnedSum<double>::period) {
        sum.settle();
        since = 0;
      }
    }
    total.merge(sum);
  }
  return total;
}

/// Numbers of widely different magnitudes.
std::vector<double> wild(std::size_t count, int exponents, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-exponents, exponents);
  std::vector<double> values(count);
  for (double& v : values)
    v = std::ldexp(mantissa(random), exponent(random));
  return values;
}

TEST(BinnedSum, DoesNotDependOnOrderOrPartition) {
  for (const int exponents : {0, 20, 60, 300}) {
    auto values = wild(20000, exponents, 3);
    const double sum = binned(values).value();
    std::mt19937 random(5);
    for (const std::size_t parts : {1u, 2u, 7u, 64u, 1000u}) {
      std::shuffle(values.begin(), values.end(), random);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(binned(values, parts).value()),
                std::bit_cast<std::uint64_t>(sum))
          << exponents << " " << parts;
    }
  }
}

TEST(BinnedSum, IsExactWhereCancellationIsNot) {
  EXPECT_EQ(binned({1e16, 1, -1e16}).value(), 1);
  EXPECT_EQ(binned({1, 1e20, 1e3, -1e20}).value(), 1001);
  EXPECT_EQ(binned({-1}).value(), -1);
  EXPECT_EQ(binned({-0x1p-300, 0x1p-310}).value(), -0x1p-300 + 0x1p-310);
  EXPECT_EQ(binned({}).value(), 0);
  auto values = wild(4000, 30, 9);
  const std::size_t half = values.size();
  for (std::size_t i = 0; i < half; ++i)
    values.push_back(-values[i]);
  values.push_back(0x1p-40);
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  EXPECT_EQ(binned(values, 13).value(), 0x1p-40);
}

TEST(BinnedSum, AgreesWithLongDouble) {
  const auto values = wild(5000, 8, 11);
  long double sum = 0;
  for (const double v : values)
    sum += v;
  EXPECT_NEAR(binned(values, 3).value(), static_cast<double>(sum), 1e-13);
}

TEST(BinnedSum, KeepsInfinitiesAndNaNs) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(binned({1, inf, 2}).value(), inf);
  EXPECT_EQ(binned({1, -inf, 2}).value(), -inf);
  EXPECT_TRUE(std::isnan(binned({inf, 1, -inf}).value()));
  EXPECT_TRUE(std::isnan(binned({1, std::nan(""), 2}, 2).value()));
  EXPECT_EQ(binned({1, inf, std::numeric_limits<double>::max()}).value(), inf);
}

TEST(BinnedSum, TakesTheWholeRangeOfDoubles) {
  using Limits = std::numeric_limits<double>;
  const double least = Limits::denorm_min(), most = Limits::max(), inf = Limits::infinity();
  for (const std::size_t parts : {1u, 3u}) {
    EXPECT_EQ(binned(std::vector<double>(1000, 1e-295), parts).value(), 1000 * 1e-295);
    EXPECT_EQ(binned(std::vector<double>(1000, 1e-150 * 1e-150), parts).value(), 1000 * 1e-300);
    EXPECT_EQ(binned(std::vector<double>(100000, least), parts).value(), 100000 * least);
    EXPECT_EQ(binned({least, -3 * least, least, 2 * least}, parts).value(), least);
    EXPECT_EQ(binned({1e300, 1}, parts).value(), 1e300);
    EXPECT_EQ(binned({most}, parts).value(), most);
    EXPECT_EQ(binned({most, most}, parts).value(), inf);
    EXPECT_EQ(binned({-most, -most}, parts).value(), -inf);
    EXPECT_EQ(binned({most, most, -most}, parts).value(), most);
    EXPECT_EQ(binned({1e300, -most, 0x1p970, most, -1e300}, parts).value(), 0x1p970);
    EXPECT_EQ(binned({1.5 * 0x1p964, 0x1p930, -1.5 * 0x1p964}, parts).value(), 0x1p930);
  }
  std::mt19937 random(5);
  for (const auto& [low, high] :
       {std::pair{-1074, -1000}, {-1040, 0}, {-1074, 1000}, {880, 1000}, {950, 1015}}) {
    std::uniform_int_distribution<int> exponent(low, high);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::vector<double> values(5000);
    long double right = 0;
    for (double& v : values)
      right += v = std::ldexp(mantissa(random), exponent(random));
    const double sum = binned(values).value();
    EXPECT_NEAR(sum / static_cast<double>(right), 1, 1e-15) << low << " " << high;
    for (const std::size_t parts : {2u, 7u, 100u}) {
      std::shuffle(values.begin(), values.end(), random);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(binned(values, parts).value()),
                std::bit_cast<std::uint64_t>(sum))
          << low << " " << high << " " << parts;
    }
  }
}

/// The bits of all reproducible reductions of a field.
template <class Site>
std::vector<std::uint64_t> bits(Queue& queue, const Field<Site>& x, const Field<Site>& y,
                                const ReduceOptions& options) {
  std::vector<std::uint64_t> all;
  const auto add = [&](const auto& result) {
    for (const double v : test::reals(result))
      all.push_back(std::bit_cast<std::uint64_t>(v));
  };
  add(sum(queue, x, options));
  add(Complex<double>(norm2(queue, x, options)));
  add(inner_product(queue, x, y, options));
  for (const auto& s : slice_sum(queue, x, 1, options))
    add(s);
  for (const double s : slice_norm2(queue, x, 0, options))
    add(Complex<double>(s));
  return all;
}

template <class Site>
void expect_same_bits_everywhere(const Lattice& lattice) {
  // Magnitudes over 2^80, so that plain sums do depend on their order.
  auto xs = test::random_sites<Site>(lattice, 1);
  auto* const reals = reinterpret_cast<RealOf<Site>*>(xs.data());
  for (Index i = 0; i < lattice.sites() * reals_of<Site>; ++i)
    reals[i] *= std::ldexp(RealOf<Site>(1), static_cast<int>(mix_bits(i) % 80) - 40);
  const auto ys = test::random_sites<Site>(lattice, 2);

  std::vector<std::uint64_t> expected;
  bool plain_differs = false;
  double plain = 0;
  for (const std::string& name : test::devices_here()) {
    const Device device(name);
    Queue queue(device);
    Field<Site> x(device, lattice, "x"), y(device, lattice, "y");
    x.set(queue, xs);
    y.set(queue, ys);
    const Task task(Task::reduce_tensor, true);
    auto space = schedule_space(device, task, x.geometry());
    space.push_back(default_schedule(device, task, x.shape(), x.geometry()));
    for (int threads = 1; threads < 5 && device.kind() == DeviceKind::cpu; ++threads) {
      CpuSchedule s;
      s.threads = threads;
      space.emplace_back(s);
    }
    for (std::size_t i = 0; i<space.size(); i += space.size()> 40 ? 5 : 1) {
      const auto got = bits(queue, x, y, {space[i], true});
      if (expected.empty()) expected = got;
      EXPECT_EQ(got, expected) << name << " " << to_text(space[i]);
      const double other = test::reals(sum(queue, x, {space[i]}))[0];
      plain_differs = plain_differs || (plain != 0 && other != plain);
      plain = other;
    }
  }
  EXPECT_TRUE(plain_differs) << "these numbers do not test anything";
}

TEST(Reproducible, KeepsInfinitiesAndNaNsOfFields) {
  const Lattice lattice({8, 6, 10});
  const double inf = std::numeric_limits<double>::infinity();
  struct Odd {
    std::vector<double> values;
    double sum;
  };
  const std::vector<Odd> odd{{{inf}, inf},
                             {{-inf}, -inf},
                             {{inf, -inf}, std::nan("")},
                             {{std::nan("")}, std::nan("")},
                             {{1e300}, 1e300},
                             {{1e300, -1.7e308, 1e308}, (-1.7e308 + 1e308) + 1e300}}; // one rounding
  for (const std::string& name : test::devices_here()) {
    Queue queue{Device(name)};
    for (const Odd& o : odd) {
      auto xs = test::random_sites<ColourVector<double>>(lattice, 1);
      for (std::size_t i = 0; i < o.values.size(); ++i)
        xs[100 + 150 * i](1).re = o.values[i];
      Field<ColourVector<double>> x(queue.device(), lattice, "x");
      x.set(queue, xs);
      const auto total = sum(queue, x, {.reproducible = true});
      const double norm = norm2(queue, x, {.reproducible = true});
      if (std::isnan(o.sum)) {
        EXPECT_TRUE(std::isnan(total(1).re)) << name;
      } else {
        EXPECT_EQ(total(1).re, o.sum) << name;
      }
      EXPECT_TRUE(std::isfinite(total(0).re) && std::isfinite(total(1).im)) << name;
      EXPECT_FALSE(std::isfinite(norm)) << name;
    }
  }
}

TEST(Reproducible, KeepsVerySmallNumbersOfFields) {
  const Lattice lattice({8, 6, 10});
  const double n = static_cast<double>(lattice.sites());
  for (const std::string& name : test::devices_here()) {
    Queue queue{Device(name)};
    Field<Complex<double>> x(queue.device(), lattice, "x");
    for (const double value : {1e-150, 1e-295, 5e-324}) {
      std::vector<Complex<double>> xs(static_cast<std::size_t>(lattice.sites()),
                                      Complex<double>(value));
      xs[77].im = value;
      x.set(queue, xs);
      const Complex<double> total = sum(queue, x, {.reproducible = true});
      EXPECT_DOUBLE_EQ(total.re, n * value) << name;
      EXPECT_DOUBLE_EQ(total.im, value) << name;
      EXPECT_DOUBLE_EQ(norm2(queue, x, {.reproducible = true}), (n + 1) * (value * value)) << name;
    }
  }
}

TEST(Reproducible, SameBitsOnEveryDeviceAndUnderEverySchedule) {
  expect_same_bits_everywhere<ColourVector<double>>(Lattice({8, 6, 10}));
  expect_same_bits_everywhere<Complex<float>>(Lattice({16, 6, 10}));
}

} // namespace
} // namespace ridge::lattice
