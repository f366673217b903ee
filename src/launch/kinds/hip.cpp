// AMD GPUs: clang, and hiprtc.
#include "../isa.hpp"
#include "kinds.hpp"

#include <fmt/format.h>

#include <string_view>

namespace ridge::launch {

namespace {

/// $RIDGE_HIPRTC (a file; `off`: none), the loader's, that of $ROCM_PATH. Before ROCm 6 the runtime
/// has it; since then, a library of its own.
const KernelCompiler* hiprtc() {
  static const KernelCompiler* const found =
      KernelCompiler::open({"hiprtc",
                            "hiprtc",
                            "Code",
                            "RIDGE_HIPRTC",
                            {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                             "libamdhip64.so", "libamdhip64.so.5"},
                            {"ROCM_PATH", "HIP_PATH"},
                            {"/opt/rocm"},
                            {},
                            knows_amd_isa});
  return found;
}

std::string find_hip_compiler() {
  if (variable("RIDGE_HIPCC") == "off") return {};
  return first_of({variable("RIDGE_HIPCC"), RIDGE_BUILD_HIP, "amdclang++", "clang++-19"});
}

/// Why hiprtc does not compile for the GPU, where that is the reason to look for a compiler.
std::string hiprtc_excuse(const std::string& architecture) {
  const KernelCompiler* const library = hiprtc();
  if (library == nullptr) return "neither hiprtc nor clang for HIP is here";
  if (!library->takes(architecture))
    return "the hiprtc here does not know " + architecture + ", and there is no clang for HIP";
  return "there is no clang for HIP";
}

Compiler for_hip(const Device& device) {
  const std::string clang = find_hip_compiler();
  if (clang.empty()) {
    missing(to_text(device.id()), hiprtc_excuse(device.facts().architecture),
            "install clang-19 and rocm-device-libs, or a ROCm that knows the GPU (RIDGE_HIPRTC "
            "names its libhiprtc.so)");
  }
  Compiler c{{clang, "-x", "hip", "-std=c++20", "-O3", "-fPIC", "-ffp-contract=fast",
              "--offload-arch=" + device.facts().architecture, "-Wno-unused-value",
              "-DRIDGE_TARGET_HIP", "-shared"},
             identity_of(clang),
             ".hip"};
  c.host = clang;
  if (const std::string_view bitcode = RIDGE_BUILD_HIP_BITCODE; !bitcode.empty())
    c.command.push_back(fmt::format("--rocm-device-lib-path={}", bitcode));
  c.usual_seconds = 8;
  return c;
}

} // namespace

constinit const Toolchain toolchains::hip{
    .definition = "-DRIDGE_TARGET_HIP",
    .compiler = for_hip,
    .has_compiler = [] { return !find_hip_compiler().empty(); },
    .images = hiprtc,
    .image_options =
        [](const std::string& architecture) {
          return std::vector<std::string>{"--gpu-architecture=" + architecture, "-O3",
                                          "-ffp-contract=fast"};
        },
    // Makes functions of headers ones for GPUs, too; NVRTC has an option for it. Behind what hiprtc
    // itself brings along.
    .image_begin = "#pragma clang force_cuda_host_device begin\n",
};

} // namespace ridge::launch
