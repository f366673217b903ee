// Shares of keys that several parts, such as ranks, have sorted each, brought into one order.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>

#include <cstdint>

namespace ridge::spatial {

/// So many keys that follow each other are merged together.
inline constexpr int merged_together = 8;

/// Where a part's share of so many begins, and where the last ends.
[[nodiscard]] RIDGE_FN constexpr Index share_begin(Index count, int part, int parts) {
  return part == parts ? count : count * part / parts / merged_together * merged_together;
}

/// Keys and values share by share, each sorted; and where they go. Equal keys stay in their order.
struct SortedShares {
  int parts = 1;
  Span<const std::uint64_t> keys;
  Span<const std::uint32_t> values;
  Span<std::uint64_t> merged_keys;
  Span<std::uint32_t> merged_values;
};

/// What each kind's module offers under SortedShares: in queue order.
using MergeShares = void(Queue& queue, const SortedShares& shares);

} // namespace ridge::spatial
