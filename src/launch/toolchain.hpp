// How kernels of each kind of device are compiled on demand.
#pragma once

#include <ridge/device/kind.hpp>

#include "compilers.hpp"
#include "kernel_compiler.hpp"

#include <string>
#include <vector>

namespace ridge::launch {

/// One a kind, in a file of its own: src/launch/kinds.
struct Toolchain {
  const char* definition; ///< that its kernels' sources see: "-DRIDGE_TARGET_CUDA"

  /// That which makes shared objects. Throws Failure where there is none.
  Compiler (*compiler)(const Device& device);
  /// Whether it is here.
  bool (*has_compiler)();

  /// The vendor's library that compiles kernels alone, to images. Null where there is none here,
  /// and for kinds that have no such library.
  const KernelCompiler* (*images)() = [] { return static_cast<const KernelCompiler*>(nullptr); };
  /// The words that it takes beside those of all.
  std::vector<std::string> (*image_options)(const std::string& architecture) = nullptr;
  const char* image_begin = ""; ///< of an image's text
  /// Of what it reports when a part of itself is missing; what then helps.
  const char* missing_part = nullptr;
  const char* missing_help = "";
};

[[nodiscard]] const Toolchain& toolchain_of(DeviceKind kind);

/// The value of a variable of the environment; empty where it is not set.
[[nodiscard]] std::string variable(const char* name);
/// The first of these programs that is here; empty where none is.
[[nodiscard]] std::string first_of(const std::vector<std::string>& names);
/// Throws Failure: a kernel cannot be compiled for the device.
[[noreturn]] void missing(const std::string& device, const std::string& what,
                          const std::string& how);
/// The C++ compiler of the host, as given or as found; empty where there is none.
[[nodiscard]] std::string find_host_compiler();
/// The same. Throws Failure where there is none.
[[nodiscard]] std::string host_compiler(const std::string& device);
[[nodiscard]] bool is_clang(const std::string& program);

} // namespace ridge::launch
