#include "compilers.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/identity.hpp>
#include <ridge/launch/process.hpp>

#include "hash.hpp"
#include "kernel_compiler.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace ridge::launch {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The first of these programs that is here.
std::string first_of(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::string found = find_program(name); !found.empty()) return found;
  }
  return {};
}

[[noreturn]] void missing(const std::string& device, const std::string& what,
                          const std::string& how) {
  throw Failure(
      fmt::format("this kernel is not compiled for this schedule, and it cannot be compiled "
                  "now for {}: {}; {}. `ridge schedules` lists what runs without",
                  device, what, how));
}

/// What the processor offers, as the system lists it: -march=native means it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  std::string found;
  while (std::getline(info, line) && !line.empty()) {
    if (line.starts_with("flags") || line.starts_with("model") || line.starts_with("vendor"))
      found += line + "\n";
  }
  return found;
}

/// The C++ compiler of the host, as given or as found; empty where there is none.
std::string find_host_compiler() {
  if (const std::string given = variable("RIDGE_CXX"); !given.empty()) return find_program(given);
  return first_of({RIDGE_BUILD_CXX, "g++", "clang++", "clang++-19"});
}

std::string host_compiler(const std::string& device) {
  const std::string found = find_host_compiler();
  if (!found.empty()) return found;
  if (const std::string given = variable("RIDGE_CXX"); !given.empty())
    missing(device, "RIDGE_CXX=" + given + " is not there", "name another");
  missing(device, "there is no C++ compiler", "install g++ (`apt-get install g++`)");
}

bool is_clang(const std::string& program) {
  return program.find("clang") != std::string::npos;
}

Compiler for_cpu(const Device& device) {
  const std::string cxx = host_compiler(to_text(device.id()));
  Compiler c{{cxx, "-std=c++20", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno",
              "-fno-trapping-math", "-DRIDGE_TARGET_CPU", "-fPIC", "-shared"},
             identity_of(cxx) + "\n" + processor(),
             ".cpp"};
  if (!is_clang(cxx)) c.command.emplace_back("-mprefer-vector-width=512");
  c.takes_prelude = !is_clang(cxx);
  return c;
}

Compiler for_simt(const Device& device) {
  const std::string cxx = host_compiler(to_text(device.id()));
  Compiler c{{cxx, "-std=c++20", "-O1", "-DRIDGE_TARGET_SIMT", "-fPIC", "-shared"},
             identity_of(cxx),
             ".cpp"};
  c.takes_prelude = !is_clang(cxx);
  return c;
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
    const bool nvrtc = KernelCompiler::here(DeviceKind::cuda) != nullptr;
    missing(to_text(device.id()),
            nvrtc ? "there is no nvcc, and beside NVRTC no C++ compiler"
                  : "there is neither nvcc nor NVRTC",
            nvrtc ? "install g++ (`apt-get install g++`), or the CUDA toolkit"
                  : "install the CUDA toolkit, or NVRTC (`pip install nvidia-cuda-nvrtc`; "
                    "RIDGE_NVRTC names the library)");
  }
  const std::string cxx = host_compiler(to_text(device.id()));
  return {{nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-ccbin", cxx, "-Xcompiler=-fPIC",
           "-arch=" + device.facts().architecture, "-DRIDGE_TARGET_CUDA", "-cudart=static",
           "-shared"},
          identity_of(nvcc) + "\n" + identity_of(cxx),
          ".cu",
          "-Xlinker="};
}

std::string find_hip_compiler() {
  if (variable("RIDGE_HIPCC") == "off") return {};
  return first_of({variable("RIDGE_HIPCC"), RIDGE_BUILD_HIP, "amdclang++", "clang++-19"});
}

/// Why hiprtc does not compile for the GPU, where that is the reason to look for a compiler.
std::string hiprtc_excuse(const std::string& architecture) {
  const KernelCompiler* const hiprtc = KernelCompiler::here(DeviceKind::hip);
  if (hiprtc == nullptr) return "neither hiprtc nor clang for HIP is here";
  if (!hiprtc->takes(architecture))
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
  if (const std::string_view bitcode = RIDGE_BUILD_HIP_BITCODE; !bitcode.empty())
    c.command.push_back(fmt::format("--rocm-device-lib-path={}", bitcode));
  return c;
}

Compiler plain_compiler(const Device& device) {
  switch (device.kind()) {
  case DeviceKind::cpu:
    return for_cpu(device);
  case DeviceKind::simt:
    return for_simt(device);
  case DeviceKind::cuda:
    return for_cuda(device);
  case DeviceKind::hip:
    return for_hip(device);
  }
  throw Failure("no compiler for " + to_text(device.id()));
}

Compiler finished(Compiler c) {
  for (const std::string& word : c.command)
    c.identity += "\n" + word;
  return c;
}

/// What is compiled has variants of its own: static members of its templates are neither those that
/// modules loaded before have under the same name (which g++ marks to be the only ones of a
/// process) nor the program's.
void keep_apart(Compiler& c, bool gnu, bool nvcc) {
  if (gnu) c.command.emplace_back(nvcc ? "-Xcompiler=-fno-gnu-unique" : "-fno-gnu-unique");
  c.command.emplace_back(nvcc ? "-Xlinker=-Bsymbolic" : "-Wl,-Bsymbolic");
}

/// Host code that is not measured.
Compiler quick_compiler(const std::string& what, const std::vector<std::string>& options) {
  require_permission(what);
  const std::string cxx = host_compiler(what);
  Compiler c{{cxx, "-std=c++20", "-O1", "-g0", "-fPIC", "-shared"}, identity_of(cxx), ".cpp"};
  c.command.insert(c.command.end(), options.begin(), options.end());
  c.takes_prelude = !is_clang(cxx);
  keep_apart(c, !is_clang(cxx), false);
  return finished(std::move(c));
}

} // namespace

std::string identity_of(const std::string& program) {
  struct stat s {};
  if (stat(program.c_str(), &s) != 0) return program;
  return fmt::format("{} {} {}.{}", program, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

void require_permission(const std::string& device) {
  if (variable("RIDGE_COMPILE") == "off") missing(device, "RIDGE_COMPILE=off", "unset it");
  if (headers_folder().empty()) {
    missing(device, "the library's headers are not beside it",
            "install them at ../include from the library");
  }
}

bool has_compiler(DeviceKind kind) {
  if (kind == DeviceKind::hip) return !find_hip_compiler().empty();
  return !find_nvcc().empty() && !find_host_compiler().empty();
}

std::string compiler_name(const Device& device) {
  try {
    const Compiler c = finished(plain_compiler(device));
    std::error_code failed;
    const auto program = std::filesystem::canonical(c.command.front(), failed);
    return fmt::format("{}-{}", program.filename().string(), digest(c.identity).substr(0, 8));
  } catch (const Failure&) {
    return "none";
  }
}

Compiler compiler_for(const Device& device) {
  require_permission(to_text(device.id()));
  Compiler c = plain_compiler(device);
  keep_apart(c, device.kind() != DeviceKind::hip && !is_clang(host_compiler(to_text(device.id()))),
             device.kind() == DeviceKind::cuda);
  return finished(std::move(c));
}

Compiler compiler_for_host() {
  return quick_compiler("the host", {});
}

Compiler compiler_for_launches(const Device& device) {
  const bool hip = device.kind() == DeviceKind::hip;
  return quick_compiler(to_text(device.id()),
                        {hip ? "-DRIDGE_TARGET_HIP" : "-DRIDGE_TARGET_CUDA", "-DRIDGE_IMAGES"});
}

bool has_host_compiler() {
  return !find_host_compiler().empty();
}

} // namespace ridge::launch
