// Every executor under every schedule that is compiled ahead against the reference, at awkward
// shapes: of two kernels that are all of its space.
#include "devices.hpp"
#include "stencil_case.hpp"
#include "test_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ridge::stencil {
namespace {

template <class K, class T>
void expect_right_everywhere(const Device& device, const K& kernel, Index3 n) {
  Case<K, T> c(device, kernel, n);
  for (const Schedule& s : schedule_space(device, traits_of<K, T>())) {
    if (!c.is_ahead(s)) continue;
    EXPECT_EQ(c.wrong_under(s), "")
        << to_text(device.id()) << " " << n.x << "x" << n.y << "x" << n.z << " " << to_text(s);
    if (::testing::Test::HasFailure()) return;
  }
  const Schedule chosen = default_schedule(device, traits_of<K, T>(), n);
  EXPECT_EQ(c.wrong_under(chosen), "") << "default " << to_text(chosen);
}

class Executors : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

TEST_P(Executors, EqualTheReferenceUnderTheSeries) {
  expect_right_everywhere<Laplacian<2, 3>, double>(device, Laplacian<2, 3>({0.5, 0.75, 1.25}),
                                                   {67, 21, 9});
}

TEST_P(Executors, ReadTheRightNeighbours) {
  expect_right_everywhere<test::Lopsided, double>(device, {0.1}, {41, 19, 11});
}

TEST_P(Executors, RunKernelsOfSeveralInputs) {
  expect_right_everywhere<test::Advection, float>(device, {}, {38, 18, 7});
}

TEST_P(Executors, ReadNoPlanesBesideTheirOwn) {
  expect_right_everywhere<Laplacian<2, 2>, float>(device, Laplacian<2, 2>({0.5, 0.75}),
                                                  {67, 21, 3});
  expect_right_everywhere<Laplacian<8, 2>, double>(device, Laplacian<8, 2>({0.5, 0.75}),
                                                   {150, 22, 1});
  for (const Index rows : {3, 5, 6, 7, 10})
    expect_right_everywhere<Laplacian<2, 2>, double>(device, Laplacian<2, 2>({0.5, 0.75}),
                                                     {39, rows, 1});
}

TEST_P(Executors, ReadTheVeryLastPoint) {
  // 333 rows of 37 floats do not end at a multiple of 16 bytes, and the box reads the last corner.
  expect_right_everywhere<Box27, float>(device, Box27(0.5), {37, 9, 37});
}

TEST_P(Executors, TakeAnyShape) {
  std::mt19937 random(2024);
  std::uniform_int_distribution<Index> x(5, 150);
  std::uniform_int_distribution<Index> y(3, 40);
  std::uniform_int_distribution<Index> z(5, 12);
  std::vector<Index3> shapes{{5, 3, 5}, {6, 3, 5}, {5, 40, 5}, {257, 3, 5}, {64, 16, 8}};
  for (int i = 0; i < 4; ++i)
    shapes.push_back({x(random), y(random), z(random)});
  const auto space = schedule_space(device, traits_of<test::Lopsided, float>());
  for (const Index3 n : shapes) {
    Case<test::Lopsided, double> doubles(device, {0.1}, n);
    Case<test::Lopsided, float> floats(device, {0.1}, n);
    for (int i = 0; i < 12; ++i) {
      const Schedule& s = space[random() % space.size()];
      if (!doubles.is_ahead(s)) continue;
      EXPECT_EQ(doubles.wrong_under(s), "") << n.x << "x" << n.y << "x" << n.z << to_text(s);
      if (!floats.is_ahead(s)) continue;
      EXPECT_EQ(floats.wrong_under(s), "") << n.x << "x" << n.y << "x" << n.z << to_text(s);
    }
    const Schedule chosen = default_schedule(device, traits_of<test::Lopsided, double>(), n);
    EXPECT_EQ(doubles.wrong_under(chosen), "") << n.x << "x" << n.y << "x" << n.z;
  }
}

/// The schedules that march, on a GPU, in two chunks whose blocks keep no step, and the default.
template <class K, class T>
std::vector<Schedule> marches_of(const Device& device, Index3 n) {
  std::vector<Schedule> found{default_schedule(device, traits_of<K, T>(), n)};
  for (const Schedule& s : schedule_space(device, traits_of<K, T>())) {
    if (s.index() == 0) continue;
    const auto* const gpu = std::get_if<GpuSchedule>(&s);
    if (gpu == nullptr || gpu->stage != Stage::bulk) continue;
    if (gpu->chunks == 2 && gpu->drift == 0 && gpu->store == Store::plain) found.push_back(s);
  }
  return found;
}

template <int Order, class T>
void expect_ends_of_rows_right(const Device& device) {
  using K = Laplacian<Order, 3>;
  const K kernel({0.5, 0.75, 1.25});
  constexpr Index line = 128 / static_cast<Index>(sizeof(T)); // rows begin at multiples of it
  constexpr Index tile = 4 * line;                            // the narrowest, filled by most
  const auto expect_right = [&](Index x, Index misfit) {
    const Index3 n{x, Order + 9, Order + 5};
    Case<K, T> c(device, kernel, n, x > tile ? tile + line : x, 0, misfit);
    for (const Schedule& s : marches_of<K, T>(device, n)) {
      if (!c.is_ahead(s)) continue;
      EXPECT_EQ(c.wrong_under(s), "")
          << Order << " " << sizeof(T) << " " << x << " behind " << misfit << " " << to_text(s);
    }
  };
  // Results begin at a line, behind one, and in no pack's first place.
  constexpr Index before = line - Order / 2;
#if defined(RIDGE_SANITIZED) // builds without them take all
  expect_right(tile + line - 1, 0);
  for (const Index misfit : {before, Index{1}})
    expect_right(tile + Order + 1, misfit);
#else
  for (const Index x : {tile + line, tile + line - 1, tile + line - 2, tile + 3, tile, line})
    expect_right(x, 0);
  for (const Index misfit : {before, line - 1, Index{1}, line / 8}) {
    for (const Index x : {tile + line, tile + Order, tile + Order + 1, line})
      expect_right(x, misfit);
  }
#endif
}

TEST_P(Executors, KeepWhatSharesAMemorySectorWithResults) {
  expect_ends_of_rows_right<2, float>(device);
  expect_ends_of_rows_right<2, double>(device);
  expect_ends_of_rows_right<4, double>(device);
  expect_ends_of_rows_right<6, double>(device);
  expect_ends_of_rows_right<8, float>(device);
}

/// `everything`: the kernel is compiled for all that the space lists.
template <class K, class T>
void expect_depths_right(const Device& device, const K& kernel, Index3 n, bool everything = false) {
  Case<K, T> c(device, kernel, n);
  for (const char* const depth : {"depth=2 ", "depth=4 "}) {
    if (depth[6] == '4' && points_of<K>() < many_points && !everything) continue;
    for (const char* const fields :
         {"rows=0 ahead=4", "rows=5 ahead=0 store=plain", "rows=3 planes=5 ahead=2", "planes=3"}) {
      const Schedule s =
          parse_schedule(std::string("streaming ") + depth + fields, device, traits_of<K, T>(), n)
              .schedule;
      EXPECT_EQ(c.wrong_under(s), "") << n.x << "x" << n.y << "x" << n.z << " " << to_text(s);
    }
  }
}

TEST(Cpu, ComputesSeveralPlanesAtOnce) {
  const Device device("cpu");
  // Rows of whole lines and others, of one tile and of several, and too few points or planes for
  // one.
  for (const Index3 n :
       {Index3{304, 21, 15}, Index3{299, 10, 13}, Index3{144, 9, 14}, Index3{16, 12, 12},
        Index3{9, 11, 12}, Index3{11, 9, 9}, Index3{272, 9, 10}, Index3{40, 16, 9}}) {
    expect_depths_right<Laplacian<8, 3>, double>(device, Laplacian<8, 3>({0.5, 0.75, 1.25}), n);
    expect_depths_right<Laplacian<6, 3>, float>(device, Laplacian<6, 3>({0.5, 0.75, 1.25}), n);
    expect_depths_right<Box27, double>(device, Box27(0.5), n);
    expect_depths_right<Laplacian<4, 3>, double>(device, Laplacian<4, 3>({0.5, 0.75, 1.25}), n);
    expect_depths_right<test::Lopsided, double>(device, {0.1}, n, true);
    expect_depths_right<test::Advection, float>(device, {}, n, true);
  }
}

TEST(Cpu, TakesFieldsWhoseRowsAndPlanesAreApart) {
  const Device device("cpu");
  const Index3 n{512, 11, 12};
  const Traits traits = traits_of<Laplacian<8, 3>, double>();
  const Strides strides = spread(device, traits, n, Strides::packed(n));
  Case<Laplacian<8, 3>, double> c(device, Laplacian<8, 3>({0.5, 0.75, 1.25}), n, strides.row,
                                  strides.plane);
  EXPECT_EQ(c.wrong_under(default_schedule(device, traits, n, true, strides)), "");
  for (const char* const depth : {"depth=1", "depth=2", "depth=4"})
    EXPECT_EQ(c.wrong_under(parse_schedule(depth, device, traits, n, strides).schedule), "")
        << depth;
}

template <int Order, int Rank>
void expect_default_right(const Device& device, Index3 n) {
  Case<Laplacian<Order, Rank>, double> c(device, Laplacian<Order, Rank>({0.5, 0.75, 1.25}), n);
  const Schedule chosen = default_schedule(device, traits_of<Laplacian<Order, Rank>, double>(), n);
  EXPECT_EQ(c.wrong_under(chosen), "") << Order << " " << Rank << " " << to_text(chosen);
}

TEST_P(Executors, RunEveryOrderAndRank) {
  expect_default_right<4, 3>(device, {35, 17, 11});
  expect_default_right<6, 3>(device, {33, 14, 9});
  expect_default_right<8, 3>(device, {37, 13, 10});
  expect_default_right<2, 2>(device, {45, 23, 1});
  expect_default_right<8, 2>(device, {45, 23, 1});
  expect_default_right<2, 1>(device, {1031, 1, 1});
  expect_default_right<8, 1>(device, {1031, 1, 1});
}

TEST_P(Executors, RefuseViewsThatDoNotFit) {
  const Traits traits = traits_of<Laplacian<2, 3>, double>();
  Queue queue(device);
  const Field<double> a(device, {8, 8, 8});
  const Field<double> b(device, {8, 8, 9});
  const Field<double> flat(device, {8, 8, 2});
  const Field<double> flat_out(device, {8, 8, 2});
  using K = Laplacian<2, 3>;
  EXPECT_THROW((void)launch(queue, Call<K, double>{K(Spacing{}), {a.view()}, b.view()}),
               UsageError);
  EXPECT_THROW((void)launch(queue, Call<K, double>{K(Spacing{}), {a.view()}, a.view()}),
               UsageError);
  EXPECT_THROW((void)launch(queue, Call<K, double>{K(Spacing{}), {flat.view()}, flat_out.view()}),
               UsageError);
}

TEST_P(Executors, RefuseSchedulesOfOtherDevices) {
  Queue queue(device);
  const Field<double> a(device, {8, 8, 8});
  const Field<double> b(device, {8, 8, 8});
  using K = Laplacian<2, 3>;
  const Schedule other = device.kind() == DeviceKind::cpu ? Schedule(GpuSchedule{}) : CpuSchedule{};
  EXPECT_THROW((void)launch(queue, Call<K, double>{K(Spacing{}), {a.view()}, b.view()}, other),
               UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, Executors, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(Emulated, ReadsOutsideTheFootprintAreCaught) {
  const Device device("simt:32");
  Queue queue(device);
  const Field<double> a(device, {8, 8, 8});
  const Field<double> b(device, {8, 8, 8});
  try {
    (void)launch(queue, Call<test::Undeclared, double>{{}, {a.view()}, b.view()});
    FAIL() << "the undeclared access was not caught";
  } catch (const Failure& fault) {
    EXPECT_THAT(fault.what(), ::testing::HasSubstr("(1, 1, 0)"));
  }
}

} // namespace
} // namespace ridge::stencil
