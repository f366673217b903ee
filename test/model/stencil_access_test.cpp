// From a stencil and its schedule to what the model sees.
#include <ridge/core/error.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/model_access.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace ridge::stencil {
namespace {

constexpr Index3 cube512{512, 512, 512};
constexpr Index3 cube1024{1024, 1024, 1024};

Traits laplacian() {
  return traits_of<Laplacian<2, 3>, double>();
}

GpuSchedule named(const std::string& name) {
  for (const NamedSchedule& s : named_schedules(Device("simt:64"))) {
    if (s.name == name) return std::get<GpuSchedule>(s.schedule);
  }
  throw std::logic_error("no " + name);
}

double efficiency(const std::string& name, Index3 n) {
  const auto device = model::shipped_description("mi250x-gcd");
  const auto p = predict(laplacian(), named(name), n, device);
  return 100 * static_cast<double>(work_of(laplacian(), n).read.value) / p.traffic.fetched;
}

// Ridge's named schedules are the kernels of the series, so the model must say of them what it
// says of those.
TEST(ModelAccess, NamedSchedulesAreThePublishedKernels) {
  EXPECT_NEAR(efficiency("kernel1", cube512), 53.3, 11);
  EXPECT_NEAR(efficiency("kernel2", cube512), 59.0, 11);
  EXPECT_NEAR(efficiency("kernel3", cube512), 99.4, 1);
  EXPECT_NEAR(efficiency("kernel4", cube512), 99.4, 1);
  EXPECT_NEAR(efficiency("kernel5", cube512), 100, 0.5);
  EXPECT_NEAR(efficiency("kernel5", cube1024), 33.1, 1);
  EXPECT_NEAR(efficiency("kernel6", cube1024), 95.4, 1);
  EXPECT_NEAR(efficiency("kernel7", cube1024), 99.6, 0.3);
}

TEST(ModelAccess, WaitsComeFromTheScheduleAndTheKindOfDevice) {
  const auto waits = [](const char* name, DeviceKind kind) {
    return model_access(laplacian(), named(name), cube512, kind).waits_between_planes;
  };
  EXPECT_FALSE(waits("kernel1", DeviceKind::hip));
  EXPECT_FALSE(waits("kernel2", DeviceKind::hip));
  EXPECT_TRUE(waits("kernel3", DeviceKind::hip));
  EXPECT_FALSE(waits("kernel3", DeviceKind::cuda));
}

TEST(ModelAccess, RegistersAreNearThoseOfThePublishedKernels) {
  // Tile and registers of kernel 4, part 3 of the series.
  for (const auto& [tile, registers] : {std::pair{1, 18}, {2, 28}, {4, 54}, {8, 94}, {16, 170}}) {
    GpuSchedule s = named("kernel4");
    s.tile = tile;
    EXPECT_NEAR(model_access(laplacian(), s, cube512, DeviceKind::hip).registers, registers, 10)
        << tile;
  }
}

TEST(ModelAccess, BlocksAreThoseOfTheSchedule) {
  GpuSchedule s = named("kernel7");
  s.block = BlockShape{{64, 2, 1}};
  const auto a = model_access(laplacian(), s, cube512, DeviceKind::hip);
  EXPECT_EQ(a.block, (Index3{64, 16, 1}));
  EXPECT_EQ(a.threads, 128);
  EXPECT_EQ(a.split, 4);
  EXPECT_FALSE(a.keeps_stores);
  const std::array<int, 3> yzx{1, 2, 0};
  EXPECT_EQ(model_access(laplacian(), named("kernel6"), cube512, DeviceKind::hip).walk, yzx);
}

TEST(ModelAccess, ChoosesWhatIsNoSlowerThanAnyName) {
  for (const char* key : {"mi250x-gcd", "h200"}) {
    const auto device = model::shipped_description(key);
    for (const Index3 n : {cube512, cube1024, Index3{2048, 2048, 64}}) {
      const auto seconds = [&](const GpuSchedule& s) {
        return predict(laplacian(), s, n, device).time->seconds.value;
      };
      const double chosen = seconds(model_choice(laplacian(), n, device));
      for (const char* name : {"kernel1", "kernel5", "kernel6", "kernel7"})
        EXPECT_LE(chosen, seconds(named(name)) * 1.001) << key << " " << name;
    }
  }
}

TEST(ModelAccess, WindowsFetchLittleMoreThanTheLeastOnEveryGpu) {
  GpuSchedule s;
  s.stage = Stage::window;
  s.block = BlockShape{{32, 8, 1}};
  s.tile = 2;
  s.store = Store::nontemporal;
  for (const char* key : {"mi100", "mi210", "mi250x-gcd", "mi300x", "a100"}) {
    for (const Index3 n : {cube512, cube1024, Index3{2048, 2048, 256}, Index3{4096, 4096, 64}}) {
      const Prediction p = predict(laplacian(), s, n, model::shipped_description(key));
      const double least = static_cast<double>(work_of(laplacian(), n).read.value);
      EXPECT_LE(p.traffic.fetched, 1.1 * least) << key << " " << n.x;
    }
  }
  GpuSchedule large = s;
  large.block = BlockShape{{32, 32, 1}};
  large.tile = 8;
  EXPECT_THROW((void)predict(laplacian(), large, cube512, model::shipped_description("mi250x-gcd")),
               UsageError);
}

TEST(ModelAccess, MarchesAreForDevicesThatCan) {
  GpuSchedule s;
  s.stage = Stage::bulk;
  s.block = BlockShape{{128, 2, 1}};
  s.tile = 4;
  const auto h200 = model::shipped_description("h200");
  const Prediction p = predict(laplacian(), s, cube1024, h200);
  EXPECT_NEAR(p.traffic.fetched, 8.59e9, 3e8);
  EXPECT_THROW((void)predict(laplacian(), s, cube512, model::shipped_description("a100")),
               UsageError);
  s.ring = 16;
  EXPECT_THROW((void)predict(laplacian(), s, cube512, h200), UsageError);
  EXPECT_THROW((void)predict(laplacian(), CpuSchedule{}, cube512, h200), UsageError);
}

TEST(ModelAccess, LoopsAreThoseOfTheSchedule) {
  CpuSchedule s;
  s.rows = 32;
  s.depth = 2;
  const auto l = model_loops(laplacian(), s, cube512, 8);
  EXPECT_EQ(l.rows, 32);
  EXPECT_EQ(l.depth, 2);
  EXPECT_EQ(l.threads, 8);
  EXPECT_FALSE(l.keeps_stores);
}

} // namespace
} // namespace ridge::stencil
