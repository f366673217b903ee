// Half cycles in one pass against the passes that they consist of.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/tune/wisdom.hpp>

#include "../src/level.hpp"
#include "devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace ridge::solve::detail {
namespace {

using ridge::Field;

template <class T>
std::vector<T> on_host(Queue& queue, const Field<T>& field) {
  std::vector<T> all(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, all.data(), field.data(), field.count());
  queue.wait();
  return all;
}

template <class T>
void expect_alike(Queue& queue, const Field<T>& got, const Field<T>& wanted, const char* what) {
  const std::vector<T> a = on_host(queue, got);
  const std::vector<T> b = on_host(queue, wanted);
  double worst = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = difference <= worst ? worst : difference; // NaN counts
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  EXPECT_GT(size, 0) << what;
  EXPECT_LE(worst, 50 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size) << what;
}

template <class T>
struct Half {
  Queue& queue;
  Level<T> fine;
  Field<T> out, scratch;

  Half(Queue& on, const std::vector<Axis>& axes)
      : queue(on), fine(on, axes, T(0.01)), out(on.device(), fine.u.extents()),
        scratch(on.device(), fine.u.extents()) {
    fill_random(queue, fine.u.elements(), 1);
    fill_random(queue, fine.b.elements(), 2);
    poison(out);
  }
  /// Over a decade, and rough.
  void vary() {
    const Index3 n{fine.a.axes[0].points, fine.a.axes[1].points, fine.a.axes[2].points};
    const Field<T> k(queue.device(), Extents{n.x, n.y, n.z});
    std::vector<T> values(static_cast<std::size_t>(k.count()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(std::exp(1.2 * std::sin(0.7 * static_cast<double>(i * i % 101))));
    copy_to_device(queue, k.data(), values.data(), k.count());
    fine.k = Field<T>(queue.device(), Extents{n.x + 2, n.y + 2, n.z + 2});
    Surrounded<T> s;
    s.from = View<const T>(k.view());
    s.points = n;
    for (std::size_t d = 0; d < 3; ++d)
      s.is_periodic[d] = fine.axes[d].is_periodic;
    s.to = fine.k.elements();
    give(queue, s);
    queue.wait();
    fine.a.k = Span<const T>(fine.k.elements());
  }
  template <class V>
  void poison(const Field<V>& field) {
    fill_bytes(queue, field.data(), 0xff, Bytes{field.count() * static_cast<Index>(sizeof(V))});
  }
  void sweep(const Field<T>* from, const Field<T>& to, T weight) {
    Sweep<T> s;
    s.a = fine.a;
    if (from != nullptr) s.u = Span<const T>(from->elements());
    s.b = Span<const T>(fine.b.elements());
    s.out = to.elements();
    s.weight = weight;
    give(queue, s);
  }
  template <class Way>
  Way way(T first, T second, int tile) {
    Way w;
    w.a = fine.a;
    w.transfer = fine.steps;
    w.u = Span<const T>(fine.u.elements());
    w.b = Span<const T>(fine.b.elements());
    w.out = out.elements();
    w.weights[0] = first;
    w.weights[1] = second;
    w.alike = fine.alike;
    w.tile = tile;
    return w;
  }

  /// Of b - A u, beside those that a pass of their own gives.
  void expect_squares(const Field<double>& squares) {
    ASSERT_GT(fine.march.parts, 0);
    const auto sum = [&](const Field<double>& parts, Index step) {
      std::vector<double> all(static_cast<std::size_t>(parts.count()));
      copy_to_host(queue, all.data(), parts.data(), parts.count());
      queue.wait();
      double total = 0;
      for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(step))
        total += all[i];
      return total;
    };
    const Field<double> parts(queue.device(), Extents{14});
    Norms<T> norms;
    norms.a = fine.a;
    norms.u = Span<const T>(fine.u.elements());
    norms.b = Span<const T>(fine.b.elements());
    norms.sums = parts.elements();
    give(queue, norms);
    const double right = sum(parts, 2);
    EXPECT_NEAR(sum(squares, 1), right, right * (sizeof(T) == 8 ? 1e-12 : 1e-4));
  }

  void expect_down(const Level<T>& coarse, bool from_zero) {
    WayDown<T> down = way<WayDown<T>>(T(0.6), T(1.4), fine.march.tile);
    if (from_zero) down.u = {};
    poison(out);
    poison(coarse.other);
    down.coarse = coarse.other.elements();
    const bool counts = !from_zero && fine.a.k.size == 0;
    const Field<double> squares(queue.device(), Extents{std::max(fine.march.parts, 1)});
    poison(squares);
    if (counts) down.squares = squares.elements();
    give(queue, down);
    if (counts) expect_squares(squares);
    sweep(from_zero ? nullptr : &fine.u, fine.other, T(0.6));
    sweep(&fine.other, scratch, T(1.4));
    expect_alike(queue, out, scratch, "two sweeps down");
    Residual<T> r;
    r.a = fine.a;
    r.u = Span<const T>(scratch.elements());
    r.b = Span<const T>(fine.b.elements());
    r.out = fine.other.elements();
    give(queue, r);
    Restriction<T> restriction = fine.restriction(fine.other, coarse.b.elements());
    restriction.in_steps = false;
    give(queue, restriction);
    expect_alike(queue, coarse.other, coarse.b, "the restricted residual");
    poison(coarse.other);
    give(queue, fine.restriction(fine.other, coarse.other.elements()));
    expect_alike(queue, coarse.other, coarse.b, "restriction in steps");
  }
  void expect_up(const Level<T>& coarse) {
    fill_random(queue, coarse.u.elements(), 3);
    WayUp<T> up = way<WayUp<T>>(T(1.4), T(0.6), fine.march.up_tile);
    poison(out);
    up.coarse = Span<const T>(coarse.u.elements());
    give(queue, up);
    give(queue, Interpolation<T>{fine.transfer, Span<const T>(coarse.u.elements()),
                                 fine.u.elements(), true});
    sweep(&fine.u, fine.other, T(1.4));
    sweep(&fine.other, scratch, T(0.6));
    expect_alike(queue, out, scratch, "the way up");
  }
};

template <class T>
void expect_marches(Queue& queue, const GridProblem& problem, bool from_zero, bool varies,
                    bool needs_cells = false) {
  std::vector<Axis> axes;
  for (int d = 0; d < 3; ++d)
    axes.push_back(finest_axis(problem, d));
  const std::vector<bool> chosen = coarsened_axes(axes);
  std::vector<Coarsening> ways;
  for (std::size_t d = 0; d < 3; ++d)
    ways.push_back(chosen[d] ? coarsened(axes[d]) : kept(axes[d]));
  Half<T> half(queue, axes);
  const std::optional<WholeLevel> whole = WholeLevel::of(axes, ways);
  half.fine.add_transfer(queue, ways, whole);
  ASSERT_TRUE(half.fine.is_in_steps);
  if (varies) half.vary();
  for (std::size_t d = 0; d < 3; ++d)
    axes[d] = ways[d].axis;
  const Level<T> coarse(queue, axes, T(0.01));
  const bool is_in_cells = whole->is_alike && chosen[0] && chosen[1] && chosen[2];
  ASSERT_TRUE(is_in_cells || !needs_cells);
  const int tiles = varies ? 1 : is_in_cells ? 3 : 2;
  for (int tile = 0; tile < tiles; ++tile) {
    SCOPED_TRACE(tile);
    half.fine.march = half.fine.choice(queue.device(), {tile_of(tile), tile_of(tile)});
    ASSERT_EQ(half.fine.march.tile, tile);
    ASSERT_EQ(half.fine.march.up_tile, tile);
    half.expect_down(coarse, from_zero);
    half.expect_up(coarse);
  }
}

class Marches : public ::testing::TestWithParam<std::string> {};

TEST_P(Marches, GiveWhatTheirPartsGive) {
  Queue queue{Device(parse_device(GetParam()))};
  struct Case {
    Index3 n;
    const char* walls;
    stencil::Spacing h;
  };
  const Case cases[] = {
      {{7, 103, 9}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {}},
      {{68, 30, 8}, "x=periodic,y=mirror,z-=neumann:0,z+=dirichlet:0", {}},
      {{14, 23, 31}, "x=neumann:0,y-=mirror,y+=dirichlet:0,z=mirror", {1, 1.2, 0.9}},
      {{13, 4, 12}, "x=dirichlet:0,y=periodic,z=periodic", {1, 0.2, 1}}, // y alone is halved
      {{41, 1, 13}, "x=mirror,z=neumann:0", {0.5, 1, 0.5}},
      {{3, 3, 11}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {}},
      {{6, 5, 17}, "x=periodic,y=neumann:0,z=dirichlet:0", {1, 1, 9}},            // z is not
      {{70, 41, 13}, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", {1, 1.1, 0.9}}, // all weigh alike
  };
  bool from_zero = false;
  for (const Case& c : cases) {
    GridProblem problem{c.n, stencil::parse_boundaries(c.walls), 0};
    problem.boundaries.spacing = c.h;
    SCOPED_TRACE(c.walls);
    from_zero = !from_zero;
    expect_marches<double>(queue, problem, from_zero, false);
    expect_marches<double>(queue, problem, !from_zero, true);
    if (c.n.x == 70) expect_marches<float>(queue, problem, false, false);
    if (c.n.x == 14) {
      expect_marches<float>(queue, problem, false, false);
      expect_marches<float>(queue, problem, false, true);
    }
  }
}

/// Each kind of tile has three blocks along x and y. The middle one touches no face there.
TEST_P(Marches, GiveWhatTheirPartsGiveInBlocksThatTouchNoFace) {
  Queue queue{Device(parse_device(GetParam()))};
  GridProblem problem{{119, 91, 7},
                      stencil::parse_boundaries("x=dirichlet:0,y=dirichlet:0,z=dirichlet:0")};
  expect_marches<double>(queue, problem, false, false);
  expect_marches<float>(queue, problem, true, false);
  expect_marches<float>(queue, problem, true, true);
}

TEST_P(Marches, GoRoundPeriodicAxesThatWeighAlike) {
  Queue queue{Device(parse_device(GetParam()))};
  GridProblem problem{{66, 34, 12}, stencil::parse_boundaries("x=periodic,y=periodic,z=periodic")};
  problem.boundaries.spacing = {1, 0.9, 1.1};
  expect_marches<double>(queue, problem, false, false);
  problem.extents.y = 50; // two tiles of fp32
  expect_marches<float>(queue, problem, true, false);
}

TEST_P(Marches, ComputeAgainWhatMirrorsShow) {
  Queue queue{Device(parse_device(GetParam()))};
  GridProblem problem{{69, 41, 13},
                      stencil::parse_boundaries("x=neumann:0,y=neumann:0,z=neumann:0")};
  problem.boundaries.spacing = {1, 1.1, 0.9};
  expect_marches<double>(queue, problem, false, false, true);
  expect_marches<float>(queue, problem, true, false, true);
  problem.extents = {71, 50, 12};
  problem.boundaries = stencil::parse_boundaries(
      "x-=dirichlet:0,x+=neumann:0,y-=neumann:0,y+=dirichlet:0,z-=neumann:0,z+=dirichlet:0");
  expect_marches<double>(queue, problem, true, false, true);
  expect_marches<float>(queue, problem, false, false, true);
  // Of 70 points between mirrors the last coarse ones lie one apart.
  const GridProblem even{{70, 41, 13},
                         stencil::parse_boundaries("x=neumann:0,y=neumann:0,z=neumann:0")};
  const Axis x = finest_axis(even, 0);
  EXPECT_TRUE(x.is_uniform());
  EXPECT_FALSE(weighs_alike(x, coarsened(x)));
}

std::vector<std::string> devices_that_march() {
  std::vector<std::string> all = ridge::test::devices_here();
  std::erase_if(all, [](const std::string& name) {
    return find_offer(parse_device(name).kind, typeid(WayDown<double>)) == nullptr;
  });
  return all;
}

/// Residuals that each of two cycles leaves.
std::vector<double> left_by(Multigrid<double>& solver, const Field<double>& f,
                            const CycleSchedule& schedule) {
  solver.begin(View<const double>(f.view()));
  std::vector<double> all;
  for (int i = 0; i < 2; ++i) {
    solver.give_cycle(schedule);
    all.push_back(solver.relative_residual());
  }
  return all;
}

/// On a level whose points weigh alike, of which there are just enough.
TEST_P(Marches, ConvergeAlikeUnderEveryTile) {
  Queue queue{Device(parse_device(GetParam()))};
  const GridProblem problem{
      {27, 21, 19}, stencil::parse_boundaries("x=dirichlet:0,y=dirichlet:0,z=dirichlet:0"), 0};
  Multigrid<double> solver(queue, problem);
  const Field<double> f(queue.device(), Extents{27, 21, 19});
  fill_random(queue, f.elements(), 5);
  const std::vector<double> apart = left_by(solver, f, {.march_from = 64'000});
  EXPECT_EQ(solver.tiles(), "");
  EXPECT_LT(apart[1] / apart[0], 0.15);
  std::optional<std::vector<double>> of_rows;
  for (const char* const tiles : {"auto/auto", "large/large", "small/small", "cells/cells",
                                  "large/small", "small/cells", "cells/large"}) {
    SCOPED_TRACE(tiles);
    const std::string asked = tiles;
    const std::size_t middle = asked.find('/');
    CycleSchedule s{.march_from = 8'000};
    ASSERT_TRUE(text::value_from_text(asked.substr(0, middle), s.down));
    ASSERT_TRUE(text::value_from_text(asked.substr(middle + 1), s.up));
    const std::vector<double> left = left_by(solver, f, s);
    if (s.down == MarchTile::automatic) {
      EXPECT_NE(solver.tiles(), "");
    } else {
      EXPECT_EQ(solver.tiles(), asked);
    }
    for (std::size_t i = 0; i < left.size(); ++i)
      EXPECT_NEAR(left[i], apart[i], 1e-12 * apart[i]);
    // Tiles of rows compute a point by the same sums, wherever their edges lie.
    const bool has_cells = solver.tiles().find("cells") != std::string::npos;
    if (has_cells || !facts_of(queue.device()).is_emulated) continue;
    EXPECT_EQ(left, of_rows.value_or(left));
    of_rows = left;
  }
  EXPECT_TRUE(of_rows || !facts_of(queue.device()).is_emulated);
}

/// As many steps of a block, or fewer, decide; and what is asked for where there is room for it.
TEST_P(Marches, TakeTheTileThatIsKnownToBeFastest) {
  const Device device(parse_device(GetParam()));
  const auto chosen = [&](const MarchFits& fits, const MarchSchedule& s, Index3 n) {
    const MarchChoice c = march_choice(fits, s, n, 4, device);
    return text::value_to_text(tile_of(c.tile)) + "/" + text::value_to_text(tile_of(c.up_tile));
  };
  const Index3 n{300, 300, 300};
  const MarchFits alike{{100, 100, 100}, {100, 100, 100}, {7, 8, 9}, true};
  EXPECT_EQ(chosen(alike, {}, n), "cells/cells");
  EXPECT_EQ(chosen({{100, 120, 140}, {100, 96, 105}, {}, true}, {}, n), "large/small");
  EXPECT_EQ(chosen({{100, 100, 0}, {100, 100, 0}, {}, true}, {}, n), "small/large");
  EXPECT_EQ(chosen(alike, {MarchTile::large, MarchTile::small, 0}, n), "large/small");
  EXPECT_EQ(chosen({{100, 100, 0}, {100, 100, 0}, {}, true}, {MarchTile::cells}, n), "small/large");
  EXPECT_EQ(march_choice(alike, {MarchTile::small}, n, 8, device).parts, 8);
  EXPECT_TRUE(march_choice(alike, {}, n, 8, device).plain);
  EXPECT_FALSE(march_choice(alike, {}, {3000, 3000, 7}, 8, device).plain);
  EXPECT_FALSE(march_choice(alike, {.march_from = 4'000'000}, {100, 200, 199}, 8, device).plain);
  EXPECT_TRUE(march_choice(alike, {.march_from = 4'000'000}, {100, 200, 200}, 8, device).plain);
  EXPECT_FALSE(march_choice({}, {}, n, 8, device).plain);
}

TEST_P(Marches, AreLaidByWisdomAndRefusedWhereNoLevelTakesThem) {
  const std::string file = ::testing::TempDir() + "multigrid_wisdom_" + GetParam();
  std::remove(file.c_str());
  setenv("RIDGE_WISDOM", file.c_str(), 1);
  Queue queue{Device(parse_device(GetParam()))};
  const char* const walls = "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0";
  Multigrid<double> solver(queue, {{33, 25, 21}, stencil::parse_boundaries(walls), 0});
  EXPECT_EQ(solver.lay("auto"), "default");
  tune::Finding found;
  found.key = tune::key_of(queue.device(),
                           {&typeid(Multigrid<double>), "multigrid", "fp64", Extents{33, 25, 21}});
  found.schedule = text::print(
      CycleSchedule{.down = MarchTile::small, .up = MarchTile::large, .march_from = 8'000});
  found.seconds = 1e-3;
  tune::Wisdom::here().keep(found);
  EXPECT_EQ(solver.lay("auto"), "wisdom");
  EXPECT_EQ(solver.tiles(), "small/large");
  EXPECT_EQ(solver.lay("down=large up=small march_from=8000"), "");
  EXPECT_EQ(solver.tiles(), "large/small");
  const auto refusal = [](Multigrid<double>& by, const char* schedule) -> std::string {
    try {
      (void)by.lay(schedule);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  const auto says = [](const char* what) { return ::testing::HasSubstr(what); };
  EXPECT_THAT(refusal(solver, "down=64x24"), says("expected auto, large, small, cells"));
  EXPECT_THAT(refusal(solver, "cycle=w"), says("of a solve it says down, up and march_from"));
  EXPECT_THAT(refusal(solver, "down=small march_from=4000000"), says("none has a pass by that"));
  EXPECT_EQ(solver.tiles(), "large/small"); // as it was
  Multigrid<double> uneven(
      queue, {{33, 25, 21}, stencil::parse_boundaries("x=mirror,y=dirichlet:0,z=neumann:0"), 0});
  EXPECT_THAT(refusal(uneven, "up=cells"), says("none has a pass by that tile"));
  Queue cpu{Device("cpu")};
  Multigrid<double> on_cpu(cpu, {{33, 25, 21}, stencil::parse_boundaries(walls), 0});
  EXPECT_THAT(refusal(on_cpu, "down=small"), says("on cpu there is none such"));
  EXPECT_EQ(on_cpu.lay("auto"), "default");
  std::remove(file.c_str());
}

INSTANTIATE_TEST_SUITE_P(Devices, Marches, ::testing::ValuesIn(devices_that_march()),
                         ridge::test::DeviceName{});

TEST(Steps, AreRefusedWhereAPointReachesFurther) {
  GridProblem problem{{15, 16, 14}, stencil::parse_boundaries("x=periodic,y=mirror,z=periodic"), 0};
  const Axis odd = finest_axis(problem, 0);
  EXPECT_FALSE(steps_of(odd, coarsened(odd)).has_value());
  EXPECT_TRUE(steps_of(odd, kept(odd)).has_value());
  // The last point of 16 between mirrors stays, one behind its neighbour.
  const Axis mirrors = finest_axis(problem, 1);
  const auto steps = steps_of(mirrors, coarsened(mirrors));
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(steps->first, 0);
  EXPECT_EQ(steps->taken.size(), 3u * 9);
  EXPECT_GT(steps->taken[3 * 8], 0); // lies at 15, where 16 would be its place
  EXPECT_EQ(steps->taken[3 * 8 + 1], 0);
}

} // namespace
} // namespace ridge::solve::detail
