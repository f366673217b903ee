// Users' kernels of every pattern on GPUs, compiled when they are asked for: shown without a GPU up
// to the launch. What the host lays out and what the libraries compiled must agree in size.
#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/launch.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/shift.hpp>
#include <ridge/lattice/site_call.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/stencil/launch.hpp>

#include "launch/architecture.hpp"
#include "launch/gpu/fake_gpu.hpp"
#include "launch/gpu/user_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ridge {
namespace {

using ::testing::HasSubstr;

const char* const kernels = RIDGE_TEST_KERNELS; // user_kernels.hpp

class OnDemand : public ::testing::TestWithParam<test::Architecture> {
protected:
  void SetUp() override {
    if (const std::string missing = test::missing_for(GetParam()); !missing.empty())
      GTEST_SKIP() << missing;
    test::fake_launches().clear();
    for (const char* const compiler : compilers)
      setenv(compiler, "off", 1); // they would come first
  }
  void TearDown() override {
    for (const char* const compiler : compilers)
      unsetenv(compiler);
  }
  /// Binds and runs the call; from the cache when it is bound again. Returns its launches.
  template <class Call>
  std::vector<test::FakeLaunch> run(const Call& call,
                                    const typename Pattern<Call>::Schedule& schedule) {
    using Executed = std::remove_cvref_t<decltype(std::declval<Pattern<Call>>().call())>;
    know_source(typeid(Executed), kernels, "");
    const Program program(queue, call, schedule);
    EXPECT_THAT(program.record().compiled, ::testing::AnyOf("now", "cached"));
    const int asked = test::fake_questions();
    const Program again(queue, call, schedule);
    EXPECT_EQ(again.record().compiled, "cached");
    EXPECT_EQ(test::fake_questions(), asked) << "which waits for what the GPU does";
    program.run();
    return test::fake_launches();
  }
  template <class Call>
  std::vector<test::FakeLaunch> run(const Call& call) {
    return run(call, Pattern<Call>::default_schedule(device, call));
  }

  static constexpr std::array compilers{"RIDGE_NVCC", "RIDGE_HIPCC"};
  Device device{GetParam().kind == DeviceKind::cuda ? "cuda:0" : "hip:0"};
  Queue queue{device};
  lattice::Lattice eight{Extents{8, 8, 8, 8}};
};

TEST_P(OnDemand, Stencils) {
  const Extents extents{64, 20, 10};
  Field<double> in(device, extents);
  Field<double> out(device, extents);
  const stencil::Call<mine::Mean, double> call{{}, {in.view()}, out.view()};
  EXPECT_EQ(run(call, stencil::GpuSchedule{}).size(), 1U);
}

TEST_P(OnDemand, StencilsThatSayAllThatKernelsMay) {
  const Extents extents{64, 20, 10};
  Field<float> in(device, extents);
  Field<float> out(device, extents);
  const stencil::Call<mine::Words, float> call{{}, {in.view()}, out.view()};
  EXPECT_EQ(run(call, stencil::GpuSchedule{}).size(), 1U);
}

TEST_P(OnDemand, DirectSums) {
  Field<float> x(device, Extents{3000});
  Field<float> sum(device, Extents{3000});
  const auto call = pairs::among_themselves<mine::Spring, pairs::Fp32>(
      {}, {Span<const float>(x.elements())}, {sum.elements()});
  EXPECT_EQ(run(call, pairs::GpuSchedule{}).size(), 1U);
}

TEST_P(OnDemand, SymmetricSums) {
  Field<float> x(device, Extents{3000});
  Field<float> sum(device, Extents{3000});
  const auto call = pairs::among_themselves<mine::Spring, pairs::Fp32>(
      {}, {Span<const float>(x.elements())}, {sum.elements()});
  pairs::GpuSchedule s;
  s.form = pairs::Form::symmetric;
  s.block = 128;
  s.tile = 4;
  s.unroll = 2;
  const auto launches = run(call, s);
  ASSERT_EQ(launches.size(), 2U); // all pairs, and what is joined
  EXPECT_EQ(launches[0].shape.grid.x, 6 * 7 / 2);
  EXPECT_EQ(launches[0].shape.block.x, 128);
  EXPECT_GT(launches[0].shape.shared_bytes, 0);
}

TEST_P(OnDemand, Maps) {
  lattice::Field<lattice::ColourVector<double>> x(device, eight);
  EXPECT_EQ(run(lattice::map_call(mine::Cubes{}, x, x)).size(), 1U);
}

TEST_P(OnDemand, Reductions) {
  lattice::Field<lattice::ColourVector<float>> x(device, eight);
  const lattice::DeviceResult<double> result(device);
  const auto call = lattice::reduce_call(mine::FourthPowers{}, x, result);
  lattice::GpuSchedule s;
  s.finish = lattice::Finish::second;
  const auto launches = run(call, s);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_TRUE(launches[1].prepared_early);
  test::fake_launches().clear();
  s.reduce = lattice::Passes::staged;
  s.components = lattice::Components::serial;
  s.items = 1;
  EXPECT_EQ(run(call, s).size(), 3U);
  test::fake_launches().clear();
  s.reduce = lattice::Passes::once;
  s.components = lattice::Components::threads;
  const auto once = run(call, s);
  ASSERT_EQ(once.size(), 2U);
  EXPECT_EQ(once[0].shape.grid.x, ceil_div(x.reals().size / 4, once[0].shape.block.x));
}

/// Without any field: geometry decides.
TEST_P(OnDemand, LongMapsThatReduceHaveNoLoopOnNvidia) {
  const auto chosen = [&](Index last, const lattice::Task& task) {
    const lattice::SiteShape shape = lattice::shape_of<lattice::Complex<double>>();
    const lattice::Geometry g = lattice::Lattice({16, 16, 16, last}).geometry(shape.number_bytes());
    return std::get<lattice::GpuSchedule>(lattice::default_schedule(device, task, shape, g));
  };
  using lattice::Passes;
  const auto axpy_norm = lattice::task_of<lattice::AxpyNorm<double>>(false, false);
  const bool nvidia = device.kind() == DeviceKind::cuda;
  const lattice::GpuSchedule s = chosen(256, axpy_norm);
  EXPECT_EQ(s.reduce, nvidia ? Passes::once : Passes::fused);
  EXPECT_EQ(s.groups * s.items, nvidia ? 256 : 64 * 16);
  EXPECT_EQ(chosen(8, axpy_norm).reduce, Passes::fused) << "what is in the cache";
  for (const lattice::Task& other : {lattice::task_of<lattice::Norm2>(false, false),
                                     lattice::task_of<lattice::Sum>(false, false),
                                     lattice::task_of<lattice::AxpyNorm<double>>(true, false),
                                     lattice::task_of<lattice::AxpyNorm<double>>(false, true)})
    EXPECT_EQ(chosen(256, other).reduce, Passes::fused);
}

TEST_P(OnDemand, Chains) {
  const Extents extents{100, 7};
  Field<double> in(device, extents);
  Field<double> out(device, extents);
  chain::Request<mine::Smooth, double> request{{}, extents.xyz(), {}};
  request.views.set(mine::u, std::as_const(in).view()).set(mine::v, out.view());
  EXPECT_EQ(run(request).size(), 1U); // a group
  test::fake_launches().clear();
  chain::GpuSchedule apart;
  EXPECT_EQ(run(request, apart).size(), 2U); // one launch each
}

INSTANTIATE_TEST_SUITE_P(Of, OnDemand, ::testing::Values(test::hopper, test::mi200), test::name_of);

/// A compiler for HIP that notes what it is asked for, and fails.
class OtherGpus : public ::testing::Test {
protected:
  OtherGpus() {
    std::filesystem::create_directories(folder);
    test::fake_amd_architecture() = "gfx1100";
  }
  ~OtherGpus() override {
    test::fake_amd_architecture() = "gfx90a";
    unsetenv("RIDGE_HIPCC");
    std::filesystem::remove_all(folder);
  }
  std::string refusal() {
    const Device device("hip:0");
    Queue queue(device);
    lattice::Field<double> x(device, lattice::Lattice(Extents{8, 8, 8, 8}));
    const auto call = lattice::map_call(mine::Cubes{}, x, x);
    know_source(typeid(call), kernels, "");
    try {
      (void)Program(queue, call);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  std::string folder = ::testing::TempDir() + "ridge-other-gpus/";
};

TEST_F(OtherGpus, AreCompiledForByTheCompiler) {
  const launch::KernelCompiler* const hiprtc = launch::KernelCompiler::here(DeviceKind::hip);
  if (hiprtc != nullptr && hiprtc->takes("gfx1100")) GTEST_SKIP() << "this hiprtc knows gfx1100";
  const std::string compiler = folder + "clang++";
  std::ofstream(compiler) << "#!/bin/sh\necho \"$@\" >" << folder
                          << "asked\necho 'kernel.hip:1:1: error: told to fail' >&2\nexit 1\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  setenv("RIDGE_HIPCC", compiler.c_str(), 1);
  EXPECT_THAT(refusal(), HasSubstr("told to fail"));
  std::ifstream asked(folder + "asked");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(asked), {}),
              HasSubstr("--offload-arch=gfx1100"));
}

TEST_F(OtherGpus, AreNamedWhereNothingCompilesForThem) {
  const launch::KernelCompiler* const hiprtc = launch::KernelCompiler::here(DeviceKind::hip);
  if (hiprtc == nullptr || hiprtc->takes("gfx1100")) GTEST_SKIP() << "hiprtc is not an old one";
  setenv("RIDGE_HIPCC", "off", 1);
  EXPECT_THAT(refusal(), HasSubstr("the hiprtc here does not know gfx1100, and there is no clang "
                                   "for HIP; install clang-19"));
}

} // namespace
} // namespace ridge
