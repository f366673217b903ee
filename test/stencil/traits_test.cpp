#include <ridge/device/field.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <tuple>

namespace ridge::stencil {
namespace {

/// Points of an input that some interior point reads, counted one by one.
Index touched_by_counting(const std::vector<Offset>& offsets, Offset r, Index3 n) {
  std::set<std::tuple<Index, Index, Index>> touched;
  for (Index z = r.z; z < n.z - r.z; ++z) {
    for (Index y = r.y; y < n.y - r.y; ++y) {
      for (Index x = r.x; x < n.x - r.x; ++x) {
        for (const Offset& o : offsets)
          touched.insert({x + o.x, y + o.y, z + o.z});
      }
    }
  }
  return static_cast<Index>(touched.size());
}

template <class K>
void expect_counted_work(Index3 n) {
  const Traits traits = traits_of<K, double>();
  Index read = 0;
  for (const auto& offsets : traits.footprints) {
    read += touched_by_counting(offsets, traits.radius, n);
  }
  EXPECT_EQ(work_of(traits, n).read.value, read * 8) << n.x << "x" << n.y << "x" << n.z;
  EXPECT_EQ(work_of(traits, n).written.value, interior_points(traits, n) * 8);
}

struct Skewed {
  static constexpr Footprint<3> footprint{{{{0, 0, 0}, {2, -1, 0}, {-1, 0, 3}}}};
};

TEST(Work, Is7PointTrafficAsTheLaplacianSeriesDefinesIt) {
  const Index nx = 512, ny = 500, nz = 300;
  const Work work = work_of(traits_of<Laplacian<2, 3>, double>(), {nx, ny, nz});
  EXPECT_EQ(work.read.value, (nx * ny * nz - 8 - 4 * (nx - 2) - 4 * (ny - 2) - 4 * (nz - 2)) * 8);
  EXPECT_EQ(work.written.value, (nx - 2) * (ny - 2) * (nz - 2) * 8);
  EXPECT_EQ(work.flops, 10.0 * static_cast<double>((nx - 2) * (ny - 2) * (nz - 2)));
}

TEST(Work, DoesNotKnowOperationsThatTheKernelDoesNotSay) {
  const Work work = work_of(traits_of<Skewed, double>(), {9, 10, 11});
  EXPECT_TRUE(std::isnan(work.flops));
  EXPECT_NE(work.convention.find("flops a point not known"), std::string::npos) << work.convention;
  EXPECT_EQ(work.convention.find("0 flops"), std::string::npos) << work.convention;
}

TEST(Work, IsTheTrueFootprintOfAnyStencil) {
  std::mt19937 random(7);
  std::uniform_int_distribution<Index> side(9, 15);
  for (int i = 0; i < 5; ++i) {
    const Index3 n{side(random), side(random), side(random)};
    expect_counted_work<Laplacian<2, 3>>(n);
    expect_counted_work<Laplacian<8, 3>>(n);
    expect_counted_work<Laplacian<4, 1>>(n);
    expect_counted_work<Laplacian<6, 2>>(n);
    expect_counted_work<Box27>(n);
    expect_counted_work<Skewed>(n);
  }
}

template <class T>
void expect_recorded_as(const std::string& precision) {
  const Device cpu("cpu");
  Queue queue(cpu);
  Field<T> in(cpu, {16, 9, 8});
  Field<T> out(cpu, {16, 9, 8});
  using Single = Call<Laplacian<2, 3>, T>;
  const Single call{Laplacian<2, 3>{{1, 1, 1}}, {in.view()}, out.view()};
  EXPECT_EQ(subject_of(call, "").precision, precision);
  const Schedule schedule = Pattern<Single>::default_schedule(cpu, call);
  const Record single = Pattern<Single>(queue, call, schedule).record(cpu, schedule, "laplacian");
  using Several = Pass<Laplacian<2, 3>, T>;
  Several pass{};
  pass.in = call.in;
  pass.out = {out.view()};
  pass.shell.field = out.view();
  const PassSchedule passes = Pattern<Several>::default_schedule(cpu, pass);
  const Record several = Pattern<Several>(queue, pass, passes).record(cpu, passes, "laplacian");
  for (const Record& record : {single, several}) {
    EXPECT_EQ(record.precision, precision);
    ASSERT_EQ(record.details.size(), sizeof(T) == 2 ? 1 : 0);
    if (sizeof(T) == 2) {
      EXPECT_EQ(record.details[0].name, "arithmetic");
    }
  }
}

TEST(RecordsOfStencils, SayWhichNumbersTheyAreOf) {
  expect_recorded_as<double>("fp64");
  expect_recorded_as<float>("fp32");
  expect_recorded_as<Fp16>("fp16");
  expect_recorded_as<Bf16>("bf16");
}

TEST(Work, IsNothingWithoutAnInterior) {
  const Traits traits = traits_of<Laplacian<2, 3>, float>();
  for (const Index3 n : {Index3{2, 9, 9}, Index3{9, 2, 9}, Index3{9, 9, 1}, Index3{1, 1, 1}}) {
    EXPECT_EQ(interior_points(traits, n), 0);
    EXPECT_EQ(work_of(traits, n).read.value, 0);
  }
}

} // namespace
} // namespace ridge::stencil
