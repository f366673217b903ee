// Masks on all faces, and conjugate gradients where masks and jumps of k make them slow.
#include <ridge/core/error.hpp>

#include "devices.hpp"
#include "grid_support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ridge::solve::of_grids {
namespace {

/// Neighbours of point i in the field, those over periodic faces, too.
std::vector<std::size_t> neighbours(const GridProblem& p, std::size_t i) {
  const std::array<Index, 3> n{p.extents.x, p.extents.y, p.extents.z};
  const std::array<Index, 3> strides{1, n[0], n[0] * n[1]};
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < 3; ++d) {
    const Index at = static_cast<Index>(i) / strides[d] % n[d];
    const bool goes_round = p.boundaries.faces[d][0].kind == Boundary::periodic;
    for (const Index way : {-1, 1}) {
      Index there = at + way;
      if (n[d] == 1 || (!goes_round && (there < 0 || there >= n[d]))) continue;
      there = (there + n[d]) % n[d];
      all.push_back(static_cast<std::size_t>(static_cast<Index>(i) + (there - at) * strides[d]));
    }
  }
  return all;
}

/// Masks all but the points that can be reached from faces that hold values, or where there are
/// none the largest region.
void keep_one_part(const GridProblem& p, std::vector<double>& mask) {
  // NaN on dirichlet faces.
  const std::vector<double> of_zeros = applied(p, std::vector<double>(mask.size(), 0.0));
  std::vector<int> region(mask.size(), -1);
  std::vector<int> sizes;
  std::vector<bool> is_held;
  for (std::size_t first = 0; first < mask.size(); ++first) {
    if (mask[first] != 0 || region[first] >= 0 || std::isnan(of_zeros[first])) continue;
    std::vector<std::size_t> open{first};
    region[first] = static_cast<int>(sizes.size());
    sizes.push_back(0);
    is_held.push_back(false);
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      ++sizes.back();
      for (const std::size_t other : neighbours(p, i)) {
        if (mask[other] != 0 || region[other] >= 0) continue;
        if (std::isnan(of_zeros[other])) {
          is_held.back() = true;
          continue;
        }
        region[other] = region[first];
        open.push_back(other);
      }
    }
  }
  const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (region[i] < 0) continue;
    const bool stays = p.is_singular() ? region[i] == static_cast<int>(largest)
                                       : bool(is_held[static_cast<std::size_t>(region[i])]);
    if (!stays) mask[i] = 1;
  }
}

std::vector<double> random_mask(const GridProblem& p, double part, unsigned seed) {
  std::vector<double> mask = random_numbers(p.extents.x * p.extents.y * p.extents.z, seed);
  for (double& m : mask)
    m = m < 2 * part - 1 ? 1 : 0;
  if (!(p.shift > 0)) keep_one_part(p, mask);
  return mask;
}

/// k over so many decades, from point to point.
std::vector<double> jumps(const GridProblem& p, double decades, unsigned seed) {
  std::vector<double> k = random_numbers(p.extents.x * p.extents.y * p.extents.z, seed);
  for (double& one : k)
    one = std::pow(10, decades / 2 * one);
  return k;
}

/// f without its mean over points that are not masked; no face halves volumes.
std::vector<double> balanced(std::vector<double> f, const std::vector<double>& mask) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!mask.empty() && mask[i] != 0) continue;
    sum += f[i];
    ++count;
  }
  for (double& one : f)
    one -= sum / count;
  return f;
}

class GridMasks : public ::testing::TestWithParam<std::string> {
protected:
  [[nodiscard]] static Device device() { return Device(parse_device(GetParam())); }
};

TEST_P(GridMasks, LetNothingFlowOnAnyFace) {
  struct Case {
    Index3 n;
    const char* walls;
    double shift;
  };
  const Case cases[] = {
      {{9, 1, 1}, "x-=dirichlet:3,x+=dirichlet:1", 0},
      {{9, 1, 1}, "x-=dirichlet:3,x+=neumann:0.5", 0.1},
      {{8, 9, 1}, "x-=dirichlet:3,x+=dirichlet:1,y-=dirichlet:-2,y+=dirichlet:0.5", 0},
      {{8, 9, 1}, "x-=dirichlet:3,x+=neumann:0.5,y-=mirror,y+=dirichlet:-2", 0},
      {{9, 8, 1}, "x=periodic,y-=neumann:-0.7,y+=dirichlet:-2", 0},
      {{7, 6, 8}, "x-=dirichlet:3,x+=dirichlet:1,y-=neumann:0.3,y+=dirichlet:2,z=dirichlet:1", 0},
      {{7, 6, 8}, "x-=mirror,x+=neumann:-0.4,y=periodic,z-=dirichlet:1,z+=dirichlet:2", 0},
      {{7, 6, 8}, "x=neumann:0.2,y-=mirror,y+=dirichlet:3,z=periodic", 0.05},
      {{12, 11, 9}, "x-=dirichlet:3,x+=dirichlet:1,y-=dirichlet:1,y+=neumann:1,z=dirichlet:2", 0},
  };
  for (const Case& c : cases) {
    const GridProblem p = problem_of(c.n, c.walls, {0.5, 0.75, 0.6}, c.shift);
    for (const bool varies : {false, true}) {
      const std::vector<double> f = random_numbers(c.n.x * c.n.y * c.n.z, 3);
      std::vector<double> mask = random_mask(p, 0.25, 41);
      mask[0] = 1; // a corner
      if (c.shift == 0) keep_one_part(p, mask);
      const std::vector<double> k = varies ? jumps(p, 1, 5) : std::vector<double>{};
      for (const GridMethod method : {GridMethod::multigrid, GridMethod::conjugate_gradients}) {
        SCOPED_TRACE(std::string(c.walls) + (varies ? " k" : "") +
                     (method == GridMethod::multigrid ? " multigrid" : " cg"));
        const bool is_large = c.n.x == 12; // cycles alone gain too little, and emulation is slow
        if (is_large && (method == GridMethod::multigrid || GetParam() != "cpu")) continue;
        const Solved s = solved(device(), p, f, {.method = method}, k, mask);
        EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
        EXPECT_LT(misfit(p, s, f, k, mask), 1e-8);
        const Solved narrow =
            solved<float>(device(), p, f, {.method = method, .tolerance = 1e-5}, k, mask);
        EXPECT_EQ(narrow.how.end, GridSolution::End::converged) << narrow.how.residual();
        double size = 0;
        for (const double u : s.u)
          size = std::max(size, std::abs(u));
        for (std::size_t i = 0; i < s.u.size(); ++i) {
          ASSERT_NEAR(narrow.u[i], s.u[i], 1e-3 * size) << i;
          ASSERT_TRUE(mask[i] == 0 || s.u[i] == 0) << i;
        }
      }
    }
  }
}

TEST_P(GridMasks, TakeTheValuesOffTheirPointsOfAFace) {
  const GridProblem p = problem_of({5, 1, 1}, "x-=dirichlet:3,x+=dirichlet:2");
  const std::vector<double> f(5, 0.0);
  const Solved s = solved(device(), p, f, {}, {}, {1, 0, 0, 0, 0});
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(s.u[i], i == 0 ? 0 : 2, 1e-12) << i;
  GridProblem of_fields = problem_of({4, 3, 1}, "x-=dirichlet:0,x+=dirichlet:2,y=mirror");
  of_fields.boundaries.faces[0][0].field = "walls.h5:/u";
  of_fields.boundaries.faces[0][0].values = {1e36, 5,
                                             7}; // where nothing is, as oceans' files have it
  std::vector<double> mask(12, 0.0);
  mask[0] = 1;
  const std::vector<double> g = random_numbers(12, 6);
  const Solved t = solved(device(), of_fields, g, {}, {}, mask);
  EXPECT_EQ(t.u[0], 0);
  EXPECT_EQ(t.u[4], 5);
  EXPECT_EQ(t.u[8], 7);
  EXPECT_LT(misfit(of_fields, t, g, {}, mask), 1e8); // finite
  GridProblem alike = of_fields;
  alike.boundaries.faces[0][0].values = {-1, 5, 7};
  EXPECT_EQ(solved(device(), alike, g, {}, {}, mask).u, t.u);
}

TEST_P(GridMasks, FixSinglePointsByTheShiftAlone) {
  const GridProblem p = problem_of({7, 6, 1}, "x=dirichlet:1,y=neumann:0", {}, 1e-6);
  std::vector<double> mask(42, 1.0);
  mask[24] = 0;
  const std::vector<double> f = random_numbers(42, 6);
  EXPECT_NEAR(solved(device(), p, f, {}, {}, mask).u[24], -1e6 * f[24], 1e-4);
  EXPECT_NEAR(solved<float>(device(), p, f, {.tolerance = 1e-5}, {}, mask).u[24] * 1e-6, -f[24],
              1e-5);
}

TEST_P(GridMasks, NameWhatNoFaceFixes) {
  // All points of the face are masked, or those beside a part.
  const GridProblem p = problem_of({4, 3, 1}, "x-=dirichlet:1,x+=neumann:0,y=mirror");
  const std::vector<double> f(12, 0.0);
  std::vector<double> mask(12, 0.0);
  for (const std::size_t i : {0U, 4U, 8U})
    mask[i] = 1;
  EXPECT_THROW((void)solved(device(), p, f, {}, {}, mask), UsageError);
  mask[4] = 0;
  EXPECT_NO_THROW((void)solved(device(), p, f, {}, {}, mask));
  EXPECT_THROW((void)solved(device(), p, f, {}, {}, std::vector<double>(12, 1.0)), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Devices, GridMasks, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(GridGradients, ConvergeWithMasksOfRandomPoints) {
  for (const char* walls : {"x=dirichlet:0,y=neumann:0", "x=mirror,y=mirror"}) {
    const GridProblem p = problem_of({24, 30, 1}, walls, {1, 0.1, 1});
    for (unsigned seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(std::string(walls) + " seed " + std::to_string(seed));
      const std::vector<double> mask = random_mask(p, 0.3, seed);
      for (const double decades : {0.0, 4.0, 6.0}) {
        if (decades > 4 && !p.is_singular()) continue; // u itself is not known to fp64 there
        const std::vector<double> k = jumps(p, decades, seed + 10);
        std::vector<double> f = random_numbers(720, seed + 20);
        if (p.is_singular()) f = balanced(f, mask);
        const Solved s = solved(Device("cpu"), p, f, {}, k, mask);
        EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
        EXPECT_LT(misfit(p, s, f, k, mask), decades > 4 ? 1e-7 : 1e-8) << s.how.cycles;
        if (decades > 4) continue;
        RecordProperty("cycles", s.how.cycles);
        EXPECT_LT(s.how.cycles, 850); // conjugate gradients with the diagonal alone
      }
    }
  }
}

TEST(GridGradients, ConvergeWithJumpsOfManyDecades) {
  for (const char* walls : {"x=dirichlet:0,y=dirichlet:0", "x=mirror,y=periodic"}) {
    const GridProblem p = problem_of({24, 30, 1}, walls, {1, 0.1, 1});
    for (const double decades : {6.0, 8.0}) {
      SCOPED_TRACE(std::string(walls) + " " + std::to_string(decades));
      const std::vector<double> k = jumps(p, decades, 9);
      std::vector<double> f = random_numbers(720, 29);
      if (p.is_singular()) f = balanced(f, {});
      const Solved s = solved(Device("cpu"), p, f, {}, k);
      EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
      EXPECT_LT(misfit(p, s, f, k), 1e-7) << s.how.cycles;
    }
  }
}

/// The modes of a square whose values at the faces are 0, in single precision.
TEST(GridRounding, EndsSolvesOfSmoothFunctionsInSinglePrecision) {
  for (const Index n : {65, 129, 513}) {
    const double h = 1 / static_cast<double>(n - 1);
    const GridProblem p = problem_of({n, n, 1}, "x=dirichlet:0,y=dirichlet:0", {h, h, 1});
    std::vector<double> f, u;
    const double eigenvalue = 2 * std::pow(2 / h * std::sin(M_PI * h / 2), 2);
    for (Index y = 0; y < n; ++y) {
      for (Index x = 0; x < n; ++x) {
        u.push_back(std::sin(M_PI * h * static_cast<double>(x)) *
                    std::sin(M_PI * h * static_cast<double>(y)));
        f.push_back(-eigenvalue * u.back());
      }
    }
    for (const GridMethod method :
         {GridMethod::multigrid, GridMethod::conjugate_gradients, GridMethod::fourier}) {
      SCOPED_TRACE(std::to_string(n) + " method " + std::to_string(static_cast<int>(method)));
      const Solved s = solved<float>(Device("cpu"), p, f, {.method = method, .tolerance = 1e-6});
      EXPECT_EQ(s.how.end, GridSolution::End::converged) << s.how.residual();
      double off = 0;
      for (std::size_t i = 0; i < u.size(); ++i)
        off = std::max(off, std::abs(s.u[i] - u[i]));
      EXPECT_LT(off, 1e-6);
      if (s.how.criterion == GridSolution::Criterion::rounding) {
        EXPECT_GT(s.how.residual(), 1e-6);
        EXPECT_LE(s.how.backward_error.value_or(1), 1.2e-7);
        EXPECT_LT(s.how.error.value_or(1), 1e-5);
      } else {
        EXPECT_LE(s.how.residual(), 2e-6);
      }
    }
  }
}

/// A residual that rounding would explain is not enough: of a fine line, 1e-7 of |A| |u| may be all
/// of f.
TEST(GridRounding, IsNoReasonWhereTheSolutionIsFarOff) {
  const Index n = 20001;
  const double h = 1 / static_cast<double>(n - 1);
  const GridProblem p = problem_of({n, 1, 1}, "x=dirichlet:0", {h, 1, 1});
  std::vector<double> f;
  for (Index x = 0; x < n; ++x)
    f.push_back(-M_PI * M_PI * std::sin(M_PI * h * static_cast<double>(x)));
  const Solved s =
      solved<float>(Device("cpu"), p, f, {.method = GridMethod::multigrid, .tolerance = 1e-5});
  double off = 0;
  for (Index x = 0; x < n; ++x)
    off = std::max(off, std::abs(s.u[static_cast<std::size_t>(x)] -
                                 std::sin(M_PI * h * static_cast<double>(x))));
  EXPECT_EQ(s.how.end == GridSolution::End::converged, off < 1e-3)
      << off << " " << s.how.residual();
}

} // namespace
} // namespace ridge::solve::of_grids
