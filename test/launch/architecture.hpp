// GPUs that tests compile kernels for without having them.
#pragma once

#include "launch/image.hpp"
#include "launch/kernel_compiler.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace ridge::test {

struct Architecture {
  DeviceKind kind;
  const char* name;
};
inline constexpr Architecture hopper{DeviceKind::cuda, "sm_90"};
inline constexpr Architecture mi200{DeviceKind::hip, "gfx90a"};

inline void PrintTo(const Architecture& a, std::ostream* out) {
  *out << a.name;
}
inline std::string name_of(const ::testing::TestParamInfo<Architecture>& info) {
  return info.param.name;
}

/// Why nothing can be compiled for the architecture here; empty where it can.
inline std::string missing_for(const Architecture& a) {
#if defined(RIDGE_SANITIZED)
  if (a.kind == DeviceKind::hip)
    return "hiprtc does not free what it took, which sanitizers report";
#endif
  const launch::KernelCompiler* const compiler = launch::KernelCompiler::here(a.kind);
  if (compiler == nullptr)
    return a.kind == DeviceKind::cuda ? "there is no NVRTC here" : "there is no hiprtc here";
  if (!compiler->takes(a.name)) return compiler->identity() + " does not know " + a.name;
  return {};
}

/// True where the nth of what is compiled alone is of the part that RIDGE_GPU_CHECKED=N/M names;
/// all are without it. Says which are left out.
inline bool is_of_part(std::size_t n, const std::string& name) {
  std::size_t part = 0, parts = 1;
  const char* const chosen = std::getenv("RIDGE_GPU_CHECKED");
  if (chosen == nullptr || std::sscanf(chosen, "%zu/%zu", &part, &parts) != 2 || parts == 0)
    return true;
  if (n % parts == part) return true;
  std::printf("left out, of a part that RIDGE_GPU_CHECKED=%s does not name: %s\n", chosen,
              name.c_str());
  return false;
}

inline launch::KernelCompiler::Compiled compile(const Architecture& a, const std::string& text) {
  return launch::KernelCompiler::here(a.kind)->compile(text, "kernel.cu",
                                                       launch::image_options(a.kind, a.name));
}

} // namespace ridge::test
