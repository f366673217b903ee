// A header in a folder is all that a new kernel takes: those of kernels, which the build of these
// tests knows by their folder only, are then known to everything.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ridge::lab {
namespace {

using ::testing::HasSubstr;

BenchRequest request_of(const char* device, const char* precision, const char* schedule) {
  BenchRequest request{Device(device), Extents{37, 21, 18}, precision, schedule, {}};
  request.measure.repeats = 1;
  request.options.set("steps", Index{3});
  request.roof = false;
  return request;
}

std::vector<Record> records_of(const char* kernel, const BenchRequest& request) {
  RoofSource roof(request.device, true, request.roof);
  std::vector<Record> all;
  run_kernel(find_bench_kernel(kernel), request, roof, [&](const Record& r) { all.push_back(r); });
  return all;
}

TEST(NewStencil, IsBenchedAndCheckedOnEveryKindAheadOfTime) {
  for (const char* const kernel : {"asymmetric", "drift"}) {
    for (const char* const device : {"cpu", "simt:32", "simt:64"}) {
      for (const char* const precision : {"fp64", "fp32"}) {
        const auto records = records_of(kernel, request_of(device, precision, "auto"));
        ASSERT_EQ(records.size(), 1U);
        EXPECT_TRUE(records[0].check->ok)
            << kernel << " " << device << " " << precision << ": " << records[0].check->message;
        EXPECT_EQ(records[0].compiled, "ahead") << kernel << " " << device;
      }
    }
  }
}

TEST(NewStencil, IsCompiledOnDemandForOtherSchedules) {
  const auto records = records_of("asymmetric", request_of("cpu", "fp64", "depth=4"));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records[0].check->ok) << records[0].check->message;
  EXPECT_NE(records[0].compiled, "ahead");
}

TEST(NewStencil, IsKnownToModelAndDoctor) {
  const auto menu_of = [](const Extents& size) {
    const Device device("cpu");
    return find_bench_kernel("asymmetric")
        .make_menu({device, size, "fp32", "auto", {}}, Place{device});
  };
  EXPECT_EQ(menu_of({37, 21, 18})->halo()->radius, (Index3{2, 3, 2}));
  try {
    (void)menu_of({37, 21});
    FAIL() << "a footprint with planes is no stencil of two dimensions";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("asymmetric takes three dimensions, not 37x21"));
  }
  const BenchKernel& kernel = find_bench_kernel("asymmetric");
  EXPECT_TRUE(kernel.make_menu);
  EXPECT_TRUE(kernel.over_ranks);
}

TEST(NewStencil, IsAppliedToDataWithTheirSpacing) {
  Queue queue(Device("cpu"));
  const Index3 n{12, 11, 10};
  const Field<double> in(queue.device(), {n.x, n.y, n.z}, "u");
  const Field<double> out(queue.device(), {n.x, n.y, n.z}, "f");
  fill_random(queue, in.elements(), 1);
  const auto apply = [&](double h) {
    const auto array = [&](const Field<double>& field) {
      return Array{field.data(), 3, {n.x, n.y, n.z}, {1, n.x, n.x * n.y}, 8};
    };
    const std::array<Array, 2> arrays{array(in), array(out)};
    RoofSource roof(queue.device(), true, false);
    const auto job = case_on_arrays(find_one_input_kernel("asymmetric"), queue, roof,
                                    {"asymmetric", arrays, {}, ShapeOrder::x_first, {h, h, h}});
    job->poison();
    job->bind(job->menu().parse("auto")).run();
    const Check check = job->check();
    EXPECT_TRUE(check.ok) << check.message;
    return out.data()[5 + n.x * (5 + n.y * 5)];
  };
  EXPECT_DOUBLE_EQ(apply(0.5), 4 * apply(2));
}

TEST(NewStencil, HasARowInTheWholeTable) {
  const auto plan = lab_plan(Device("cpu"), false);
  EXPECT_TRUE(std::any_of(plan.begin(), plan.end(),
                          [](const PlannedRun& run) { return run.kernel == "asymmetric"; }));
}

TEST(NewStencil, EvolvesWithItsOwnLargestStep) {
  const EvolutionRequest request{"drift", 3, 8, {1, 2, 4}, 3};
  EXPECT_DOUBLE_EQ(stable_step(request), 1 / (3 * 1.75));
  EXPECT_EQ(make_evolution(request, 0.1).traits.footprints.at(0).size(), 4U);
  EvolutionRequest flat = request;
  flat.rank = 2;
  EXPECT_THROW((void)stable_step(flat), UsageError);
}

// Kernels of the other patterns: a header each.

struct NewKernel {
  const char* name;
  Extents size;
};
const NewKernel new_kernels[] = {
    {"springs", {150}}, {"fourth-powers", {8, 4, 4, 4}}, {"mix", {8, 4, 4, 4}}, {"smooth", {1009}}};

TEST(NewKernels, AreBenchedAndCheckedOnEveryKindAheadOfTime) {
  for (const NewKernel& kernel : new_kernels) {
    for (const char* const device : {"cpu", "simt:32", "simt:64"}) {
      for (const char* const precision : {"fp64", "fp32"}) {
        BenchRequest request = request_of(device, precision, "auto");
        request.size = kernel.size;
        const auto records = records_of(kernel.name, request);
        ASSERT_EQ(records.size(), 1U);
        EXPECT_TRUE(records[0].check->ok) << kernel.name << " " << device << " " << precision
                                          << ": " << records[0].check->message;
        EXPECT_EQ(records[0].compiled, "ahead") << kernel.name << " " << device;
      }
    }
  }
}

TEST(NewKernels, AreCompiledOnDemandForOtherSchedules) {
  BenchRequest request = request_of("cpu", "fp32", "tile=3");
  request.size = Extents{150};
  const auto records = records_of("springs", request);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records[0].check->ok) << records[0].check->message;
  EXPECT_NE(records[0].compiled, "ahead");
}

TEST(NewKernels, AreKnownToTheDoctorAndTheWholeTable) {
  for (const NewKernel& kernel : new_kernels)
    EXPECT_TRUE(find_bench_kernel(kernel.name).make_menu) << kernel.name;
  const auto plan = lab_plan(Device("cpu"), false);
  for (const char* const name : {"springs", "fourth-powers"}) {
    EXPECT_TRUE(std::any_of(plan.begin(), plan.end(), [&](const PlannedRun& run) {
      return run.kernel == name;
    })) << name;
  }
}

TEST(BuiltInKernels, HaveTheirOwnNames) {
  std::vector<std::string> names;
  for (const BenchKernel& kernel : bench_kernels())
    names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const char* const name : {"laplacian", "laplacian8", "box27", "diffusion", "heat", "wave8"})
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
}

} // namespace
} // namespace ridge::lab
