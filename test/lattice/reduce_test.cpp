// Every reduction under every schedule against plain loops in long double.
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

namespace ridge::lattice {
namespace {

using test::random_field;
using test::random_sites;
using test::reals;

using Numbers = std::vector<long double>;

/// Sums over slices along d (-1: all in one) of what `add` makes of a site's reals.
template <class Site>
Numbers expected(const Lattice& lattice, const std::vector<Site>& x, const std::vector<Site>& y,
                 int d, int results,
                 const std::function<void(const std::vector<double>&, const std::vector<double>&,
                                          long double*)>& add) {
  const Index slices = d < 0 ? 1 : lattice.extents()[d];
  Numbers sums(static_cast<std::size_t>(slices * results), 0);
  for (Index i = 0; i < lattice.sites(); ++i) {
    const Index s = d < 0 ? 0 : test::coordinate(lattice, i, d);
    const auto at = static_cast<std::size_t>(i);
    add(reals(x[at]), reals(y[at]), sums.data() + s * results);
  }
  return sums;
}

void add_all(const std::vector<double>& x, const std::vector<double>&, long double* sum) {
  for (std::size_t i = 0; i < x.size(); ++i)
    sum[i] += x[i];
}
void add_squares(const std::vector<double>& x, const std::vector<double>&, long double* sum) {
  for (const double v : x)
    *sum += static_cast<long double>(v) * v;
}
template <bool complex>
void add_products(const std::vector<double>& x, const std::vector<double>& y, long double* sum) {
  if constexpr (complex) {
    for (std::size_t i = 0; i < x.size(); i += 2) {
      sum[0] +=
          static_cast<long double>(x[i]) * y[i] + static_cast<long double>(x[i + 1]) * y[i + 1];
      sum[1] +=
          static_cast<long double>(x[i]) * y[i + 1] - static_cast<long double>(x[i + 1]) * y[i];
    }
  } else {
    for (std::size_t i = 0; i < x.size(); ++i)
      sum[0] += static_cast<long double>(x[i]) * y[i];
  }
}

/// Empty when the doubles of `got` are those expected to rounding of a sum of `terms` near 1.
template <class R>
std::string wrong(const std::vector<R>& got, const Numbers& expect, Index terms) {
  const auto* const numbers = reinterpret_cast<const double*>(got.data());
  if (got.size() * sizeof(R) != expect.size() * sizeof(double)) return "another number of results";
  const double tolerance = 1e-13 * (10 + static_cast<double>(terms));
  for (std::size_t i = 0; i < expect.size(); ++i) {
    if (!(std::abs(numbers[i] - static_cast<double>(expect[i])) <= tolerance)) {
      return "result " + std::to_string(i) + " is " + std::to_string(numbers[i]) + " instead of " +
             std::to_string(static_cast<double>(expect[i]));
    }
  }
  return {};
}

template <class Site>
class Reduced {
public:
  Reduced(const Device& device, const Lattice& lattice)
      : queue_(device), lattice_(lattice), x_(random_field<Site>(queue_, lattice, 1)),
        y_(random_field<Site>(queue_, lattice, 2)), xs_(random_sites<Site>(lattice, 1)),
        ys_(random_sites<Site>(lattice, 2)), terms_(lattice.sites() * reals_of<Site>) {
    for (int d = -1; d < lattice.extents().rank(); ++d) {
      sums_.push_back(expected<Site>(lattice, xs_, ys_, d, reals_of<Site>, add_all));
      norms_.push_back(expected<Site>(lattice, xs_, ys_, d, 1, add_squares));
      inners_.push_back(expected<Site>(lattice, xs_, ys_, d, is_complex<Site> ? 2 : 1,
                                       add_products<is_complex<Site>>));
    }
  }

  [[nodiscard]] std::vector<Schedule> space(Task task) const {
    return schedule_space(queue_.device(), task, x_.geometry());
  }

  void expect_right(const ReduceOptions& o) {
    const std::string where = to_text(lattice_) + " " + to_text(queue_.device().id()) + " " +
                              std::to_string(components_of<Site>) + " " +
                              (o.schedule ? to_text(*o.schedule) : "default") +
                              (o.reproducible ? " reproducible" : "");
    EXPECT_EQ(wrong(std::vector{sum(queue_, x_, o)}, sums_[0], terms_), "") << "sum " << where;
    if (only_of_tensors(o)) return;
    EXPECT_EQ(wrong(std::vector{norm2(queue_, x_, o)}, norms_[0], terms_), "") << "norm2 " << where;
    EXPECT_EQ(wrong(std::vector{inner_product(queue_, x_, y_, o)}, inners_[0], terms_), "")
        << "inner " << where;
  }
  void expect_slices_right(const ReduceOptions& o) {
    for (int d = 0; d < lattice_.extents().rank(); ++d) {
      const auto k = static_cast<std::size_t>(d + 1);
      const std::string where =
          to_text(lattice_) + " along " + std::to_string(d) + " " + to_text(queue_.device().id()) +
          " " + std::to_string(components_of<Site>) + " " +
          (o.schedule ? to_text(*o.schedule) : "default") + (o.reproducible ? " reproducible" : "");
      EXPECT_EQ(wrong(slice_sum(queue_, x_, d, o), sums_[k], terms_), "") << "sum " << where;
      if (only_of_tensors(o)) continue;
      EXPECT_EQ(wrong(slice_norm2(queue_, x_, d, o), norms_[k], terms_), "") << "norm2 " << where;
      EXPECT_EQ(wrong(slice_inner_product(queue_, x_, y_, d, o), inners_[k], terms_), "")
          << "inner " << where;
    }
  }

private:
  /// Whether a schedule is one for sums of tensors but not of numbers.
  static bool only_of_tensors(const ReduceOptions& o) {
    const auto* const s = o.schedule ? std::get_if<GpuSchedule>(&*o.schedule) : nullptr;
    return s != nullptr && s->reduce == Passes::staged && s->components == Components::threads;
  }

  Queue queue_;
  Lattice lattice_;
  Field<Site> x_, y_;
  std::vector<Site> xs_, ys_;
  Index terms_;
  std::vector<Numbers> sums_, norms_, inners_;
};

class Reductions : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

template <class Site>
void expect_right_everywhere(const Device& device, const Lattice& lattice, unsigned every) {
  Reduced<Site> c(device, lattice);
  unsigned n = 0;
  for (const Schedule& s : c.space(Task::reduce_tensor)) {
    if (n++ % every == 0) c.expect_right({s});
    if (n % (4 * every) == 1) c.expect_slices_right({s});
    if (::testing::Test::HasFailure()) return;
  }
  for (const Schedule& s : c.space(Task(Task::reduce_tensor, true))) {
    if (n++ % (3 * every) == 0) c.expect_right({s, true});
    if (::testing::Test::HasFailure()) return;
  }
  c.expect_right({});
  c.expect_right({{}, true});
  c.expect_slices_right({});
  c.expect_slices_right({{}, true});
}

TEST_P(Reductions, EqualPlainLoopsUnderEverySchedule) {
  expect_right_everywhere<ColourVector<float>>(device, Lattice({12, 4, 3}), 1);
}

TEST_P(Reductions, OfEverySiteType) {
  expect_right_everywhere<Complex<double>>(device, Lattice({8, 5, 6}), 7);
  expect_right_everywhere<double>(device, Lattice({24, 7}), 7);
  expect_right_everywhere<float>(device, Lattice({16, 4, 4}), 7);
  expect_right_everywhere<ColourMatrix<double>>(device, Lattice({4, 4, 2, 3}), 7);
  expect_right_everywhere<Spinor<float>>(device, Lattice({4, 2, 4, 2}), 17);
  expect_right_everywhere<Propagator<double>>(device, Lattice({4, 2, 2, 2}), 29);
  expect_right_everywhere<Vector<double, 5>>(device, Lattice({8, 2, 1, 3, 2}), 7);
  expect_right_everywhere<Matrix<Vector<float, 2>, 2>>(device, Lattice({32}), 17);
}

TEST_P(Reductions, OfWiderVectors) {
  expect_right_everywhere<Complex<double>>(device, Lattice({8, 6, 4}, 256), 7);
  expect_right_everywhere<ColourVector<float>>(device, Lattice({8, 16}, 128), 7);
}

TEST_P(Reductions, OfRandomLattices) {
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) {
    std::vector<Index> n;
    for (int d = 0; d < 1 + static_cast<int>(random() % 4); ++d)
      n.push_back(1 + static_cast<Index>(random() % 9));
    n.push_back(8 * (1 + static_cast<Index>(random() % 4)));
    const Lattice lattice(Extents(n.data(), static_cast<int>(n.size())));
    expect_right_everywhere<ColourVector<double>>(device, lattice, 31);
    expect_right_everywhere<Complex<float>>(device, lattice, 31);
  }
}

TEST_P(Reductions, AxpyNormStoresAndReduces) {
  Queue queue(device);
  const Lattice lattice({8, 4, 6});
  using Site = ColourVector<double>;
  const auto x = random_field<Site>(queue, lattice, 3);
  const auto y = random_field<Site>(queue, lattice, 4);
  Field<Site> z(device, lattice, "z");
  const double norm = axpy_norm(queue, z, 0.5, x, y);
  const auto xs = x.get(queue), ys = y.get(queue), zs = z.get(queue);
  long double expect = 0;
  for (std::size_t i = 0; i < zs.size(); ++i) {
    const auto a = reals(xs[i]), b = reals(ys[i]), c = reals(zs[i]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_DOUBLE_EQ(c[k], 0.5 * a[k] + b[k]);
      expect += static_cast<long double>(c[k]) * c[k];
    }
  }
  EXPECT_NEAR(norm, static_cast<double>(expect), 1e-10);
}

TEST_P(Reductions, MaxOfRealsAndNaN) {
  Queue queue(device);
  const Lattice lattice({16, 6});
  auto sites = random_sites<double>(lattice, 5);
  for (double& v : sites)
    v -= 3;
  sites[37] = -1.5;
  Field<double> x(device, lattice, "x");
  x.set(queue, sites);
  EXPECT_EQ(max(queue, x), -1.5);
  sites[3] = std::numeric_limits<double>::quiet_NaN();
  x.set(queue, sites);
  EXPECT_TRUE(std::isnan(max(queue, x)));
  EXPECT_TRUE(std::isnan(sum(queue, x)));
  EXPECT_TRUE(std::isnan(norm2(queue, x, {{}, true})));
}

TEST_P(Reductions, ResultStaysOnTheDevice) {
  Queue queue(device);
  const Lattice lattice({16, 6});
  const auto x = random_field<ColourVector<float>>(queue, lattice, 5);
  DeviceResult<double> result(device);
  norm2(queue, x, result);
  EXPECT_EQ(result.get(queue)[0], norm2(queue, x));
}

TEST_P(Reductions, RepeatBitForBit) {
  Queue queue(device);
  const Lattice lattice({16, 8, 10});
  const auto x = random_field<ColourMatrix<float>>(queue, lattice, 6);
  const auto first = sum(queue, x);
  const double norm = norm2(queue, x);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sum(queue, x), first);
    EXPECT_EQ(norm2(queue, x), norm);
  }
}

INSTANTIATE_TEST_SUITE_P(Here, Reductions, ::testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

} // namespace
} // namespace ridge::lattice
