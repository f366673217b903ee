// The compilers of this machine that can make kernels for a device on demand.
#pragma once

#include <ridge/device/device.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

/// A compiler with the flags for a device: `command` SOURCE -o OBJECT makes a shared object.
struct Compiler {
  std::vector<std::string> command;
  /// Everything that its output depends on beside the source and Ridge's headers: the path, size
  /// and time of the program, its flags, and the processor or GPU it compiles for.
  std::string identity;
  std::string suffix;         ///< of source files: ".cpp", ".cu"
  std::string link{};         ///< what precedes words for the linker: nvcc takes none as it is
  std::string to_host{};      ///< the same for its compiler of host code
  bool gnu = false;           ///< host code is compiled by g++
  bool takes_prelude = false; ///< headers compiled beforehand, as g++ does
  int usual_seconds = 3;      ///< that it takes for a kernel, for people who wait
  /// Whether it makes an object of a text that it preprocessed. Others compile a source several
  /// times, each time preprocessed in another way.
  bool takes_text = false;
  std::string host{};    ///< the C++ compiler that looks for headers where this one does
  std::string toolkit{}; ///< a folder that came with it, headers among others
};

/// The compiler's name without its folder.
[[nodiscard]] std::string program_name(const Compiler& compiler);

/// Throws Failure that says what is missing, how to get it and what runs without.
[[nodiscard]] Compiler compiler_for(const Device& device);

/// For the host code of executors of a GPU's kernels, which are compiled apart (RIDGE_IMAGES).
/// Throws Failure likewise.
[[nodiscard]] Compiler compiler_for_launches(const Device& device);
/// Whether it is here.
[[nodiscard]] bool has_host_compiler();

/// For host code, which is not measured: compiled quickly. Throws Failure likewise.
[[nodiscard]] Compiler compiler_for_host();

/// Whether compiler_for would find a compiler for a kind of GPU.
[[nodiscard]] bool has_compiler(DeviceKind kind);

/// Throws Failure unless kernels may be compiled for the device, as named, at all.
void require_permission(const std::string& device);

/// A program or library as far as its output may depend on it: path, size and time.
[[nodiscard]] std::string identity_of(const std::string& file);

} // namespace ridge::launch
