// Sorting by keys and adding up counts, by a library of the device's: CUB on CUDA, rocPRIM on HIP,
// the parallel mode of the C++ library on hosts.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ridge::spatial {

/// Keys and values, each with as many to work in; which pair holds them says `current`.
struct SortBuffers {
  std::array<std::uint64_t*, 2> keys{};
  std::array<std::uint32_t*, 2> values{};
  int current = 0;
  Index count = 0;
};

/// What GPUs' modules offer under SortBuffers*: sorts by bits [begin, end) of the keys, equal ones
/// in the order they had. With no scratch it says how much is needed, and does nothing.
using SortPairs = void(Queue& queue, SortBuffers& buffers, int begin, int end, void* scratch,
                       std::size_t& scratch_bytes);
/// What scanning is offered under.
struct CountsToScan {};
/// What they offer under CountsToScan: each count becomes the sum of those before it; the sum of
/// all is written behind them.
using ScanCounts = void(Queue& queue, std::uint32_t* counts, Index count, void* scratch,
                        std::size_t& scratch_bytes);

/// Sorts and sums on one queue, with memory of its own that is kept. Where the device's module has
/// no library for it (HIP without rocPRIM), the host does it, on copies.
class Sorter {
public:
  explicit Sorter(Queue& queue) : queue_(queue) {}

  /// In queue order, stable, by bits [begin, end) of the keys; `buffers.current` says afterwards
  /// where the result is.
  void sort(SortBuffers& buffers, int begin, int end);
  /// `counts` has room for one more than `count`.
  void scan(std::uint32_t* counts, Index count);
  [[nodiscard]] Bytes held() const { return scratch_.size(); }

private:
  void* scratch(std::size_t bytes);
  Queue& queue_;
  Memory scratch_;
};

} // namespace ridge::spatial
