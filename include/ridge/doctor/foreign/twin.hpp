// Twins: kernels made here that are like a launch which was counted, for experiments that cannot be
// forced on a kernel of somebody else's.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ridge::doctor {

/// Properties of a launch that its twin has. Its loads read zeros, and the place of the next ones
/// depends on what they read.
struct Twin {
  int threads = 256; ///< of a block
  double blocks = 1;
  int registers = 32; ///< of a thread
  int shared_bytes = 0;
  int loads = 1;          ///< of a thread
  int together = 1;       ///< loads that do not wait for one another
  int lane_bytes = 4;     ///< of a load: 4, 8 or 16
  int stride = 1;         ///< loads' widths between neighbouring lanes
  int repeat = 1;         ///< how often a place is read
  int stores = 1;         ///< of a thread
  int fp32 = 0, fp64 = 0; ///< fused operations a load
  double bytes = 0;       ///< of the array that is read: a power of 2
  int parts = 1;          ///< groups of a warp's lanes that take other branches
  int shared = 0;         ///< accesses of shared memory a load, where banks conflict
  int ways = 1;           ///< lanes that use one bank
  int local = 0;          ///< accesses of a thread's array in memory a load
  int atomics = 0;        ///< of a thread
  int places = 0;         ///< that a warp's atomics change; 0: one a thread
};

/// The twin of a launch; nothing where blocks, threads and requests were not counted.
[[nodiscard]] std::optional<Twin> twin_of(const ForeignKernel& kernel);

/// A twin without a cause, and what was changed, in words.
struct ChangedTwin {
  Twin twin;
  std::string change;
};
/// Nothing for causes that a twin cannot show.
[[nodiscard]] std::optional<ChangedTwin> without_cause(const Twin& twin, std::string_view cause,
                                                       const LaunchCounts& counts);

/// "792 x 32 threads, 40 registers, 16 loads of 8 B".
[[nodiscard]] std::string to_text(const Twin& twin);

/// Its source: the kernel `twin(y, x, mask, zero)` of CUDA C++, which NVRTC and nvcc take. A C++
/// compiler of the host makes a program of it that runs four of its blocks and prints the requests,
/// sectors and distinct sectors of their loads, and bytes used of each. `held`: numbers of 32 bits
/// that a thread keeps from its begin to its end.
[[nodiscard]] std::string twin_source(const Twin& twin, int held);
/// How many to begin with.
[[nodiscard]] int held_by(const Twin& twin);

} // namespace ridge::doctor
