// Every executor under every schedule of its space against the reference, at awkward sizes.
#include "devices.hpp"
#include "pairs_case.hpp"
#include "test_interactions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ridge::pairs {
namespace {

#if defined(RIDGE_SANITIZED)
constexpr Index many = 269; ///< bodies: several blocks of 256 threads, the last with few
#else
constexpr Index many = 331;
#endif
constexpr Index several = 269; ///< blocks, too, of bodies that few schedules or other tests take

class PairExecutors : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};

  /// Under every schedule, or every so manieth.
  template <class I, class P>
  void expect_right_everywhere(test::Case<I, P>& c, std::size_t step = 1) {
    const std::vector<Schedule> space = c.space();
    for (std::size_t n = 0; n<space.size(); n += space.size()> step ? step : 1) {
      const Schedule& s = space[n];
      ASSERT_EQ(c.wrong_under(s), "") << GetParam() << " " << c.bodies().targets << " targets, "
                                      << c.bodies().sources << " sources, " << to_text(s);
    }
    const Schedule chosen = default_schedule(device, traits_of<I, P>(), c.bodies());
    ASSERT_EQ(c.wrong_under(chosen), "") << "default " << to_text(chosen);
  }
};

TEST_P(PairExecutors, EqualTheReferenceUnderEverySchedule) {
  test::Case<test::Mixture, Fp32> c(device, {}, random_bodies<3>(many, 3));
#if !defined(RIDGE_SANITIZED)
  ASSERT_EQ(c.space().size(),
            schedule_space(device, traits_of<test::Mixture, Fp32>(), c.bodies()).size());
#endif
  expect_right_everywhere(c);
}

TEST_P(PairExecutors, EqualTheReferenceInDoubleUnderWhatDefaultsPick) {
  test::Case<test::Mixture, Fp64> c(device, {}, random_bodies<3>(many, 3));
  expect_right_everywhere(c);
}

TEST_P(PairExecutors, TakeTwoSetsOfAnySize) {
  std::mt19937 random(7);
  for (const auto& [targets, sources] :
       {std::pair{1, 1}, std::pair{1, 300}, std::pair{131, 1}, std::pair{67, 259}}) {
    test::Case<test::Mixture, Fp32> c(device, {}, random_bodies<2>(targets, 3),
                                      random_bodies<3>(sources, 5));
    expect_right_everywhere(c, 5);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PairExecutors, TakeFewBodiesAmongThemselves) {
  for (const Index count : {2, 31, 64, 65, 257, 1025}) {
    test::Case<test::Mixture, Fp64> c(device, {}, random_bodies<3>(count, 3));
    for (const Schedule& s :
         {default_schedule(device, traits_of<test::Mixture, Fp64>(), c.bodies()),
          c.space().back()}) {
      ASSERT_EQ(c.wrong_under(s), "") << count << " bodies, " << to_text(s);
    }
  }
}

TEST_P(PairExecutors, GiveABodyAloneNothing) {
  test::Case<Gravity<>, Fp32> c(device, {1e-4}, random_bodies<4>(1, 3));
  for (const Schedule& s : c.space()) {
    for (const auto& sum : c.sums_under(s))
      ASSERT_EQ(sum[0], 0.0F) << to_text(s);
  }
}

TEST_P(PairExecutors, CountBodiesThatMayActOnThemselves) {
  const auto bodies = random_bodies<1>(200, 9);
  test::Case<test::Density, Mixed> c(device, {}, bodies, bodies);
  expect_right_everywhere(c);
}

template <class P>
class PairPrecisions : public ::testing::Test {};
using Precisions = ::testing::Types<Fp32, Fp64, Mixed>;
TYPED_TEST_SUITE(PairPrecisions, Precisions);

TYPED_TEST(PairPrecisions, HoldForMassesOverSixDecadesOnEveryDevice) {
  for (const std::string& name : ridge::test::devices_here()) {
    test::Case<Gravity<>, TypeParam> c(Device(name), {1e-6}, random_bodies<4>(several, 3));
    std::vector<Schedule> some = c.space();
    const std::size_t step = some.size() > 40 ? 11 : 1;
    for (std::size_t s = 0; s < some.size(); s += step)
      ASSERT_EQ(c.wrong_under(some[s]), "") << name << " " << to_text(some[s]);
  }
}

TYPED_TEST(PairPrecisions, HoldForCoincidentBodies) {
  for (const std::string& name : ridge::test::devices_here()) {
    auto bodies = random_bodies<4>(130, 3);
    for (int c = 0; c < 3; ++c)
      bodies[c][100] = bodies[c][3] = bodies[c][0];
    test::Case<Gravity<>, TypeParam> c(Device(name), {1e-4}, bodies);
    for (const NamedSchedule& s :
         named_schedules(Device(name), traits_of<Gravity<>, TypeParam>(), c.bodies())) {
      ASSERT_EQ(c.wrong_under(s.schedule), "") << name << " " << s.name;
    }
  }
}

TEST_P(PairExecutors, MixedPrecisionHoldsFarFromTheOrigin) {
  auto bodies = random_bodies<4>(several, 3);
  for (int c = 0; c < 3; ++c) {
    for (double& x : bodies[c])
      x += 1e6;
  }
  test::Case<Gravity<>, Mixed> c(device, {1e-4}, bodies);
  expect_right_everywhere(c);
}

TEST_P(PairExecutors, OtherInteractionsEqualTheReference) {
  test::Case<Coulomb, Fp32> coulomb(device, {1e-4}, random_bodies<4>(several, 3));
  expect_right_everywhere(coulomb);
  test::Case<LennardJones, Fp64> atoms(device, {1.0}, random_bodies<3>(150, 3));
  expect_right_everywhere(atoms);
  test::Case<Gaussian, Fp32> points(device, Gaussian(0.25), random_bodies<4>(several, 3));
  expect_right_everywhere(points);
  test::Case<BiotSavart, Fp64> vortices(device, {1e-4}, random_bodies<6>(150, 3));
  expect_right_everywhere(vortices);
}

TEST_P(PairExecutors, GiveTheSameBitsAgain) {
  test::Case<Gravity<>, Fp32> c(device, {1e-4}, random_bodies<4>(several, 3));
  const std::vector<Schedule> space = c.space();
  for (std::size_t n = 0; n < space.size(); n += space.size() > 40 ? 4 : 1) {
    const Schedule& s = space[n];
    const auto first = c.sums_under(s);
    const auto second = c.sums_under(s);
    for (std::size_t k = 0; k < first.size(); ++k) {
      ASSERT_EQ(
          std::memcmp(first[k].data(), second[k].data(), first[k].size() * sizeof(first[k][0])), 0)
          << to_text(s);
    }
  }
}

TEST_P(PairExecutors, RefuseWhatDoesNotFit) {
  test::Case<Gravity<>, Fp32> c(device, {1e-4}, random_bodies<4>(10, 3));
  auto call = c.call;
  call.sums[1].size = 9;
  EXPECT_THAT(
      [&] { (void)launch(c.queue, call); },
      ::testing::ThrowsMessage<UsageError>(::testing::HasSubstr("component 1 of the sums")));
  call = c.call;
  for (auto& source : call.sources)
    source.size = 9;
  EXPECT_THAT([&] { (void)launch(c.queue, call); },
              ::testing::ThrowsMessage<UsageError>(
                  ::testing::HasSubstr("10 targets and 9 sources cannot be the same bodies")));
  if (device.kind() == DeviceKind::cpu) return;
  GpuSchedule s;
  s.form = Form::symmetric;
  s.tile = 4;
  s.unroll = 2;
  call = c.call;
  call.skip_self = false;
  EXPECT_THAT([&] { (void)launch(c.queue, call, Schedule{s}); },
              ::testing::ThrowsMessage<UsageError>(
                  ::testing::HasSubstr("form=symmetric is for bodies among themselves")));
}

INSTANTIATE_TEST_SUITE_P(Here, PairExecutors, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::pairs
