#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/plan.hpp>

#include <gtest/gtest.h>

namespace ridge::lab {
namespace {

TEST(Plan, NamesKernelsThatExistAndFitsTheDevice) {
  for (const DeviceId id : list_devices()) {
    const Device device(id);
    for (const bool quick : {false, true}) {
      const auto plan = lab_plan(device, quick);
      EXPECT_FALSE(plan.empty());
      for (const PlannedRun& run : plan) {
        EXPECT_NO_THROW((void)find_bench_kernel(run.kernel)) << run.kernel;
        EXPECT_LT(run.size.count() * 16, device.free_memory().value);
      }
    }
    EXPECT_LT(lab_plan(device, true).size(), lab_plan(device, false).size());
  }
}

TEST(BenchKernels, RunOnTheEmulatedGpuAndHandOverCheckedRecords) {
  const Device device("simt:32");
  RoofSource roof(device);
  for (const BenchKernel& kernel : bench_kernels()) {
    // Compiled on demand, which takes long; heat of these orders and waves of order 2 are not.
    if (kernel.name.starts_with("wave") && kernel.name != "wave") continue;
    if (kernel.name.starts_with("elements") && kernel.name != "elements") continue;
    const Extents size = kernel.pattern == "lattice" ? Extents{8, 6, 4, 2}
                         : kernel.pattern == "pairs" || kernel.pattern == "tree" ? Extents{300}
                         : kernel.name == "elements"                             ? Extents{4, 4, 35}
                         : kernel.pattern == "chain"                             ? Extents{1000}
                                                     : Extents{20, 15, 13};
    BenchRequest request{device, size, "fp32", "auto", {}};
    request.measure.repeats = 1;
    int records = 0;
    run_kernel(kernel, request, roof, [&](const Record& record) {
      ++records;
      EXPECT_EQ(record.kernel, kernel.name);
      ASSERT_TRUE(record.check.has_value());
      EXPECT_TRUE(record.check->ok) << kernel.name << ": " << record.check->message;
      EXPECT_TRUE(record.timing.has_value());
    });
    EXPECT_EQ(records, 1) << kernel.name;
  }
}

} // namespace
} // namespace ridge::lab
