// Multigrid against discrete modes, random right-hand sides and its own promise of a factor.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/grid/multigrid.hpp>

#include "devices.hpp"
#include "grid_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ridge::solve::of_grids {
namespace {

class Grids : public ::testing::TestWithParam<std::string> {
protected:
  [[nodiscard]] static Device device() { return Device(parse_device(GetParam())); }
};

TEST_P(Grids, SolveWhatTheBoundariesMean) {
  struct Case {
    Index3 n;
    const char* walls;
    stencil::Spacing h;
    double shift;
  };
  const Case cases[] = {
      {{13, 13, 13}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {}, 0},
      {{14, 13, 9}, "x=dirichlet:1,y-=dirichlet:2,y+=neumann:0.5,z=mirror", {0.5, 0.4, 0.7}, 0},
      {{12, 11, 9}, "x=periodic,y=neumann:-0.3,z-=dirichlet:0.1,z+=mirror", {1, 1, 1}, 0},
      {{40, 1, 23}, "x=periodic,z=dirichlet:0", {1, 1, 2}, 0},
      {{700, 1, 1}, "x-=dirichlet:3,x+=neumann:1", {0.1, 1, 1}, 0},
      {{21, 8, 5}, "x=periodic,y=periodic,z=periodic", {1, 2, 1}, 0.7},
      {{10, 10, 10}, "x=neumann:0,y=mirror,z=periodic", {}, 1e-3},
      {{3, 3, 3}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {}, 0},
      {{40, 8, 7}, "x=dirichlet:0,y=neumann:0,z=periodic", {0.1, 1, 1}, 0},
  };
  for (const Case& c : cases) {
    const GridProblem p = problem_of(c.n, c.walls, c.h, c.shift);
    SCOPED_TRACE(std::string(c.walls) + " " + std::to_string(c.n.x) + "x" + std::to_string(c.n.y) +
                 "x" + std::to_string(c.n.z));
    const std::vector<double> f = random_numbers(c.n.x * c.n.y * c.n.z, 7);
    const Solved s = solved(device(), p, f, {.method = GridMethod::multigrid});
    EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
    EXPECT_LT(s.how.factor(), 0.3) << s.how.cycles << " cycles";
    EXPECT_LT(misfit(p, s, f), 1e-8);
  }
}

TEST_P(Grids, TransformsSolveWhatTheBoundariesMean) {
  for (const char* walls :
       {"x=periodic,y=dirichlet:2,z-=neumann:0.5,z+=dirichlet:1",
        "x=mirror,y-=dirichlet:1,y+=neumann:-0.3,z=neumann:0.25",
        "x-=mirror,x+=dirichlet:1,y-=dirichlet:2,y+=mirror,z-=neumann:0.3,z+=mirror",
        "x-=mirror,x+=neumann:0.2,y-=neumann:1,y+=dirichlet:0,z=periodic"}) {
    SCOPED_TRACE(walls);
    const GridProblem p = problem_of({9, 7, 8}, walls, {0.5, 1, 0.7}, 0.25);
    const std::vector<double> f = random_numbers(9 * 7 * 8, 31);
    const Solved s = solved(device(), p, f, {.method = GridMethod::fourier});
    EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
    EXPECT_FALSE(s.how.transform.empty());
    EXPECT_LT(misfit(p, s, f), 1e-9);
  }
}

/// Between periodic faces a transform reads f and writes u themselves, but where both are one.
TEST_P(Grids, TransformsTakePeriodicFieldsWhereTheyLie) {
  const Index3 n{9, 8, 7};
  for (const double shift : {0.0, 0.25}) {
    for (const double mean : {0.0, 0.5}) {
      if (shift > 0 && mean > 0) continue;
      SCOPED_TRACE(shift + mean);
      const GridProblem p = problem_of(n, "x=periodic,y=periodic,z=periodic", {0.5, 1, 0.7}, shift);
      const std::vector<double> noise = random_numbers(9 * 8 * 7, 33);
      const double sum = std::accumulate(noise.begin(), noise.end(), 0.0);
      std::vector<double> f, balanced;
      for (const double x : noise) {
        f.push_back(x - sum / static_cast<double>(noise.size()) + mean);
        balanced.push_back(shift == 0 ? f.back() - mean : f.back());
      }
      const GridOptions options{.method = GridMethod::fourier, .project = shift == 0};
      const Solved apart = solved(device(), p, f, options);
      EXPECT_EQ(apart.how.end, GridSolution::End::converged) << apart.how.residual();
      EXPECT_LT(misfit(p, apart, balanced), 1e-12);
      EXPECT_NEAR(apart.how.removed_mean, shift == 0 ? mean : 0, 1e-14);
      if (shift == 0) {
        EXPECT_NEAR(std::accumulate(apart.u.begin(), apart.u.end(), 0.0), 0, 1e-12);
      }
      Queue queue(device());
      const Field<double> both(device(), Extents{n.x, n.y, n.z});
      copy_to_device(queue, both.data(), f.data(), both.count());
      Multigrid<double> solver(queue, p);
      EXPECT_EQ(solver.solve(View<const double>(both.view()), both.view(), options).cycles, 1);
      const std::vector<double> there = on_host(queue, both);
      for (std::size_t i = 0; i < there.size(); ++i)
        ASSERT_NEAR(apart.u[i], there[i], 1e-13);
      // Again, and where pairs of numbers do not begin; f stays.
      const Index count = both.count();
      const Field<double> right(device(), Extents{count + 1}), left(device(), Extents{count + 1});
      for (const Index at : {0, 0, 1}) {
        copy_to_device(queue, right.data() + at, f.data(), count);
        const View<const double> given(right.data() + at, n);
        EXPECT_EQ(solver.solve(given, View<double>(left.data() + at, n), options).cycles, 1);
        const std::vector<double> after = on_host(queue, right), found = on_host(queue, left);
        for (std::size_t i = 0; i < f.size(); ++i) {
          ASSERT_EQ(after[i + static_cast<std::size_t>(at)], f[i]);
          ASSERT_NEAR(found[i + static_cast<std::size_t>(at)], apart.u[i], 1e-13);
        }
      }
    }
  }
}

TEST_P(Grids, SolveWithACoefficientOfFourDecades) {
  for (const char* walls : {"x=dirichlet:1,y-=dirichlet:2,y+=neumann:0.5,z=mirror",
                            "x=periodic,y=neumann:-0.2,z=dirichlet:0"}) {
    SCOPED_TRACE(walls);
    const GridProblem p = problem_of({14, 11, 13}, walls, {0.5, 0.7, 0.6});
    std::vector<double> k = random_numbers(14 * 11 * 13, 21);
    for (std::size_t i = 0; i < k.size();
         ++i) // smooth over the field, and rough by a factor of two
      k[i] = std::pow(10, 2 * std::sin(0.002 * static_cast<double>(i))) * std::pow(2, k[i] / 2);
    const std::vector<double> f = random_numbers(14 * 11 * 13, 22);
    const Solved s = solved(device(), p, f, {}, k);
    EXPECT_TRUE(s.how.conjugate);
    EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
    EXPECT_LT(s.how.factor(), 0.35) << s.how.cycles << " cycles";
    EXPECT_LT(misfit(p, s, f, k), 1e-8);
  }
}

TEST_P(Grids, ConjugateGradientsGiveTheSameSolution) {
  const GridProblem p = problem_of({12, 9, 11}, "x=periodic,y=dirichlet:0,z=mirror");
  const std::vector<double> f = random_numbers(12 * 9 * 11, 23);
  const Solved plain = solved(device(), p, f, {.method = GridMethod::multigrid});
  const Solved conjugate = solved(device(), p, f, {.method = GridMethod::conjugate_gradients});
  EXPECT_FALSE(plain.how.conjugate);
  EXPECT_LE(conjugate.how.cycles, plain.how.cycles);
  for (std::size_t i = 0; i < plain.u.size(); ++i)
    ASSERT_NEAR(plain.u[i], conjugate.u[i], 1e-8);
}

TEST_P(Grids, HaveCyclesOfEachShapeAndSmoother) {
  const GridProblem p = problem_of({15, 11, 13}, "x=periodic,y=dirichlet:1,z-=mirror,z+=neumann:0");
  const std::vector<double> f = random_numbers(15 * 11 * 13, 24);
  for (const CycleShape shape : {CycleShape::v, CycleShape::w, CycleShape::f}) {
    for (const Smoother smoother : {Smoother::chebyshev, Smoother::red_black}) {
      for (const GridMethod method : {GridMethod::multigrid, GridMethod::conjugate_gradients}) {
        if (method == GridMethod::conjugate_gradients && shape != CycleShape::w) continue;
        const Solved s =
            solved(device(), p, f, {.method = method, .cycle = shape, .smoother = smoother});
        SCOPED_TRACE(s.how.method());
        EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
        EXPECT_LT(s.how.factor(), 0.3) << s.how.cycles;
        EXPECT_LT(misfit(p, s, f), 1e-8);
        EXPECT_EQ(s.how.conjugate, method == GridMethod::conjugate_gradients);
      }
    }
  }
}

TEST_P(Grids, RedBlackGainsAsMuchAsChebyshevByAsManyPasses) {
  const GridProblem p = problem_of({25, 25, 25}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0");
  const std::vector<double> f = random_numbers(25 * 25 * 25, 25);
  const Solved plain = solved(device(), p, f, {.smoother = Smoother::chebyshev});
  const Solved coloured = solved(device(), p, f, {.smoother = Smoother::red_black});
  EXPECT_EQ(plain.how.method(), "multigrid V(2,2)"); // no transform, since cycles are asked for
  EXPECT_EQ(coloured.how.method(), "multigrid V(1,1) red-black");
  EXPECT_LT(plain.how.factor(), 0.08); // 0.125 by the usual weights
  EXPECT_LT(coloured.how.factor(), 0.1);
  EXPECT_LE(coloured.how.cycles, plain.how.cycles);
}

TEST_P(Grids, SweepColoursWhereNobodySaysOnACpu) {
  const GridProblem p = problem_of({9, 10, 8}, "x=dirichlet:0,y=periodic,z=mirror");
  const std::vector<double> f = random_numbers(9 * 10 * 8, 28);
  const Solved cycles = solved(device(), p, f, {.cycle = CycleShape::v});
  EXPECT_EQ(cycles.how.method(),
            GetParam() == "cpu" ? "multigrid V(1,1) red-black" : "multigrid V(2,2)");
  const Solved conjugate = solved(device(), p, f, {.method = GridMethod::conjugate_gradients});
  EXPECT_EQ(conjugate.how.method(), "conjugate gradients, multigrid V(2,2)");
}

TEST_P(Grids, StopWhereTheyAreToldWithTheSolutionSoFar) {
  const GridProblem p = problem_of({14, 11, 13}, "x=dirichlet:1,y=periodic,z=mirror");
  const std::vector<double> f = random_numbers(14 * 11 * 13, 27);
  for (const GridMethod method : {GridMethod::multigrid, GridMethod::conjugate_gradients}) {
    double last = 1;
    const Solved s =
        solved(device(), p, f, {.method = method, .progress = [&](int cycle, double residual) {
                                  last = residual;
                                  return cycle < 3;
                                }});
    EXPECT_EQ(s.how.end, GridSolution::End::stopped);
    EXPECT_EQ(s.how.cycles, 3);
    EXPECT_EQ(s.how.residual(), last);
    const double left = misfit(p, s, f);
    EXPECT_GT(left, last / 10);
    EXPECT_LT(left, 0.05);
  }
}

TEST_P(Grids, RefuseCyclesThatAMethodDoesNotTake) {
  const GridProblem p = problem_of({9, 9, 9}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0");
  const std::vector<double> f = random_numbers(9 * 9 * 9, 26);
  EXPECT_THROW((void)solved(device(), p, f,
                            {.method = GridMethod::conjugate_gradients, .cycle = CycleShape::f}),
               UsageError);
  EXPECT_THROW(
      (void)solved(device(), p, f, {.method = GridMethod::fourier, .cycle = CycleShape::v}),
      UsageError);
  EXPECT_THROW((void)solved(device(), p, f, {.cycle = CycleShape::full}), UsageError);
}

TEST_P(Grids, SingularProblemsNeedABalance) {
  const GridProblem p = problem_of({11, 12, 10}, "x=neumann:0.25,y=periodic,z=mirror");
  const std::vector<double> wanted = random_numbers(11 * 12 * 10, 3);
  const std::vector<double> f = applied(p, wanted);
  const Solved s = solved(device(), p, f);
  EXPECT_EQ(s.how.end, GridSolution::End::converged);
  EXPECT_LT(misfit(p, s, f), 1e-8);

  std::vector<double> off = f;
  for (double& x : off)
    x += 0.125;
  EXPECT_THROW((void)solved(device(), p, off), UsageError);
  const Solved projected = solved(device(), p, off, {.project = true});
  EXPECT_NEAR(projected.how.removed_mean, 0.125, 1e-9);
  EXPECT_LT(misfit(p, projected, f), 1e-8);
}

TEST_P(Grids, BeginsFromAGuess) {
  const GridProblem p = problem_of({12, 12, 12}, "x=dirichlet:1,y=dirichlet:0,z=periodic");
  const std::vector<double> f = random_numbers(12 * 12 * 12, 5);
  Queue queue(device());
  const Field<double> right(device(), Extents{12, 12, 12}), u(device(), Extents{12, 12, 12});
  copy_to_device(queue, right.data(), f.data(), right.count());
  Multigrid<double> solver(queue, p);
  const auto first = solver.solve(View<const double>(right.view()), u.view(),
                                  {.method = GridMethod::multigrid, .tolerance = 1e-4});
  const auto more =
      solver.solve(View<const double>(right.view()), u.view(), {.tolerance = 1e-10, .full = false});
  EXPECT_LE(more.residuals.front(), 1e-4);
  EXPECT_EQ(more.end, GridSolution::End::converged);
  EXPECT_LT(more.cycles, 9);
}

TEST_P(Grids, FloatsConvergeAsFarAsTheyCan) {
  const GridProblem p = problem_of({12, 12, 12}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0");
  Queue queue(device());
  const Field<float> right(device(), Extents{12, 12, 12}), u(device(), Extents{12, 12, 12});
  fill_random(queue, right.elements(), 4);
  Multigrid<float> solver(queue, p);
  const auto how = solver.solve(View<const float>(right.view()), u.view(),
                                {.method = GridMethod::multigrid, .tolerance = 1e-12});
  EXPECT_EQ(how.end, GridSolution::End::converged);
  EXPECT_EQ(how.criterion, GridSolution::Criterion::rounding);
  EXPECT_LT(how.backward_error.value_or(1), 1.2e-7);
  EXPECT_LT(*std::min_element(how.residuals.begin(), how.residuals.end()), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Devices, Grids, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(Grid, RefusesWhatHasNoSolution) {
  const auto refused = [](Index3 n, const char* walls, double shift = 0) {
    Queue queue(Device("cpu"));
    EXPECT_THROW((void)Multigrid<double>(queue, problem_of(n, walls, {}, shift)), UsageError)
        << walls;
  };
  refused({8, 8, 8}, "x=periodic,y=periodic");
  refused({8, 2, 1}, "x=periodic,y=dirichlet:0");
  refused({8, 8, 1}, "x=periodic,y=dirichlet:0", -1);
  refused({1, 1, 1}, "untouched");
}

TEST(Grid, NamesTheFirstPointWhereACoefficientIsNotPositive) {
  Queue queue(Device("cpu"));
  const GridProblem p = problem_of({4, 3, 3}, "x=dirichlet:0,y=periodic,z=periodic");
  Multigrid<double> solver(queue, p);
  const Field<double> k(queue.device(), Extents{4, 3, 3});
  std::vector<double> values(36, 1.0);
  values[static_cast<std::size_t>(k.view().at(2, 1, 0))] = 0;
  const auto refused = [&] {
    copy_to_device(queue, k.data(), values.data(), k.count());
    try {
      solver.set_coefficient(View<const double>(k.view()));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused(), "the coefficient is 0 at x=2 y=1 z=0; it must be positive");
  values[static_cast<std::size_t>(k.view().at(3, 0, 0))] = std::nan("");
  EXPECT_EQ(refused(), "the coefficient is nan at x=3 y=0 z=0; it must be positive");
}

TEST(Grid, EveryCycleReducesAlikeAtEverySize) {
  for (const Index n : {33, 40}) {
    const GridProblem p = problem_of({n, n, n}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {}, 0);
    for (const Smoother smoother : {Smoother::chebyshev, Smoother::red_black}) {
      const Solved s =
          solved(Device("cpu"), p, random_numbers(n * n * n, 11), {.smoother = smoother});
      EXPECT_EQ(s.how.end, GridSolution::End::converged);
      EXPECT_LT(s.how.factor(), smoother == Smoother::chebyshev ? 0.13 : 0.1) << n;
    }
  }
}

} // namespace
} // namespace ridge::solve::of_grids
