// NVIDIA GPUs: nvcc, and NVRTC.
#include "kinds.hpp"

#include <filesystem>

namespace ridge::launch {

namespace fs = std::filesystem;

namespace {

/// $RIDGE_NVRTC (a file; `off`: none), the loader's, that of the toolkit Ridge was built with or of
/// $CUDA_HOME.
const KernelCompiler* nvrtc() {
  static const KernelCompiler* const found =
      KernelCompiler::open({"NVRTC",
                            "nvrtc",
                            "CUBIN",
                            "RIDGE_NVRTC",
                            {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"},
                            {"CUDA_HOME", "CUDA_PATH"},
                            {RIDGE_BUILD_CUDA, "/usr/local/cuda"},
                            {"cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"}});
  return found;
}

std::string find_nvcc() {
  if (variable("RIDGE_NVCC") == "off") return {};
  std::vector<std::string> names{variable("RIDGE_NVCC"), RIDGE_BUILD_NVCC};
  for (const char* const home : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = variable(home); !folder.empty())
      names.push_back(folder + "/bin/nvcc");
  }
  names.insert(names.end(), {"nvcc", "/usr/local/cuda/bin/nvcc"});
  return first_of(names);
}

Compiler for_cuda(const Device& device) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty()) {
    const bool images = nvrtc() != nullptr;
    missing(to_text(device.id()),
            images ? "there is no nvcc, and beside NVRTC no C++ compiler"
                   : "there is neither nvcc nor NVRTC",
            images ? "install g++ (`apt-get install g++`), or the CUDA toolkit"
                   : "install the CUDA toolkit, or NVRTC (`pip install nvidia-cuda-nvrtc`; "
                     "RIDGE_NVRTC names the library)");
  }
  const std::string cxx = host_compiler(to_text(device.id()));
  Compiler c{{nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-ccbin", cxx,
              "-Xcompiler=-fPIC", "-arch=" + device.facts().architecture, "-DRIDGE_TARGET_CUDA",
              "-cudart=static", "-shared"},
             identity_of(nvcc) + "\n" + identity_of(cxx),
             ".cu",
             "-Xlinker=",
             "-Xcompiler="};
  c.gnu = !is_clang(cxx);
  c.usual_seconds = 8;
  c.host = cxx;
  std::error_code failed;
  c.toolkit = fs::canonical(nvcc, failed).parent_path().parent_path().string();
  return c;
}

} // namespace

constinit const Toolchain toolchains::cuda{
    .definition = "-DRIDGE_TARGET_CUDA",
    .compiler = for_cuda,
    .has_compiler = [] { return !find_nvcc().empty() && !find_host_compiler().empty(); },
    .images = nvrtc,
    .image_options =
        [](const std::string& architecture) {
          return std::vector<std::string>{"-arch=" + architecture, "-default-device"};
        },
    .missing_part = "libnvrtc-builtins",
    .missing_help =
        "NVRTC lacks a part of itself, libnvrtc-builtins; install the whole of it, such "
        "as by `pip install nvidia-cuda-nvrtc`, or nvcc",
};

} // namespace ridge::launch
