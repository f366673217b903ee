// The options of kernels with levels: --levels, and --np of elements.
#pragma once

#include <ridge/core/extents.hpp>

#include "options.hpp"

#include <optional>
#include <string>

namespace ridge::app {

struct LevelOptions {
  std::optional<Index> levels;
  std::optional<Index> np;

  void add_to(const Command& command);
  /// The kernel's name: that of elements has their points in it.
  [[nodiscard]] std::string kernel(const std::string& asked) const;
  /// The size of a kernel of that name: with --levels, `asked` is a number of columns or elements.
  /// Throws UsageError for kernels without levels, and sizes that say them.
  [[nodiscard]] Extents size(const std::string& kernel, const std::string& asked,
                             const Extents& otherwise) const;
};

} // namespace ridge::app
