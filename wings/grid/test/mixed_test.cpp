// Cycles in fp32 for residuals in fp64, beside cycles in fp64.
#include <ridge/core/error.hpp>

#include "devices.hpp"
#include "grid_support.hpp"

#include <gtest/gtest.h>

namespace ridge::solve::of_grids {
namespace {

class Mixed : public ::testing::TestWithParam<std::string> {
protected:
  [[nodiscard]] static Device device() { return Device(parse_device(GetParam())); }
};

GridOptions cycles_in(CyclePrecision precision) {
  return {.method = GridMethod::multigrid, .project = true, .precision = precision};
}

TEST_P(Mixed, CyclesReachWhatThoseInFp64DoInAboutAsMany) {
  const struct {
    Index3 n;
    const char* walls;
    stencil::Spacing h = {};
    double shift = 0;
    double scale = 1; // of the right-hand side
  } cases[] = {
      {{25, 25, 25}, "x=dirichlet:1,y=dirichlet:0,z=dirichlet:-1"},
      {{22, 16, 13}, "x=periodic,y-=dirichlet:1,y+=neumann:2,z=mirror", {1, 0.3, 4}},
      {{16, 15, 13}, "x=periodic,y=periodic,z=periodic"},
      {{13, 14, 15}, "x=neumann:0,y=mirror,z=neumann:0", {0.01, 0.01, 0.01}, 0, 1e-120},
      {{30, 21, 7}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {1e4, 1e4, 3e4}, 1e-6, 1e100},
      {{60, 45, 1}, "x=dirichlet:0,y=neumann:0"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.walls);
    const GridProblem p = problem_of(c.n, c.walls, c.h, c.shift);
    std::vector<double> f = random_numbers(c.n.x * c.n.y * c.n.z, 31);
    for (double& number : f)
      number *= c.scale;
    const Solved wide = solved(device(), p, f, cycles_in(CyclePrecision::fp64));
    const Solved mixed = solved(device(), p, f, cycles_in(CyclePrecision::mixed));
    EXPECT_EQ(mixed.how.end, GridSolution::End::converged) << mixed.how.residual();
    EXPECT_LE(mixed.how.residual(), 1e-10);
    EXPECT_LE(mixed.how.cycles, wide.how.cycles + 2);
    EXPECT_EQ(mixed.how.narrow_cycles, mixed.how.cycles);
    EXPECT_EQ(mixed.how.residuals.size(), static_cast<std::size_t>(mixed.how.cycles) + 1);
    EXPECT_EQ(mixed.how.method(), wide.how.method() + " in fp32");
    double off = 0;
    double size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      off = std::max(off, std::isnan(mixed.u[i]) ? 1e300 : std::abs(mixed.u[i] - wide.u[i]));
      size = std::max(size, std::abs(wide.u[i]));
    }
    EXPECT_LT(off, 1e-7 * size);
  }
}

TEST_P(Mixed, CyclesGoOnFromAGuessAndStopWhereTheyAreTold) {
  const GridProblem p = problem_of({18, 17, 19}, "x=dirichlet:1,y=neumann:0,z=dirichlet:0");
  const std::vector<double> f = random_numbers(18 * 17 * 19, 33);
  Queue queue(device());
  const Field<double> right(queue.device(), Extents{18, 17, 19}),
      u(queue.device(), right.extents());
  copy_to_device(queue, right.data(), f.data(), right.count());
  fill_bytes(queue, u.data(), 0xff, Bytes{u.count() * 8});
  Multigrid<double> solver(queue, p);
  const auto solve = [&](GridOptions options) {
    return solver.solve(View<const double>(right.view()), u.view(), options);
  };
  GridOptions options = cycles_in(CyclePrecision::mixed);
  options.progress = [](int cycle, double) { return cycle < 2; };
  const GridSolution stopped = solve(options);
  EXPECT_EQ(stopped.end, GridSolution::End::stopped);
  EXPECT_EQ(stopped.cycles, 2);
  options.progress = {};
  options.full = false;
  options.most_cycles = 1;
  const GridSolution one = solve(options);
  EXPECT_EQ(one.end, GridSolution::End::cycles);
  EXPECT_NEAR(one.residuals.front() / stopped.residual(), 1, 1e-6); // u is what it says
  EXPECT_LT(one.residual(), 0.3 * stopped.residual());
  // In fp64 where arrays have changed their places, and mixed again.
  options.most_cycles = {};
  for (const CyclePrecision precision :
       {CyclePrecision::fp64, CyclePrecision::mixed, CyclePrecision::fp64, CyclePrecision::mixed}) {
    options.precision = precision;
    options.full = true;
    EXPECT_EQ(solve(options).end, GridSolution::End::converged);
    Solved s{{}, on_host(queue, u)};
    EXPECT_LT(misfit(p, s, f), 1e-8);
    options.full = false;
    EXPECT_EQ(solve(options).cycles, 0);
  }
}

TEST_P(Mixed, CyclesGiveWayToFp64WhereTheyGainTooLittle) {
  // A line of which fp32's rounding leaves more than is there.
  const GridProblem p = problem_of({20001, 1, 1}, "x=dirichlet:0");
  std::vector<double> f(20001);
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] = std::sin(3e-4 * static_cast<double>(i));
  const Solved wide = solved(device(), p, f, cycles_in(CyclePrecision::fp64));
  const Solved mixed = solved(device(), p, f, cycles_in(CyclePrecision::mixed));
  EXPECT_EQ(wide.how.end, GridSolution::End::converged);
  EXPECT_EQ(mixed.how.end, GridSolution::End::converged);
  EXPECT_LT(mixed.how.narrow_cycles, mixed.how.cycles);
  EXPECT_LE(mixed.how.residual(), 2 * wide.how.residual());
}

TEST_P(Mixed, CyclesAreRefusedWhereThereAreNone) {
  const GridProblem p = problem_of({9, 10, 11}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0");
  const std::vector<double> f = random_numbers(990, 34);
  const std::vector<double> k(990, 2);
  GridOptions options = cycles_in(CyclePrecision::mixed);
  EXPECT_THROW((void)solved<float>(device(), p, f, options), UsageError);
  EXPECT_THROW((void)solved(device(), p, f, options, k), UsageError);
  options.reproducible = true;
  EXPECT_THROW((void)solved(device(), p, f, options), UsageError);
  options.reproducible = false;
  options.method = GridMethod::conjugate_gradients;
  EXPECT_THROW((void)solved(device(), p, f, options), UsageError);
  options = cycles_in(CyclePrecision::mixed);
  EXPECT_THROW(
      (void)solved(device(),
                   problem_of(p.extents, "x=dirichlet:0,y=periodic,z=mirror", {1e-20, 1, 1}), f,
                   options),
      UsageError);
}

/// Cycles count what is left in their first sweep.
TEST_P(Mixed, ResidualsOfCyclesAreThoseOfTheirSolutions) {
  const GridProblem p = problem_of({41, 12, 11}, "x=dirichlet:0,y=dirichlet:0,z=mirror");
  const std::vector<double> f = random_numbers(41 * 12 * 11, 36);
  Queue queue(device());
  const auto check = [&]<class T>(T) {
    const Field<T> right(queue.device(), Extents{41, 12, 11}), u(queue.device(), right.extents());
    const std::vector<T> values(f.begin(), f.end());
    copy_to_device(queue, right.data(), values.data(), right.count());
    Multigrid<T> solver(queue, p);
    for (const Smoother smoother : {Smoother::chebyshev, Smoother::red_black}) {
      fill_bytes(queue, u.data(), 0, Bytes{u.count() * static_cast<Index>(sizeof(T))});
      const auto solve = [&](int cycles) {
        return solver.solve(View<const T>(right.view()), u.view(),
                            {.method = GridMethod::multigrid,
                             .tolerance = 1e-4,
                             .most_cycles = cycles,
                             .full = false,
                             .smoother = smoother});
      };
      const GridSolution first = solve(2);
      EXPECT_NEAR(first.residuals.front(), 1, 1e-5);
      EXPECT_NEAR(first.residual() / solve(0).residual(), 1, 1e-2); // which gives no sweep
    }
  };
  check(double());
  check(float());
}

TEST(MixedCycles, AreTheDefaultOfLargeGrids) {
  const Device device(parse_device("cpu"));
  const Index n = 104;
  const GridProblem p = problem_of({n, n, n}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0");
  const std::vector<double> f = random_numbers(n * n * n, 35);
  GridOptions options{.method = GridMethod::multigrid, .tolerance = 1e-6};
  const Solved s = solved(device, p, f, options);
  EXPECT_EQ(s.how.end, GridSolution::End::converged);
  EXPECT_EQ(s.how.method(), "multigrid V(1,1) red-black in fp32");
  options.reproducible = true;
  options.most_cycles = 1;
  EXPECT_EQ(solved(device, p, f, options).how.narrow_cycles, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, Mixed, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::solve::of_grids
