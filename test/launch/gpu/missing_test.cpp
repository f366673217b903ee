// What is said on a machine without a compiler for its GPU, or with a part of one. Each in a
// process of its own, as a process looks for compilers once.
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/stencil/launch.hpp>

#include "launch/gpu/fake_gpu.hpp"
#include "launch/gpu/user_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ridge {
namespace {

/// Binds a user's stencil on a GPU under these compilers; ends the process: with 1 and the message
/// where it is refused, else with 0.
[[noreturn]] void bind_with(const char* device_name, const char* nvrtc, const char* nvcc) {
  for (const char* const variable : {"RIDGE_NVRTC", "RIDGE_HIPRTC"})
    setenv(variable, nvrtc, 1);
  for (const char* const variable : {"RIDGE_NVCC", "RIDGE_HIPCC"})
    setenv(variable, nvcc, 1);
  try {
    const Device device(device_name);
    Queue queue(device);
    const Extents extents{64, 20, 10};
    Field<double> in(device, extents);
    Field<double> out(device, extents);
    const stencil::Call<mine::Mean, double> call{{}, {in.view()}, out.view()};
    know_source(typeid(call), RIDGE_TEST_KERNELS, "");
    const Program program(queue, call, stencil::GpuSchedule{});
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

class Missing : public ::testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
using MissingDeathTest = Missing;

TEST_F(MissingDeathTest, NeitherNvccNorNvrtc) {
  EXPECT_EXIT(
      bind_with("cuda:0", "off", "off"), ::testing::ExitedWithCode(1),
      "cannot be compiled now for cuda:0: there is neither nvcc nor NVRTC; install the CUDA "
      "toolkit, or NVRTC .`pip install nvidia-cuda-nvrtc`.*`ridge schedules` lists what "
      "runs without");
}

TEST_F(MissingDeathTest, ALibraryThatIsNotThere) {
  EXPECT_EXIT(bind_with("cuda:0", "/nonexistent/libnvrtc.so", "off"), ::testing::ExitedWithCode(1),
              "there is neither nvcc nor NVRTC");
}

TEST_F(MissingDeathTest, TheBuiltinsOfNvrtc) {
  EXPECT_EXIT(
      bind_with("cuda:0", RIDGE_BROKEN_NVRTC, "off"), ::testing::ExitedWithCode(1),
      "NVRTC lacks a part of itself, libnvrtc-builtins; install the whole of it, such as by "
      "`pip install nvidia-cuda-nvrtc`, or nvcc");
}

TEST_F(MissingDeathTest, TheToolchainsForAmd) {
  EXPECT_EXIT(bind_with("hip:0", "off", "off"), ::testing::ExitedWithCode(1),
              "cannot be compiled now for hip:0: neither hiprtc nor clang for HIP is here; install "
              ".*`ridge schedules` lists");
}

TEST_F(MissingDeathTest, ABrokenCompiler) {
  EXPECT_EXIT(bind_with("cuda:0", "off", "/bin/false"), ::testing::ExitedWithCode(1),
              "/bin/false failed with status 1: it said nothing");
}

} // namespace
} // namespace ridge
