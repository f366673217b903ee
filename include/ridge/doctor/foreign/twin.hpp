// Twins: kernels made here that are like a launch which was counted, for experiments that cannot be
// forced on a kernel of somebody else's.
#pragma once

#include <ridge/doctor/foreign/cause.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::doctor {

/// Properties of a launch that its twin has. Its loads read zeros, and the place of the next ones
/// depends on what they read. Counts without another word are of a thread.
struct Twin {
  int threads = 256; ///< of a block
  double blocks = 1;
  int registers = 32;
  int shared_bytes = 0;
  int loads = 1;      ///< of global memory
  int distinct = 1;   ///< of these, of places that were not read before
  double apart = 0;   ///< numbers from one of these to the next; 0: as many as all threads read
  int together = 1;   ///< loads, and chains of operations, that do not wait for one another
  int lane_bytes = 4; ///< of a load: 4, 8 or 16
  int stride = 1;     ///< loads' widths between neighbouring lanes
  double reading_blocks = 0; ///< blocks beside each other read the same where these are fewer
  int far = 0;               ///< of 32 blocks, those that read memory of the host
  int stores = 1;
  double bytes = 0; ///< of the array that is read: a power of 2
  /// Steps a load; what follows is of a step.
  int steps = 1;
  int fp32 = 0, fp64 = 0, integer = 0, special = 0; ///< operations
  int conversions = 0;                              ///< between fp32 and fp64
  int parts = 1;        ///< groups of a warp's lanes that take other branches
  int shared = 0;       ///< accesses of shared memory
  int ways = 1;         ///< lanes that use one bank
  int local = 0;        ///< accesses of an array in memory
  int numbers = 64;     ///< of that array: a power of 2
  int barriers = 0;     ///< 1: the threads of a block wait for each other
  int longest = 1;      ///< times as much that the last block does
  int atomics = 0;      ///< at the end
  int places = 0;       ///< that a warp's atomics change; 0: one a thread
  int places_apart = 1; ///< numbers between these
};

/// The twin of a launch with such causes; nothing where its blocks and threads were not counted.
[[nodiscard]] std::optional<Twin> twin_of(const ForeignKernel& kernel,
                                          const std::vector<std::string_view>& causes = {},
                                          double least_bytes = 0);

/// Unknowns of a twin that no counter tells: these are tried, and the nearest by its time is taken.
inline constexpr int unknowns_of_twins = 5;
/// The twins that differ in one of them; none where it does not matter.
[[nodiscard]] std::vector<Twin> alternatives(const Twin& twin, int unknown);

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

/// Its source: the kernel `twin(y, x, far, mask, zero)` of CUDA C++, which NVRTC and nvcc take. A
/// C++ compiler of the host makes a program of it that runs four of its blocks and prints names and
/// numbers of what these did: requests, sectors and distinct sectors of loads, bytes of a load, and
/// what a warp did of each thing that is counted. `held`: numbers of 32 bits that a thread keeps
/// from its begin to its end.
[[nodiscard]] std::string twin_source(const Twin& twin, int held);
/// How many to begin with.
[[nodiscard]] int held_by(const Twin& twin);

} // namespace ridge::doctor
