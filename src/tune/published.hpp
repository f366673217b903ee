// Schedules that others found and published, where nothing was tuned here.
#pragma once

#include <ridge/tune/key.hpp>

#include <optional>
#include <string>

namespace ridge::tune {

/// A schedule from the literature: its fields, the size it was found at, and where it is from.
struct Published {
  std::string schedule;
  Extents size;
  std::string source;
};

/// What AMD's lab notes found for the Laplacian in fp64 on seven cards: block, bounds and tile of
/// their kernel 5 at 512x512x512 (Finite difference method - Laplacian, part 4, 2023). Nothing for
/// other kernels, precisions and cards.
[[nodiscard]] std::optional<Published> published_for(const Key& key);

} // namespace ridge::tune
