// Conjugate gradients against the dense solution, on every device; how they end.
#include <ridge/core/error.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/cg.hpp>

#include "devices.hpp"
#include "helmholtz.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge::solve {
namespace {

using lattice::Field;
using lattice::Lattice;

constexpr Index nx = 12, ny = 8;

/// Gauss with pivots, on the host.
std::vector<double> dense_solution(double diagonal, std::vector<double> b) {
  const auto n = static_cast<std::size_t>(nx * ny);
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
  for (Index y = 0; y < ny; ++y) {
    for (Index x = 0; x < nx; ++x) {
      auto& row = a[static_cast<std::size_t>(y * nx + x)];
      row[static_cast<std::size_t>(y * nx + x)] += diagonal;
      for (const Index step : {Index{1}, Index{-1}}) {
        row[static_cast<std::size_t>(y * nx + (x + step + nx) % nx)] -= 1;
        row[static_cast<std::size_t>((y + step + ny) % ny * nx + x)] -= 1;
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

class CgOn : public ::testing::TestWithParam<std::string> {
protected:
  CgOn() {
    fill_random(queue, b, 3);
    x.set(queue, std::vector<double>(static_cast<std::size_t>(nx * ny), 0.25));
  }
  /// Its vectors are fields of the lattice, which say where the spans lie.
  template <class T>
  Operator<T> apply(double diagonal) {
    return [this, diagonal](Span<T> out, Span<const T> in) {
      const auto geometry = shape<T>().geometry();
      auto call = lattice::assign_call(shape<T>(), test::helmholtz(shape_in<T>(), diagonal));
      call.z = {out, geometry};
      set_views(call.e, lattice::SiteView<const T>(in, geometry));
      std::vector<Program> programs;
      programs.emplace_back(queue, call);
      return programs;
    };
  }
  template <class T>
  Field<T>& shape() {
    if constexpr (std::is_same_v<T, float>) {
      return narrow;
    } else {
      return spare;
    }
  }
  template <class T>
  Field<T>& shape_in() {
    if constexpr (std::is_same_v<T, float>) {
      return narrow_in;
    } else {
      return spare_in;
    }
  }
  template <class E, class View>
  static void set_views(E& e, const View& view) {
    if constexpr (requires { e.view; }) e.view = view;
    if constexpr (requires { e.a; }) set_views(e.a, view);
    if constexpr (requires { e.b; }) set_views(e.b, view);
  }
  /// Solves from x by each solver of one system, and hands on how it ended.
  template <class Check>
  void each_solver(const Options& options, const Check& check) {
    Cg cg(queue, apply<double>(4.3), nx * ny);
    check(cg.solve(x.reals(), b.reals(), options));
    MixedCg mixed(queue, apply<double>(4.3), apply<float>(4.3), nx * ny);
    check(mixed.solve(x.reals(), b.reals(), options));
    BiCgStab direct(queue, apply<double>(4.3), nx * ny);
    check(direct.solve(x.reals(), b.reals(), options));
  }
  void expect_dense_solution(double diagonal, double error) {
    const auto right = dense_solution(diagonal, b.get(queue));
    const auto found = x.get(queue);
    for (std::size_t i = 0; i < right.size(); ++i)
      ASSERT_NEAR(found[i], right[i], error) << i;
  }

  Queue queue{Device(GetParam())};
  // As many lanes in both precisions: then both lie alike, number by number.
  Lattice lattice{{nx, ny}, 128}, half{{nx, ny}, 64};
  Field<double> b{queue.device(), lattice, "b"}, x{queue.device(), lattice, "x"},
      spare{queue.device(), lattice, "z"}, spare_in{queue.device(), lattice, "in"};
  Field<float> narrow{queue.device(), half, "z"}, narrow_in{queue.device(), half, "in"};
};

TEST_P(CgOn, GivesTheDenseSolution) {
  Cg cg(queue, apply<double>(4.3), nx * ny);
  const Solved solved = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12});
  EXPECT_TRUE(solved.converged);
  EXPECT_LE(solved.residual, 1e-12);
  EXPECT_GT(solved.iterations, 5);
  EXPECT_LT(solved.iterations, 60); // of at most so many different eigenvalues
  EXPECT_GT(solved.bytes, 10.0 * nx * ny * 8 * static_cast<double>(solved.iterations));
  expect_dense_solution(4.3, 1e-10);
  const Solved again = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-11});
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.iterations, 0); // x was right
}

TEST_P(CgOn, MixedPrecisionReachesWhatDoubleReaches) {
  MixedCg cg(queue, apply<double>(4.3), apply<float>(4.3), nx * ny);
  const Solved solved = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12});
  EXPECT_TRUE(solved.converged);
  EXPECT_LE(solved.residual, 1e-12);
  EXPECT_GE(solved.updates, 2);
  expect_dense_solution(4.3, 1e-10);
}

/// Close to a singular operator, and from right-hand sides whose squares are no numbers in single
/// precision, or in any: within 1.3 times the iterations of double and 48 (so small a grid's 29 end
/// where all its eigenvalues are met, which single precision repeats), or they go on in double, and
/// say so.
TEST_P(CgOn, MixedPrecisionConvergesWhereDoubleDoes) {
  const auto plain = b.get(queue);
  const std::vector<double> none(plain.size());
  for (const double diagonal : {4.3, 4.01, 4.001, 4.0001, 4.00001}) {
    Cg cg(queue, apply<double>(diagonal), nx * ny);
    MixedCg mixed(queue, apply<double>(diagonal), apply<float>(diagonal), nx * ny);
    for (const double size : {1.0, 1e-200, 1e200}) {
      auto sized = plain;
      for (double& value : sized)
        value *= size;
      b.set(queue, sized);
      x.set(queue, none);
      const Solved right = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-10});
      x.set(queue, none);
      const Solved solved = mixed.solve(x.reals(), b.reals(), {.tolerance = 1e-10});
      EXPECT_TRUE(right.converged && solved.converged) << diagonal << " " << size;
      EXPECT_LE(solved.residual, 1e-10) << diagonal << " " << size;
      const auto most = static_cast<Index>(1.3 * static_cast<double>(right.iterations)) + 48;
      EXPECT_TRUE(solved.in_double || solved.iterations <= most)
          << diagonal << " " << size << ": " << solved.iterations << " for " << right.iterations;
      EXPECT_LE(solved.iterations, 4 * right.iterations + 20) << diagonal << " " << size;
    }
  }
}

/// A residual of another system, 30 times as large, ends it: it goes on in the direction it has.
TEST_P(CgOn, MixedPrecisionGoesOnForALargerResidual) {
  constexpr double tolerance = 1e-8, larger = 30;
  const std::vector<double> none(static_cast<std::size_t>(nx * ny), 0);
  Cg cg(queue, apply<double>(4.01), nx * ny);
  const Measure measure = [&] {
    const Solved now =
        cg.solve(x.reals(), b.reals(), {.tolerance = tolerance, .most_iterations = 0});
    return std::vector{larger * now.residual / tolerance};
  };
  MixedCg mixed(queue, apply<double>(4.01), apply<float>(4.01), nx * ny);
  x.set(queue, none);
  const Solved plain = mixed.solve(x.reals(), b.reals(), {.tolerance = tolerance / larger});
  x.set(queue, none);
  const Solved solved = mixed.solve(x.reals(), b.reals(), {.tolerance = tolerance}, measure);
  EXPECT_TRUE(plain.converged && solved.converged);
  EXPECT_LE(measure()[0], 1);
  EXPECT_LE(solved.iterations, plain.iterations + 3);
}

TEST_P(CgOn, IsWhatBiCgStabGivesToo) { // pairs of real numbers are complex ones to it
  BiCgStab solver(queue, apply<double>(4.3), nx * ny);
  const Solved solved = solver.solve(x.reals(), b.reals(), {.tolerance = 1e-12});
  EXPECT_TRUE(solved.converged);
  EXPECT_LE(solved.residual, 1e-12);
  expect_dense_solution(4.3, 1e-10);
  EXPECT_THROW(BiCgStab(queue, apply<double>(4.3), 7), UsageError);
}

TEST_P(CgOn, GivesTheDenseSolutionsOfShifts) {
  const std::vector<double> shifts{0.5, 0, 3};
  ShiftedCg cg(queue, apply<double>(4.3), nx * ny, shifts);
  Field<double> y{queue.device(), lattice, "y"}, z{queue.device(), lattice, "z"};
  const std::vector<Span<double>> found{y.reals(), x.reals(), z.reals()};
  for (int again = 0; again < 2; ++again) {
    const auto solved = cg.solve(found, b.reals(), {.tolerance = 1e-11});
    ASSERT_EQ(solved.size(), 3U);
    for (const Solved& one : solved) {
      EXPECT_TRUE(one.converged);
      EXPECT_LE(one.residual, 1e-11);
      EXPECT_LT(one.iterations, 60);
    }
    expect_dense_solution(4.3, 1e-10);
    for (std::size_t i : {0U, 2U}) {
      x.set(queue, (i == 0 ? y : z).get(queue));
      expect_dense_solution(4.3 + shifts[i], 1e-10);
    }
  }
  const Solved stopped = cg.solve(
      found, b.reals(), {.tolerance = 1e-11, .go_on = [](const Progress&) { return false; }})[2];
  EXPECT_TRUE(stopped.stopped && !stopped.converged);
  EXPECT_THROW(ShiftedCg(queue, apply<double>(4.3), nx * ny, {-1}), UsageError);
  EXPECT_THROW(ShiftedCg(queue, apply<double>(4.3), nx * ny, {}), UsageError);
}

TEST_P(CgOn, ShiftsThatConvergeFirstRest) {
  for (const std::vector<double>& shifts :
       {std::vector<double>{0, 10, 1e8}, std::vector<double>{10}}) {
    ShiftedCg cg(queue, apply<double>(4.05), nx * ny, shifts);
    std::vector<Field<double>> fields;
    std::vector<Span<double>> found;
    for (std::size_t i = 0; i < shifts.size(); ++i)
      fields.emplace_back(queue.device(), lattice, "y");
    for (auto& field : fields)
      found.push_back(field.reals());
    const auto solved = cg.solve(found, b.reals(), {.tolerance = 1e-11});
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      EXPECT_TRUE(solved[i].converged) << shifts[i];
      EXPECT_LE(solved[i].residual, 1e-11) << shifts[i];
      x.set(queue, fields[i].get(queue));
      expect_dense_solution(4.05 + shifts[i], 1e-9);
    }
    if (shifts.size() == 1) {
      EXPECT_LT(solved[0].iterations, 15); // of A + 10, not of A
    }
  }
}

TEST_P(CgOn, SolvesForRightHandSidesOfAnyNorm) {
  const auto one = b.get(queue);
  const auto right = dense_solution(4.3, one);
  for (const double size : {1e-300, 1e-200, 1e160, 1e250}) {
    auto scaled = one;
    for (double& value : scaled)
      value *= size;
    b.set(queue, scaled);
    const std::vector<double> none(right.size(), 0);
    const auto check = [&](const Solved& solved) {
      EXPECT_TRUE(solved.converged) << size;
      EXPECT_GT(solved.iterations, 5) << size;
      const auto found = x.get(queue);
      for (std::size_t i = 0; i < right.size(); ++i)
        ASSERT_NEAR(found[i] / size, right[i], 1e-7) << size;
      x.set(queue, none);
    };
    x.set(queue, none);
    Cg cg(queue, apply<double>(4.3), nx * ny);
    check(cg.solve(x.reals(), b.reals(), {}));
    MixedCg mixed(queue, apply<double>(4.3), apply<float>(4.3), nx * ny);
    check(mixed.solve(x.reals(), b.reals(), {}));
    BiCgStab direct(queue, apply<double>(4.3), nx * ny);
    check(direct.solve(x.reals(), b.reals(), {}));
    ShiftedCg shifted(queue, apply<double>(4.3), nx * ny, {0});
    check(shifted.solve({x.reals()}, b.reals(), {})[0]);
    EXPECT_LE(cg.solve(x.reals(), b.reals(), {.most_iterations = 3}).iterations, 3);
  }
}

TEST_P(CgOn, NothingConvergesForWhatIsNoNumber) {
  for (const double none :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto values = b.get(queue);
    values[3] = none;
    b.set(queue, values);
    const Options options{.most_iterations = 50};
    const auto check = [&](const Solved& solved) {
      EXPECT_FALSE(solved.converged) << none;
      EXPECT_LE(solved.iterations, 50) << none;
      x.set(queue, std::vector<double>(values.size(), 0));
    };
    each_solver(options, check);
    ShiftedCg shifted(queue, apply<double>(4.3), nx * ny, {0});
    check(shifted.solve({x.reals()}, b.reals(), options)[0]);
  }
}

/// No number in double has a residual so small: the least there was is kept.
TEST_P(CgOn, EndsAtRounding) {
  const std::vector<double> none(static_cast<std::size_t>(nx * ny), 0);
  const auto check = [&](const Solved& solved) {
    EXPECT_FALSE(solved.converged);
    EXPECT_TRUE(solved.rounding || solved.broken);
    EXPECT_LT(solved.residual, 1e-14);
    EXPECT_LT(solved.iterations, 5000); // BiCGStab begins anew many times
    expect_dense_solution(4.3, 1e-12);
    x.set(queue, none);
  };
  const Options options{.tolerance = 1e-19};
  x.set(queue, none);
  each_solver(options, check);
}

/// Where it begins from is no better than nothing, or no number.
TEST_P(CgOn, BeginsFromNothingWhereThatIsBetter) {
  for (const double far : {1e40, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> start(static_cast<std::size_t>(nx * ny), far);
    x.set(queue, start);
    Cg cg(queue, apply<double>(4.3), nx * ny);
    EXPECT_TRUE(cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12}).converged);
    expect_dense_solution(4.3, 1e-10);
    x.set(queue, start);
    MixedCg mixed(queue, apply<double>(4.3), apply<float>(4.3), nx * ny);
    EXPECT_TRUE(mixed.solve(x.reals(), b.reals(), {.tolerance = 1e-12}).converged);
    expect_dense_solution(4.3, 1e-10);
  }
}

TEST_P(CgOn, LooksNowAndThenWithoutAnotherResult) {
  Cg cg(queue, apply<double>(4.3), nx * ny);
  const Solved every = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-9, .check_every = 1});
  const auto first = x.get(queue);
  x.set(queue, std::vector<double>(static_cast<std::size_t>(nx * ny), 0.25));
  const Solved seldom = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-9, .check_every = 7});
  EXPECT_EQ(every.iterations, seldom.iterations); // launches after the end change nothing
  EXPECT_EQ(first, x.get(queue));
}

TEST_P(CgOn, KeepsTheBestWhereItIsNotEnough) {
  Cg cg(queue, apply<double>(4.05), nx * ny);
  const Solved some =
      cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12, .most_iterations = 6, .check_every = 4});
  EXPECT_FALSE(some.converged);
  EXPECT_EQ(some.iterations, 6);
  EXPECT_LT(some.residual, 1);
  const Solved rest = cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12}); // from there
  EXPECT_TRUE(rest.converged);
  expect_dense_solution(4.05, 1e-9);
}

TEST_P(CgOn, StopsWhereItIsTold) {
  Cg cg(queue, apply<double>(4.01), nx * ny);
  Index asked = 0;
  const auto go_on = [&](const Progress& now) {
    EXPECT_GT(now.residual, 0);
    return ++asked < 3;
  };
  const Solved solved =
      cg.solve(x.reals(), b.reals(), {.tolerance = 1e-14, .check_every = 1, .go_on = go_on});
  EXPECT_TRUE(solved.stopped);
  EXPECT_FALSE(solved.converged);
  EXPECT_EQ(asked, 3);
}

TEST_P(CgOn, SeesAnOperatorThatIsNotPositive) {
  Cg cg(queue, apply<double>(0.5), nx * ny); // eigenvalues of both signs
  EXPECT_FALSE(cg.solve(x.reals(), b.reals(), {.tolerance = 1e-12}).converged);
}

TEST_P(CgOn, EndsForNumbersThatAreNone) {
  auto sites = b.get(queue);
  sites[5] = std::numeric_limits<double>::quiet_NaN();
  b.set(queue, sites);
  Cg cg(queue, apply<double>(4.3), nx * ny);
  const Solved solved = cg.solve(x.reals(), b.reals(), {});
  EXPECT_FALSE(solved.converged);
  EXPECT_TRUE(solved.broken);
}

TEST_P(CgOn, HasZeroForNoSource) {
  b.set(queue, std::vector<double>(static_cast<std::size_t>(nx * ny), 0.0));
  x.set(queue, std::vector<double>(static_cast<std::size_t>(nx * ny), 0.0));
  Cg cg(queue, apply<double>(4.3), nx * ny);
  const Solved solved = cg.solve(x.reals(), b.reals(), {});
  EXPECT_TRUE(solved.converged);
  for (const double value : x.get(queue))
    EXPECT_EQ(value, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, CgOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

// Sums over lengths that nothing divides.
class SumsOn : public ::testing::TestWithParam<std::string> {};

TEST_P(SumsOn, TakeEveryNumberOnce) {
  Queue queue{Device(GetParam())};
  for (const Index n : {Index{1}, Index{2}, Index{7}, Index{4095}, Index{4097}, Index{100003}}) {
    const Memory x(queue.device(), Bytes{n * 8}, "x");
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(i % 13) - 5;
    double right = 0;
    for (const double v : values)
      right += v * v;
    copy_to_device(queue, static_cast<double*>(x.data()), values.data(), n);
    queue.wait();
    Workspace work(queue, n);
    const Span<const double> span(static_cast<double*>(x.data()), n);
    work.bind(Dot<double>{span, span}).run();
    work.bind_sum<TakeSource>().run();
    work.ask(1);
    EXPECT_EQ(work.answer(1)[source2], right) << n; // whole numbers: exact
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SumsOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::solve
