// The options that say which launch: kernel, device, size, precision, schedule.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/pattern/menu.hpp>

#include "options.hpp"

#include <string>
#include <vector>

namespace ridge::app {

/// What --size takes, in --help.
inline constexpr const char* one_size = "NXxNYxNZ, NXxNY or N";
inline constexpr const char* sizes_too =
    "NXxNYxNZ, NXxNY or N, or a range: 256x256x256..1024x1024x1024:256, "
    "512x256x64..512x2048x64:y+64 (docs/report.md)";

/// Whether the fields of a kernel may be stored in 16 bits (docs/storage.md): those of stencils,
/// systems and of kernels in files.
[[nodiscard]] bool takes_storage(const lab::BenchKernel& chosen, const std::string& kernel);
/// What --precision says, or the kernel's own where it says nothing. Throws UsageError for a name
/// of storage in 16 bits, in which nothing is computed.
[[nodiscard]] std::string asked_precision(const lab::BenchKernel& chosen, const std::string& kernel,
                                          const std::string& precision);

struct KernelOptions {
  std::string kernel = {};
  std::string device = {};
  std::string size = {};
  std::string precision = {};
  std::string schedule = "auto";
  std::vector<std::string> settings = {};
  bool adjoint = false; ///< of the kernel, in place of it
  KernelOption::Command command = KernelOption::bench;
  OptionValues of_pattern = {}; ///< those that patterns announce, as given

  /// All but --device, of which commands say what it does. `size_meaning` is of --size.
  void add_to(const Command& line, KernelOption::Command name, const char* size_meaning = one_size);
  /// --set, and the options that patterns announce for a command.
  void add_of_pattern(const Command& line, KernelOption::Command name);

  /// Throws UsageError for no or unknown kernels and for options that are not the kernel's.
  [[nodiscard]] lab::BenchKernel find() const;
  /// The kernel that was found, or its adjoint where that is asked for.
  [[nodiscard]] lab::BenchKernel chosen(lab::BenchKernel found) const;
  /// The kernel as it was given, or as its adjoint is called.
  [[nodiscard]] std::string shown() const { return adjoint ? kernel + "-adjoint" : kernel; }
  /// The options of the kernel's pattern that are given, checked. Throws UsageError.
  [[nodiscard]] OptionValues options(const lab::BenchKernel& found) const;
  [[nodiscard]] Extents extents(const lab::BenchKernel& found) const;
  /// Where --size may be a range: all of them. What a range leaves out is said on stderr.
  [[nodiscard]] std::vector<Extents> sizes(const lab::BenchKernel& found) const;
  [[nodiscard]] std::string digits(const lab::BenchKernel& found) const;
  /// On the device that --device names; the best one where it is not given.
  [[nodiscard]] lab::BenchRequest request(const lab::BenchKernel& found) const;
};

/// The file of a user's kernel, "heat.hpp" of heat.hpp:Heat; empty for a built-in one.
[[nodiscard]] std::string file_of_kernel(std::string_view kernel);

/// The device of a name; `auto` and none are the best here.
[[nodiscard]] Device named_device(const std::string& name);

/// Where the model looks: a device here by its name, or what describes one, as
/// model::find_description takes it. Throws UsageError for an emulated GPU.
[[nodiscard]] Place place_of(const std::string& on);

} // namespace ridge::app
