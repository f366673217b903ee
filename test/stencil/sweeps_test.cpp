// Many sweeps with boundaries against the reference, and under every schedule against each other.
#include <ridge/stencil/sweeps_reference.hpp>

#include "../devices.hpp"
#include "sweeps_support.hpp"
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace ridge::stencil {
namespace {

using test::Fields;
using test::random_boundaries;
using test::read;
using test::text_of;

/// Where the sweeps differ from the reference; empty where they do not.
template <class T>
std::string difference(const std::vector<T>& got, const std::vector<double>& expected) {
  double scale = 1;
  for (const double e : expected)
    scale = std::max(scale, std::abs(e));
  const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon()) * scale;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(static_cast<double>(got[i]) - expected[i]) <= tolerance) continue;
    return "point " + std::to_string(i) + " is " + std::to_string(got[i]) + " instead of " +
           std::to_string(expected[i]);
  }
  return {};
}

template <class K, class T>
void expect_reference(const Device& device, const K& kernel, Index3 n, const Boundaries& b,
                      Index steps) {
  SCOPED_TRACE(to_text(device.id()) + " " + text_of(n) + " " + to_text(b) + " " +
               std::to_string(steps) + " steps");
  Queue queue(device);
  const Fields<T> fields(queue, n, inputs_of<K>);
  Sweeps sweeps(queue, kernel, fields.views(), b);
  SweepsReference<K> reference(kernel, fields.host(), n, b);
  sweeps.run(steps);
  for (Index s = 0; s < steps; ++s)
    reference.step();
  EXPECT_EQ(sweeps.steps(), steps);
  for (int i = 0; i < levels_of<K>(); ++i)
    EXPECT_EQ(difference(read<T>(queue, sweeps, i, n), reference.field(i)), "") << "input " << i;
}

/// Random extents that the boundaries allow.
template <class K>
Index3 random_extents(std::mt19937& random) {
  constexpr Index sizes[] = {1, 2, 3, 4, 5, 7, 11, 17, 31};
  return {sizes[random() % 9] + (random() % 3 == 0 ? 40 : 0), sizes[random() % 9],
          sizes[random() % 9]};
}

/// Values of their own for points of neumann faces.
void give_inflows(Boundaries& b, Index3 n) {
  for (int axis = 0; axis < 3; ++axis) {
    for (Condition& c : b.faces[static_cast<std::size_t>(axis)]) {
      if (c.kind != Boundary::neumann) continue;
      for (Index i = 0; i < face_points(n, axis); ++i)
        c.values.push_back(0.125 * static_cast<double>(i * 5 % 8) - 0.5);
    }
  }
}

template <class K, class T>
void expect_reference_at_random(const Device& device, const K& kernel, int cases, unsigned seed) {
  std::mt19937 random(seed);
  for (int done = 0; done < cases;) {
    const Index3 n = random_extents<K>(random);
    Boundaries b = random_boundaries(random, n);
    if (random() % 2 == 0) give_inflows(b, n);
    const auto steps = static_cast<Index>(random() % 6);
    try {
      require_fit(b, radius_of<K>(), n);
    } catch (const UsageError&) {
      continue;
    }
    expect_reference<K, T>(device, kernel, n, b, steps);
    if (::testing::Test::HasFailure()) return;
    ++done;
  }
}

class SweepsOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

TEST_P(SweepsOn, EqualTheReferenceAtRandomBoundariesAndExtents) {
  expect_reference_at_random<test::Lopsided, double>(device, {0.02}, 60, 5);
  expect_reference_at_random<test::Advection, float>(device, {}, 30, 6);
}

TEST_P(SweepsOn, TakeSeveralTimeLevelsAndCoefficients) {
  expect_reference_at_random<test::Pulse, double>(device, {}, 40, 7);
}

TEST_P(SweepsOn, TakeSinglePoints) {
  expect_reference<test::Lopsided, double>(device, {0.02}, {1, 1, 1},
                                           parse_boundaries("x=periodic,y=mirror,z=mirror"), 3);
  expect_reference<test::Lopsided, double>(device, {0.02}, {1, 2, 1},
                                           parse_boundaries("x=mirror,y=neumann:1,z=periodic"), 3);
}

template <class K, class T>
void expect_same_bits_under_every_schedule(const Device& device, const K& kernel, Index3 n,
                                           const Boundaries& b) {
  Queue queue(device);
  const Fields<T> fields(queue, n, inputs_of<K>);
  constexpr Index steps = 3;
  Sweeps standard(queue, kernel, fields.views(), b);
  standard.run(steps);
  const std::vector<T> expected = read<T>(queue, standard, 0, n);
  // The emulated GPU takes long: some of its hundreds of schedules, of those compiled ahead.
  const int most = device.kind() == DeviceKind::simt ? 30 : std::numeric_limits<int>::max();
  int compared = 0;
  std::vector<Schedule> space = schedule_space(device, traits_of<K, T>());
  std::shuffle(space.begin(), space.end(), std::mt19937(11));
  for (const Schedule& s : space) {
    if (compared == most) break;
    try {
      const launch::AheadOnly no_compiling;
      Sweeps sweeps(queue, kernel, fields.views(), b, SweepsSchedule{s});
      sweeps.run(steps);
      const std::vector<T> got = read<T>(queue, sweeps, 0, n);
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0) << to_text(s);
      ++compared;
    } catch (const launch::NotAhead&) {
      continue;
    }
  }
  EXPECT_GT(compared, 3);
}

TEST_P(SweepsOn, GiveTheSameBitsUnderEverySchedule) {
  expect_same_bits_under_every_schedule<test::Lopsided, double>(
      device, {0.02}, {37, 11, 7},
      parse_boundaries("x=periodic,y-=dirichlet:0.5,y+=mirror,z=neumann:1"));
}

TEST_P(SweepsOn, BeginAgain) {
  Queue queue(device);
  const Index3 n{19, 6, 7};
  const Boundaries b = parse_boundaries("x=periodic,y=mirror");
  const Fields<double> fields(queue, n, 3);
  Sweeps straight(queue, test::Pulse{}, fields.views(), b);
  straight.run(5);
  const Field<double> now(device, {n.x, n.y, n.z});
  const Field<double> before(device, {n.x, n.y, n.z});
  straight.read(0, now.view());
  straight.read(1, before.view());
  straight.run(4);
  Sweeps again(queue, test::Pulse{}, {now.view(), before.view(), fields.views()[2]}, b);
  again.run(4);
  EXPECT_EQ(read<double>(queue, straight, 0, n), read<double>(queue, again, 0, n));
  EXPECT_EQ(read<double>(queue, straight, 1, n), read<double>(queue, again, 1, n));
}

TEST_P(SweepsOn, RefuseWhatDoesNotFit) {
  Queue queue(device);
  const Fields<double> fields(queue, {9, 5, 5}, 1);
  const Fields<double> others(queue, {9, 5, 6}, 2);
  const auto make = [&](const char* text) {
    return Sweeps(queue, test::Lopsided{0.1}, fields.views(), parse_boundaries(text));
  };
  EXPECT_NO_THROW(make("untouched"));
  EXPECT_THROW(Sweeps(queue, test::Lopsided{0.1}, others.views(), {}), UsageError);
  EXPECT_THROW(
      Sweeps(queue, Laplacian<2, 2>(Spacing{}), fields.views(), parse_boundaries("z=mirror")),
      UsageError);
  Boundaries inflow = parse_boundaries("x-=neumann:1");
  inflow.faces[0][0].values.assign(25, 1.0);
  const auto make_with = [&](std::string_view schedule) {
    return Sweeps(
        queue, test::Lopsided{0.1}, fields.views(), inflow,
        parse_sweeps(schedule, device, traits_of<test::Lopsided, double>(), inflow, {9, 5, 5}));
  };
  EXPECT_NO_THROW(make_with("sweeps=1"));
  EXPECT_THROW(make_with("sweeps=2"), UsageError);
  inflow.faces[0][0].values.pop_back();
  EXPECT_THROW(make_with("sweeps=1"), UsageError);
  Sweeps sweeps = make("x=mirror");
  EXPECT_THROW(sweeps.read(0, others.views()[0]), UsageError);
  EXPECT_THROW(sweeps.read(1, fields.views()[0]), UsageError);
  EXPECT_THROW((void)sweeps.view<float>(0), UsageError);
}

TEST(SweepsOnTheCpu, HaveFieldsThatCrowdNoSetOfTheL1) {
  // With their shell 32 rows of 528 numbers a plane, a multiple of 4096 bytes.
  const Device device("cpu");
  const Index3 n{512, 24, 12};
  const Boundaries b = parse_boundaries("y=periodic,z=mirror");
  const Laplacian<8, 3> kernel({8, 9, 7});
  const Traits traits = traits_of<Laplacian<8, 3>, double>();
  const ShellLayout layout = shell_layout(device, traits, b, n);
  EXPECT_LE(rows_in_a_set(traits, layout.strides), ways_of_l1(device.facts()));
  expect_reference<Laplacian<8, 3>, double>(device, kernel, n, b, 3);
}

INSTANTIATE_TEST_SUITE_P(Here, SweepsOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
