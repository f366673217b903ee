// Several sweeps in one pass give the bits of single sweeps.
#include "sweeps_support.hpp"
#include "test_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace ridge::stencil {
namespace {

using test::Fields;
using test::read;

/// Where the two differ; empty where they do not.
template <class T>
std::string first_difference(const std::vector<T>& got, const std::vector<T>& expected, Index3 n) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &expected[i], sizeof(T)) == 0) continue;
    const auto at = static_cast<Index>(i);
    return "(" + std::to_string(at % n.x) + ", " + std::to_string(at / n.x % n.y) + ", " +
           std::to_string(at / n.x / n.y) + ") is " + std::to_string(got[i]) + " instead of " +
           std::to_string(expected[i]);
  }
  return {};
}

template <class K, class T>
void expect_same_bits(const K& kernel, Index3 n, const Boundaries& b, const CpuPassSchedule& pass,
                      Index steps) {
  SCOPED_TRACE(test::text_of(n) + " " + to_text(b) + " " + text::print(pass) + " " +
               std::to_string(steps) + " steps");
  const Device device("cpu");
  Queue queue(device);
  const Fields<T> fields(queue, n, inputs_of<K>);
  Sweeps singles(queue, kernel, fields.views(), b, SweepsSchedule{CpuSchedule{}});
  Sweeps passes(queue, kernel, fields.views(), b, SweepsSchedule{CpuSchedule{}, pass});
  singles.run(steps);
  passes.run(steps);
  EXPECT_EQ(passes.steps(), steps);
  for (int i = 0; i < levels_of<K>(); ++i) {
    EXPECT_EQ(first_difference(read<T>(queue, passes, i, n), read<T>(queue, singles, i, n), n), "")
        << "input " << i;
  }
}

template <class K, class T>
void expect_same_bits_at_random(const K& kernel, int rank, int cases, unsigned seed) {
  std::mt19937 random(seed);
  const auto up_to = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  for (int i = 0; i < cases; ++i) {
    // Enough for the stencil however much of it is fixed.
    Index3 n{9 + up_to(40), 9 + up_to(30), rank == 3 ? 9 + up_to(20) : 1};
    Boundaries b = test::random_boundaries(random, n);
    if (rank == 2) b.faces[2] = {};
    const CpuPassSchedule pass{std::max(2, levels_of<K>()) + up_to(3), 1 + up_to(12), 1 + up_to(20),
                               up_to(1) == 0 ? Store::plain : Store::nontemporal, 1 + up_to(2)};
    expect_same_bits<K, T>(kernel, n, b, pass, up_to(11));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Passes, GiveTheBitsOfSingleSweeps) {
  expect_same_bits_at_random<test::Lopsided, double>({0.02}, 3, 30, 1);
}

TEST(Passes, TakeSeveralTimeLevelsAndCoefficients) {
  expect_same_bits_at_random<test::Pulse, double>({}, 3, 30, 2);
  expect_same_bits_at_random<test::Advection, float>({}, 3, 20, 3);
}

TEST(Passes, MarchThroughRowsInTwoDimensions) {
  Laplacian<4, 2> step(Spacing{});
  step.centre = 1 + 0.05 * step.centre;
  for (double& w : step.x)
    w *= 0.05;
  for (double& w : step.y)
    w *= 0.05;
  expect_same_bits_at_random<Laplacian<4, 2>, double>(step, 2, 20, 4);
}

TEST(Passes, FollowTheMemoryOfTheDevice) {
  const Index3 n{301, 83, 57};
  const Device device("cpu");
  const Traits traits = traits_of<test::Lopsided, double>();
  const Boundaries b = parse_boundaries("x=periodic,y=dirichlet:1,z=neumann:0");
  const SweepsSchedule s = parse_sweeps("sweeps=3", device, traits, b, n);
  ASSERT_TRUE(s.pass);
  expect_same_bits<test::Lopsided, double>({0.02}, n, b, std::get<CpuPassSchedule>(*s.pass), 7);
}

TEST(Passes, PrintAndParse) {
  const Device device("cpu");
  const Traits traits = traits_of<test::Lopsided, double>();
  const auto parsed = [&](std::string_view text) {
    return to_text(parse_sweeps(text, device, traits, {}, {301, 83, 57}));
  };
  EXPECT_EQ(parsed("sweeps=4 rows=8 planes=9 store=plain threads=2"),
            "sweeps=4 rows=8 planes=9 store=plain threads=2");
  EXPECT_THAT(parsed("sweeps=1 rows=8"), ::testing::StartsWith("sweeps=1 rows=8 "));
  EXPECT_THAT(parsed("rows=8"), ::testing::StartsWith("sweeps=1 rows=8 "));
  EXPECT_EQ(parsed(parsed("auto")), parsed("auto"));
  EXPECT_THROW((void)parsed("sweeps=1 sweeps=2"), UsageError);
  EXPECT_THROW((void)parsed("sweeps=0"), UsageError);
  EXPECT_THROW((void)parsed("sweeps=2 depth=1"), UsageError);
  EXPECT_THAT(to_text(parse_sweeps("sweeps=2", Device("simt:32"), traits, {}, {30, 30, 30})),
              ::testing::StartsWith("sweeps=2 rows="));
}

TEST(Passes, RefuseFieldsThatAreTooSmall) {
  Queue queue(Device("cpu"));
  const auto run = [&](Index3 n) {
    const Fields<double> fields(queue, n, 1);
    Sweeps sweeps(queue, test::Lopsided{0.02}, fields.views(), {},
                  SweepsSchedule{CpuSchedule{}, CpuPassSchedule{}});
  };
  EXPECT_NO_THROW(run({9, 5, 9}));
  EXPECT_THROW(run({8, 5, 9}), UsageError);
  EXPECT_THROW(run({9, 4, 9}), UsageError);
}

} // namespace
} // namespace ridge::stencil
