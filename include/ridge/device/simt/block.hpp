// The running block as its lanes see it: where they are, their shared memory, their warps.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/device/simt/shadow.hpp>

#include <cstddef>
#include <cstdint>

namespace ridge::simt {

class Scheduler;
struct Fiber;

/// Meetings of lanes, which wait for each other.
enum class Collective : std::uint8_t { none, barrier, warp_barrier, shuffle, shuffle_xor, phase };

/// Lanes in the order in which they came to wait.
struct FiberQueue {
  Fiber* first = nullptr;
  Fiber* last = nullptr;
};

/// The most bytes of one value that lanes can exchange.
inline constexpr int max_shuffle_bytes = 64;
inline constexpr int max_warp_width = 64;
inline constexpr int max_block_threads = 1024;

struct Warp {
  int first = 0; ///< rank of its first lane
  int lanes = 0; ///< that exist: fewer than the warp width in a partial last warp
  int arrived = 0;
  int bytes = 0; ///< of each value in the collective that lanes have arrived at
  Collective kind = Collective::none;
  /// Which half of `exchange` the next shuffle uses: a lane may come to the next shuffle before
  /// another has read its value of this one, but not to the one after.
  int half = 0;
  AccessRecord stamp = 0; ///< of its last warp barrier
  FiberQueue waiting;
  alignas(64) std::byte exchange[2][max_warp_width][max_shuffle_bytes];
};

struct Block {
  const char* kernel = "";
  Dim3 grid, extent, index;
  int threads = 0;
  int warp_shift = 5;
  int shared_bytes = 0;
  std::byte* shared = nullptr;
  Warp* warps = nullptr;
  Scheduler* scheduler = nullptr;
  Shadow shadow;
};

} // namespace ridge::simt
