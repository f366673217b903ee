// The roof: the ceilings of a device as measured on it, in this process.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// One ceiling.
struct Ceiling {
  std::string name; ///< see `measure_roof`
  double value = 0;
  std::string unit; ///< "B/s", "flop/s", "op/s" or "s"
  std::string how;  ///< what was run: bytes counted, array sizes
};

struct Roof {
  DeviceId device;
  std::string device_name;
  std::vector<Ceiling> ceilings;

  /// Null when it was not measured.
  [[nodiscard]] const Ceiling* find(std::string_view name) const;
  /// Throws Failure when it was not measured.
  [[nodiscard]] const Ceiling& at(std::string_view name) const;
};

/// How thorough: `quick` measures what fractions of the lab's patterns need (all but `write`), with
/// fewer repeats.
struct RoofOptions {
  bool quick = false;
  /// Measure only these, by name; empty: all. UsageError for a name that does not exist.
  std::vector<std::string> only = {};
  /// Called before each ceiling with its name, for progress.
  std::function<void(std::string_view)> on_start = {};
};

/// Measures the ceilings of `device`:
///   copy, read, write, triad      memory bandwidth in B/s; bytes are those a program reads and
///                                 writes (a plain store's line fill does not count); the best of
///                                 the ways tried, on arrays several times the last-level cache
///   copy_plain, write_plain, triad_plain       the same with plain stores only   } cpu: beside the
///   copy_nontemporal, write_nontemporal, ...   with non-temporal stores only     } best of both
///   cache_copy                    copy that stays in the last-level cache
///   fma_fp32, fma_fp64            flop/s, two per fused multiply-add
///   rsqrt_fp32                    op/s: approximate reciprocal square roots
///   launch                        seconds of an empty launch
/// An emulated GPU has no roof: the result has no ceilings. Not enough memory for arrays several
/// times the cache: smaller ones, as `how` says.
[[nodiscard]] Roof measure_roof(const Device& device, const RoofOptions& options = {});

[[nodiscard]] std::string to_json(const Roof& roof, int indent = 2);

} // namespace ridge
