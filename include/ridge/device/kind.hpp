// Kinds of devices, as they are known before one is opened: a row of facts a kind.
//
// Nothing above the rooms device and launch asks what a device is called: it asks for what is so.
#pragma once

#include <ridge/device/device.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// How devices of one kind are told from each other.
enum class Numbering {
  none,    ///< there is one: "cpu"
  counted, ///< from 0 on: "cuda:1"; the name alone is the first
  given,   ///< by one of KindFacts::numbers: "simt:32"
};

/// Who counts what a launch moves.
enum class Counts {
  none,
  system,   ///< this process asks the system
  profiler, ///< NVIDIA's ncu, which runs the launch
};

/// A part of a size.
struct Share {
  std::int64_t part = 1, whole = 1;
};

/// Facts of all devices of a kind.
struct KindFacts {
  using Names = std::span<const char* const>;

  DeviceKind kind;
  std::string_view name; ///< "cuda": of devices, modules and descriptions
  Numbering numbering;

  /// The numbers of those here.
  std::vector<int> (*numbers)();
  /// Null where there is none of the number.
  std::shared_ptr<Backend> (*open)(int number);
  /// Suffixes of the names of modules that run here, the best first ("-x86-64-v3"), where
  /// there are several.
  std::vector<std::string> (*levels)() = [] { return std::vector<std::string>(); };

  /// Its kernels take schedules of GPUs, not of the cpu.
  bool takes_gpu_schedules = true;
  /// A stand-in on the host: checks kernels, has neither speed nor memory of its own.
  bool is_emulated = false;
  [[nodiscard]] bool is_gpu() const { return takes_gpu_schedules && !is_emulated; }

  // Its compiler.
  /// Brings the loads and points of a tile together again, whatever order they are written in.
  bool gathers_loads = false;
  /// Loads by ascending address wait from one plane to the next.
  bool waits_between_planes = false;
  /// Lanes of a warp whose threads have all registers; those of narrower warps have half.
  int full_warp = 0;

  // Its memory.
  /// Planes get into shared memory by copies past a block's registers.
  bool copies_past_registers = true;
  /// The least architecture with asynchronous copies to shared memory ("sm_80"; "": all). Null:
  /// none has.
  const char* asynchronous_copies_from = nullptr;
  /// The least architecture that has the bulk copy engine.
  const char* bulk_copies_from = nullptr;
  /// The L1 and the shared memory are one.
  bool l1_is_shared_memory = true;
  /// The L1 serves what a block reads beside its points in x.
  bool l1_serves_rows = false;
  /// The driver knows the cache before memory.
  bool knows_last_level_cache = false;
  /// The share of the last-level cache that planes which are read again may take.
  Share planes_of_cache{1, 4};

  /// Kernels may write into the memory of another GPU of the machine and signal it.
  bool writes_to_peers = false;

  // Facts that defaults take.
  /// Points in tiles, with nontemporal stores.
  bool streams_tiles = false;
  /// Blocks of a march with a window of planes that keep a unit busy.
  double busy_windows = 1.8;
  /// Reductions that store a field too are fastest as a map is: no block loops.
  bool stores_best_without_loops = false;
  /// There are passes of several sweeps.
  bool has_passes = true;

  // Around it.
  Counts counts = Counts::none;
  const char* why_not_counted = ""; ///< where nobody counts
  Names driver_versions{};          ///< files of the system that may have it
  Names collectives{};              ///< libraries that speak as NCCL does
  std::span<const int> dlpack{};    ///< DLPack's types of devices whose memory it is
  std::uintptr_t dlpack_stream = 0; ///< what DLPack calls its default stream
};

/// One a kind, in the order of DeviceKind.
[[nodiscard]] std::span<const KindFacts* const> kinds();
[[nodiscard]] const KindFacts& facts_of(DeviceKind kind);
[[nodiscard]] inline const KindFacts& facts_of(const Device& device) {
  return facts_of(device.kind());
}

/// All kinds with GPUs first, then the cpu, as devices are listed.
[[nodiscard]] std::vector<const KindFacts*> listed_kinds();

/// Whether an architecture is `least` or a later one ("sm_90", "sm_100"); none is where that is
/// null.
[[nodiscard]] bool is_from(std::string_view architecture, const char* least);

/// The names of its devices: "cuda:N", "simt:32 or simt:64".
[[nodiscard]] std::string forms_of(const KindFacts& kind);

} // namespace ridge
