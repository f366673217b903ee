// Reproducible reductions of expressions: the same bits on every device, under every schedule.
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/tensor_arithmetic.hpp>

#include "algebra.hpp"
#include "dispatch.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace ridge::lattice {
namespace {

/// Numbers that use all their bits, of widely different magnitudes: so products and sums round.
template <class Site>
Field<Site> wild_field(Queue& queue, const Lattice& lattice, std::uint64_t seed) {
  using T = RealOf<Site>;
  auto sites = test::random_sites<Site>(lattice, seed);
  auto* const reals = reinterpret_cast<T*>(sites.data());
  for (Index i = 0; i < lattice.sites() * reals_of<Site>; ++i) {
    reals[i] *= static_cast<T>(std::sqrt(2.0 + static_cast<double>(i % 7)));
    reals[i] = std::ldexp(reals[i], static_cast<int>(random_value(seed + 100, i) * 12));
  }
  Field<Site> field(queue.device(), lattice, "wild");
  field.set(queue, sites);
  return field;
}

template <class T>
test::Fields<T> wild_fields(Queue& q, const Lattice& l) {
  return {wild_field<ColourMatrix<T>>(q, l, 1),
          wild_field<ColourMatrix<T>>(q, l, 2),
          wild_field<ColourMatrix<T>>(q, l, 3),
          wild_field<ColourVector<T>>(q, l, 4),
          wild_field<ColourVector<T>>(q, l, 5),
          wild_field<ColourVector<T>>(q, l, 6),
          wild_field<Spinor<T>>(q, l, 7),
          wild_field<Spinor<T>>(q, l, 8),
          wild_field<Propagator<T>>(q, l, 9),
          wild_field<Propagator<T>>(q, l, 10),
          wild_field<Propagator<T>>(q, l, 11),
          wild_field<Complex<T>>(q, l, 12),
          wild_field<T>(q, l, 13)};
}

/// Every schedule of expressions' reductions, and the default.
std::vector<std::optional<Schedule>> schedules_of(const Device& device, const Geometry& g) {
  std::vector<std::optional<Schedule>> all{std::nullopt};
  for (const Schedule& s : schedule_space(device, Task(Task::expression, true), g))
    all.emplace_back(s);
  for (int threads = 1; threads < 5 && device.kind() == DeviceKind::cpu; ++threads) {
    CpuSchedule s;
    s.threads = threads;
    all.emplace_back(s);
  }
  return all;
}

template <class T>
std::vector<double> reduced(bool exact, int which, Queue& queue, const test::Fields<T>& f,
                            Subset subset, const std::optional<Schedule>& schedule) {
  return on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = test::Algebra<T, Target>;
    return exact ? Run::reproduced(which, queue, f, subset, schedule)
                 : Run::reduced(which, queue, f, subset, schedule);
  });
}

template <class T>
void expect_same_bits(const Lattice& lattice) {
  const int count = std::is_same_v<T, double> ? test::reproducible_reductions : 2;
  std::vector<std::vector<double>> expected(static_cast<std::size_t>(3 * count));
  std::vector<double> plain[3];
  bool plain_differs = false;
  for (const std::string& name : test::devices_here()) {
    const Device device(name);
    Queue queue(device);
    const auto f = wild_fields<T>(queue, lattice);
    const auto schedules = schedules_of(device, f.s.geometry());
    for (int which = 0; which < count; ++which) {
      int ran = 0;
      for (std::size_t i = 0; i<schedules.size(); i += schedules.size()> 30 ? 3 : 1) {
        for (const Subset subset : {Subset::all, Subset::even, Subset::odd}) {
          const auto got = reduced(true, which, queue, f, subset, schedules[i]);
          ++ran;
          auto& first = expected[static_cast<std::size_t>(3 * which + static_cast<int>(subset))];
          if (first.empty()) first = got;
          ASSERT_EQ(got.size(), first.size());
          for (std::size_t k = 0; k < got.size(); ++k) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(first[k]))
                << which << " " << name << " "
                << (schedules[i] ? to_text(*schedules[i]) : "default");
          }
        }
      }
      EXPECT_GT(ran, 3) << which << " " << name;
    }
    for (const int which : {0, 2}) {
      const auto now = reduced(false, which, queue, f, Subset::all, {});
      auto& before = plain[which];
      plain_differs = plain_differs || (!before.empty() && before != now);
      before = now;
    }
  }
  // Squares of floats are nearly exact in double.
  EXPECT_TRUE(plain_differs || sizeof(T) == 4) << "these numbers do not test anything";
  for (const auto& result : expected) {
    for (const double v : result)
      EXPECT_TRUE(std::isfinite(v) && v != 0);
  }
}

TEST(ReproducibleAlgebra, SameBitsOnEveryDeviceAndUnderEverySchedule) {
  expect_same_bits<double>(Lattice({8, 6, 4}));
  expect_same_bits<float>(Lattice({8, 4, 6}));
}

/// A product that is rounded before anything is done with it.
template <class T>
T times(T a, T b) {
  volatile T product = a * b;
  return product;
}

/// norm2(y - adj(u) x), operation by operation, and in long double.
template <class T>
void expect_defined_bits(Queue& queue) {
  const auto f = wild_fields<T>(queue, Lattice({8, 6, 10}));
  const auto u = f.u.get(queue);
  const auto x = f.x.get(queue), y = f.y.get(queue);
  BinnedSum<double> sum;
  sum.clear();
  long double exact = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      T re = 0, im = 0;
      long double exact_re = y[i](c).re, exact_im = y[i](c).im;
      for (int k = 0; k < 3; ++k) {
        const auto a = conj(u[i](k, c)), b = x[i](k);
        const T term_re = times(a.re, b.re) - times(a.im, b.im);
        const T term_im = times(a.re, b.im) + times(a.im, b.re);
        re = k == 0 ? term_re : re + term_re;
        im = k == 0 ? term_im : im + term_im;
        using Wide = long double;
        exact_re -= Wide{a.re} * Wide{b.re} - Wide{a.im} * Wide{b.im};
        exact_im -= Wide{a.re} * Wide{b.im} + Wide{a.im} * Wide{b.re};
      }
      const double r = y[i](c).re - re, s = y[i](c).im - im;
      sum.add(times(r, r) + times(s, s));
      exact += exact_re * exact_re + exact_im * exact_im;
    }
    sum.settle();
  }
  const double got = reduced(true, 0, queue, f, Subset::all, {})[0];
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(sum.value()))
      << to_text(queue.device().id());
  const double tolerance = 20 * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(got, static_cast<double>(exact), tolerance * static_cast<double>(exact));
}

TEST(ReproducibleAlgebra, RoundsEveryOperationByItself) {
  for (const std::string& name : test::devices_here()) {
    Queue queue{Device(name)};
    expect_defined_bits<double>(queue);
    expect_defined_bits<float>(queue);
  }
}

} // namespace
} // namespace ridge::lattice
