// One solver for equations and stencils: all give the same solution of the same problem.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/grid/solver.hpp>
#include <ridge/stencil/laplacian.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ridge::solve::of_solvers {
namespace {

using ridge::Field;

class Solvers : public ::testing::TestWithParam<std::string> {};

template <class T>
std::vector<T> on_host(Queue& queue, const Field<T>& field) {
  std::vector<T> all(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, all.data(), field.data(), field.count());
  queue.wait();
  return all;
}

/// The solution of Op(u) = f between dirichlet and periodic faces.
template <class T, class Op>
std::vector<T> solved(Queue& queue, Solver<Op>& solver, Index3 n) {
  const Field<T> f(queue.device(), Extents{n.x, n.y, n.z});
  const Field<T> u(queue.device(), f.extents());
  fill_random(queue, f.elements(), 7);
  fill_bytes(queue, u.data(), 0xff, Bytes{u.count() * static_cast<Index>(sizeof(T))});
  const GridSolution how = solver.solve(f.view(), u.view());
  EXPECT_EQ(how.end, GridSolution::End::converged);
  return on_host(queue, u);
}

template <class T>
void expect_alike(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double worst = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = difference <= worst ? worst : difference; // NaN counts
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  EXPECT_GT(size, 0.1);
  EXPECT_LE(worst, tolerance * size);
}

TEST_P(Solvers, OfEquationsAndStencilsAgree) {
  Queue queue{Device(parse_device(GetParam()))};
  stencil::Boundaries walls = stencil::parse_boundaries("x=dirichlet:1,y=periodic,z=dirichlet:-1");
  walls.spacing = {1, 0.8, 1.25};
  const GridOptions exactly{.method = GridMethod::multigrid, .tolerance = 1e-11};
  stencil::Solver poisson(queue, Poisson{}, walls, exactly);
  stencil::Solver own(queue, stencil::Laplacian<2, 3>(walls.spacing), walls,
                      {.tolerance = 1e-10, .most_cycles = 1000});
  for (const Index3 n : {Index3{9, 8, 7}, Index3{7, 12, 10}}) { // other extents, too
    const std::vector<double> wanted = solved<double>(queue, poisson, n);
    expect_alike(solved<double>(queue, own, n), wanted, 1e-8);
    const Field<double> k(queue.device(), Extents{n.x, n.y, n.z});
    const std::vector<double> ones(static_cast<std::size_t>(k.count()), 1.0);
    copy_to_device(queue, k.data(), ones.data(), k.count());
    Solver varying(queue, VaryingPoisson<double>{View<const double>(k.view())}, walls,
                   {.tolerance = 1e-11});
    expect_alike(solved<double>(queue, varying, n), wanted, 1e-8);
  }
  Solver shifted(queue, Poisson{.shift = 2, .order = 4}, walls, {.tolerance = 1e-5});
  EXPECT_EQ(solved<float>(queue, shifted, {9, 10, 11}).size(), 990U);
}

TEST_P(Solvers, RefuseWhatHasNoSolution) {
  Queue queue{Device(parse_device(GetParam()))};
  Solver solver(queue, Poisson{}, stencil::parse_boundaries("x=periodic,y=periodic,z=periodic"));
  const Field<double> f(queue.device(), Extents{8, 8, 8});
  const std::vector<double> ones(512, 1.0);
  copy_to_device(queue, f.data(), ones.data(), f.count());
  const Field<double> u(queue.device(), f.extents());
  EXPECT_THROW((void)solver.solve(f.view(), u.view()), UsageError);
  fill_bytes(queue, f.data(), 0, Bytes{512 * 8}); // balances
  EXPECT_EQ(solver.solve(f.view(), u.view()).end, GridSolution::End::converged);
}

INSTANTIATE_TEST_SUITE_P(Devices, Solvers, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::solve::of_solvers
