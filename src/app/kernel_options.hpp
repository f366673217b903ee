// The options that say which launch: kernel, device, size, precision, schedule.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/pattern/menu.hpp>

#include "options.hpp"

#include <string>
#include <vector>

namespace ridge::app {

struct KernelOptions {
  std::string kernel = {};
  std::string device = {};
  std::string size = {};
  std::string precision = {};
  std::string schedule = "auto";
  std::string site = {};
  std::vector<std::string> settings = {};
  int operations = 10;
  int ls = 16;
  int width = 0; ///< --width, which add_width adds; 0: not given

  /// All but --device, of which commands say what it does.
  void add_to(const Command& command);

  /// Throws UsageError for no or unknown kernels and for options that are not the kernel's.
  [[nodiscard]] lab::BenchKernel find() const;
  [[nodiscard]] Extents extents(const lab::BenchKernel& found) const;
  [[nodiscard]] std::string digits(const lab::BenchKernel& found) const;
  /// On the device that --device names; the best one where it is not given.
  [[nodiscard]] lab::BenchRequest request(const lab::BenchKernel& found) const;
};

/// Of commands that run lattice kernels: bytes of a vector, checked where the lattice is made.
void add_width(const Command& command, int* width);

/// The file of a user's kernel, "heat.hpp" of heat.hpp:Heat; empty for a built-in one.
[[nodiscard]] std::string file_of_kernel(std::string_view kernel);

/// The device of a name; `auto` and none are the best here.
[[nodiscard]] Device named_device(const std::string& name);

/// Where the model looks: a device here by its name, or what describes one, as
/// model::find_description takes it. Throws UsageError for an emulated GPU.
[[nodiscard]] Place place_of(const std::string& on);

} // namespace ridge::app
