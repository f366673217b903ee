// Programs: chains over the user's arrays.
#include <ridge/chain/flow.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/simt/fault.hpp>

#include "devices.hpp"
#include "test_chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace ridge::chain {
namespace {

using test::Transport;
using ::testing::HasSubstr;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Interfaces and walls: extra points, domains of their own, a profile.
template <class T>
void expect_transport(const Device& device, Index3 n, const Schedule& schedule, double tolerance) {
  Queue queue(device);
  const Field<T> before(device, {n.x, n.y});
  const Field<T> speeds(device, {1, n.y + 1});
  const Field<T> result(device, {n.x, n.y});
  fill_random(queue, before.elements(), 1);
  fill_random(queue, speeds.elements(), 2);
  fill_bytes(queue, result.data(), 0xff, Bytes{result.count() * static_cast<Index>(sizeof(T))});
  Views<Transport, T> views;
  views.set(test::amount, View<const T>(before.view()));
  views.set(test::speed, speeds.view());
  views.set(test::after, result.view());
  const Transport chain{{test::Flux{0.7}, test::Move{}}};
  Program(queue, Request<Transport, T>{chain, n, views}, schedule).run();

  std::array<std::vector<double>, 4> expected;
  for (Index i = 0; i < before.count(); ++i)
    expected[0].push_back(random_value(1, i));
  for (Index i = 0; i < speeds.count(); ++i)
    expected[1].push_back(random_value(2, i));
  apply_reference(chain, n, expected);
  std::vector<T> got(static_cast<std::size_t>(result.count()));
  copy_to_host(queue, got.data(), result.data(), result.count());
  queue.wait();
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(got[i]), expected[3][i], tolerance)
        << i << " on " << to_text(device.id()) << " " << to_text(schedule);
  }
  // Nothing is lost through the walls.
  EXPECT_NEAR(std::accumulate(expected[3].begin(), expected[3].end(), 0.0),
              std::accumulate(expected[0].begin(), expected[0].end(), 0.0), 1e-9);
}

TEST(Programs, KnowInterfacesAndWalls) {
  const Description d = describe<Transport, double>();
  for (const std::string& name : ridge::test::devices_here()) {
    const Device device(name);
    for (const Index3 n : {Index3{37, 11, 1}, Index3{1, 1, 1}, Index3{8, 2, 1}}) {
      for (const Schedule& s : schedule_space(device, d, n)) {
        expect_transport<double>(device, n, s, 1e-14);
        expect_transport<float>(device, n, s, 1e-6);
      }
      for (const NamedSchedule& s : named_schedules(device, d, n))
        expect_transport<double>(device, n, s.schedule, 1e-14);
    }
  }
}

/// Values that pass from stage to stage where the range ends.
template <class C>
void expect_stages(const Device& device, Index3 n, const Schedule& schedule) {
  Queue queue(device);
  const Field<double> before(device, {n.x, n.y, n.z});
  const Field<double> after(device, {n.x, n.y, n.z});
  fill_random(queue, before.elements(), 1);
  fill_bytes(queue, after.data(), 0xff, Bytes{after.count() * Index{sizeof(double)}});
  Views<C, double> views;
  views.set(Slot<0>{}, View<const double>(before.view())).set(Slot<4>{}, after.view());
  Program(queue, Request<C, double>{C{}, n, views}, schedule).run();
  std::array<std::vector<double>, 5> expected;
  for (Index i = 0; i < before.count(); ++i)
    expected[0].push_back(random_value(1, i));
  apply_reference(C{}, n, expected);
  std::vector<double> got(static_cast<std::size_t>(after.count()));
  copy_to_host(queue, got.data(), after.data(), after.count());
  queue.wait();
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[4][i], 1e-14)
        << i << " of " << to_text(Extents{n.x, n.y, n.z}) << " on " << to_text(device.id()) << " "
        << to_text(schedule);
  }
}
template <class C>
void expect_stages_everywhere(const std::vector<Index3>& sizes) {
#if defined(RIDGE_SANITIZED)
  constexpr std::size_t step = 3; // builds without the sanitizers take all
#else
  constexpr std::size_t step = 1;
#endif
  const Description d = describe<C, double>();
  for (const std::string& name : ridge::test::devices_here()) {
    const Device device(name);
    for (const Index3& n : sizes) {
      const auto space = schedule_space(device, d, n);
      for (std::size_t i = 0; i < space.size(); i += step)
        expect_stages<C>(device, n, space[i]);
      for (const NamedSchedule& s : named_schedules(device, d, n))
        expect_stages<C>(device, n, s.schedule);
      expect_stages<C>(device, n, default_schedule(device, d, n));
      if (device.kind() == DeviceKind::cpu) continue;
      for (const char* block : {"1x1x1", "5x9x1", "3x40x1", "2x3x4", "64x2x2"}) {
        const std::string text = std::string("fuse=all block=") + block + " tile=all";
        expect_stages<C>(device, n, parse_schedule(text, device, d, n).schedule);
      }
    }
  }
}
/// All stages in one launch, and how they pass values there.
template <class C>
void expect_passing(Passing passing, int along) {
  using F = Flow<C, 0, 3>;
  EXPECT_EQ(F::passing, passing);
  EXPECT_EQ(F::along, along);
}

TEST(Programs, PassValuesOnToTheEndsOfTheRange) {
  const std::vector<Index3> sizes{{37, 53, 1}, {1, 1, 1}, {5, 2, 1}};
  using AlongX = test::Stages<0, 2, Edge::clamp>;
  expect_passing<AlongX>(Passing::lanes, 0);
  expect_stages_everywhere<AlongX>(sizes);
  using AlongY = test::Stages<1, 2, Edge::clamp>;
  expect_passing<AlongY>(Passing::block, 1);
  expect_stages_everywhere<AlongY>(sizes);
  using AlongZ = test::Stages<2, 3, Edge::clamp>;
  expect_passing<AlongZ>(Passing::block, 2);
  expect_stages_everywhere<AlongZ>({{7, 3, 41}, {1, 1, 1}, {5, 2, 3}});
}
TEST(Programs, PassValuesOnAcrossPeriodicEnds) {
  const std::vector<Index3> sizes{{37, 53, 1}, {3, 3, 1}, {9, 8, 1}, {11, 12, 1}};
  using AlongX = test::Stages<0, 2, Edge::periodic>;
  expect_passing<AlongX>(Passing::block, 0);
  expect_stages_everywhere<AlongX>(sizes);
  using AlongY = test::Stages<1, 2, Edge::periodic>;
  expect_passing<AlongY>(Passing::block, 1);
  expect_stages_everywhere<AlongY>(sizes);
}
TEST(Programs, PassValuesOnAlongXInAnyNumberOfDimensions) {
  using OfOne = test::Stages<0, 1, Edge::periodic>;
  expect_passing<OfOne>(Passing::block, 0);
  expect_stages_everywhere<OfOne>({{300, 1, 1}, {3, 1, 1}, {11, 1, 1}});
  using OfThree = test::Stages<0, 3, Edge::periodic>;
  expect_passing<OfThree>(Passing::block, 0);
  expect_stages_everywhere<OfThree>({{37, 5, 6}, {3, 3, 3}});
}

TEST(Programs, SayWhichArrayIsWrong) {
  const Device device("cpu");
  Queue queue(device);
  const Field<double> a(device, {9, 5});
  const Field<double> b(device, {9, 5});
  const Field<double> speeds(device, {1, 6});
  const auto make = [&](const Views<Transport, double>& views) {
    (void)Program(queue, Request<Transport, double>{{}, {9, 5, 1}, views}, CpuSchedule{});
  };
  Views<Transport, double> views;
  views.set(test::amount, a.view()).set(test::after, b.view());
  EXPECT_THAT(error_of([&] { make(views); }), HasSubstr("array 'speed' is not given"));
  views.set(test::speed, b.view());
  EXPECT_THAT(error_of([&] { make(views); }),
              HasSubstr("array 'speed' has extents 9x5x1; 1x6x1 are right"));
  views.set(test::speed, speeds.view());
  EXPECT_EQ(error_of([&] { make(views); }), "");
  views.set(test::after, a.view());
  EXPECT_THAT(error_of([&] { make(views); }), HasSubstr("overlap"));
}

TEST(Programs, RefuseTheScheduleOfAnotherDevice) {
  const Device device("simt:32");
  Queue queue(device);
  const Field<double> a(device, {9, 5});
  const Field<double> b(device, {9, 5});
  const Field<double> speeds(device, {1, 6});
  Views<Transport, double> views;
  views.set(test::amount, a.view()).set(test::after, b.view()).set(test::speed, speeds.view());
  const auto with = [&](const Schedule& s) {
    Program(queue, Request<Transport, double>{{}, {9, 5, 1}, views}, s).run();
  };
  EXPECT_THAT(error_of([&] { with(CpuSchedule{}); }), HasSubstr("is not one for simt:32"));
}

TEST(Programs, SayWhenATileNeedsMoreSharedMemoryThanThereIs) {
  const Device device("simt:32");
  Queue queue(device);
  const Field<double> a(device, {90000, 5});
  const Field<double> b(device, {90000, 5});
  Views<test::Means, double> views;
  views.set(Slot<0>{}, a.view()).set(Slot<2>{}, b.view());
  GpuSchedule large;
  large.fuse = fuse_all;
  large.tile = {90000, 4, 1};
  EXPECT_THAT(error_of([&] {
                Program(queue, Request<test::Means, double>{{}, {90000, 5, 1}, views}, large).run();
              }),
              HasSubstr("of shared memory; a block has"));
}

TEST(Programs, PassValuesInRegistersWhereOneDimensionIsEnough) {
  const Index3 n{64, 32, 1};
  const PlanRequest request{fuse_all, true, {16, 4, 1}, true};
  const Description straight = describe<Transport, double>();
  EXPECT_EQ(straight.passing_of(0, 1).passing, Passing::march);
  EXPECT_EQ(make_plan(straight, n, request).tile_elements, 0);
  const Description both = describe<test::Means, double>();
  EXPECT_EQ(both.passing_of(0, 1).passing, Passing::memory);
  EXPECT_GT(make_plan(both, n, request).tile_elements, 0);
}

template <int Number>
std::string overreach_on(const char* name) {
  const Device device(name);
  Queue queue(device);
  const Field<double> a(device, {40});
  const Field<double> b(device, {40});
  fill_random(queue, a.elements(), 1);
  using C = test::Undeclared<Number>;
  Views<C, double> views;
  views.set(Slot<0>{}, a.view()).set(Slot<1>{}, b.view());
  const Index3 n{40, 1, 1};
  return error_of([&] { Program(queue, Request<C, double>{C{}, n, views}).run(); });
}

TEST(UndeclaredAccesses, AreCaughtOnTheEmulatedGpu) {
  EXPECT_THAT(overreach_on<0>("simt:32"), HasSubstr("declare"));
  EXPECT_THAT(overreach_on<0>("simt:64"), HasSubstr("overreach"));
}

// checked_native.cpp compiles it for the cpu alone.
TEST(UndeclaredAccesses, AreCaughtInDebugBuilds) {
  EXPECT_THAT(overreach_on<1>("cpu"),
              HasSubstr("operation 'overreach' reads 'from' at (1, 0, 0), beyond the reach"));
}

} // namespace
} // namespace ridge::chain
