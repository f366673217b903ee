// Descriptions of devices for the model: constants of a data sheet, without the device.
#pragma once

#include <ridge/device/device.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::model {

/// A device as data. None of these comes from the measurement of a stencil.
struct Description {
  std::string name;         ///< "AMD Instinct MI250X, one GCD"
  std::string key;          ///< "mi250x-gcd"; empty unless it ships with Ridge
  std::string architecture; ///< "gfx90a", "sm_90"
  DeviceKind kind = DeviceKind::cpu;

  double units = 0;                   ///< compute units, multiprocessors or cores
  double warp_width = 1;              ///< lanes
  double schedulers = 1;              ///< of a unit; each has its share of the registers
  double issues_per_cycle = 1;        ///< instructions of warps that a unit begins a cycle
  double warps_per_unit = 0;          ///< most that are resident
  double blocks_per_unit = 0;         ///< most that are resident
  double registers_per_unit = 0;      ///< of 32 bits
  double registers_per_thread = 0;    ///< most that one thread can have
  double register_step = 1;           ///< registers of a thread are multiples of this
  double shared_bytes_per_unit = 0;   ///< shared memory
  double clock_hz = 0;                ///< cycles a second
  double cache_bytes = 0;             ///< the last-level cache, whole
  double cache_parts = 1;             ///< parts that each keep what their own units read
  double cache_ways = 0;              ///< lines of a set
  double unit_cache_bytes = 0;        ///< cpu: L2 of a core; 0 on a GPU
  double sector_bytes = 0;            ///< what the last-level cache fetches at least at a time
  double cache_latency_cycles = 0;    ///< of a read that hits the last-level cache
  double memory_latency_cycles = 0;   ///< of a read that misses it
  double memory_bytes_per_second = 0; ///< data sheet
  double copy_bytes_per_second = 0;   ///< what a copy reaches; 0: unknown
  double cache_bytes_per_second = 0;  ///< last-level cache; 0: unknown
  double fp32_flops = 0;              ///< operations a second of the vector units; 0: unknown
  double fp64_flops = 0;              ///< likewise
  double launch_seconds = 0;          ///< of an empty launch
  double plain_store_room = 1;        ///< lines of the cache that a stored line takes,
  double nontemporal_store_room = 0;  ///< by kind of store
  double memory_cache_bytes = 0;      ///< a cache behind the last-level one, before memory; 0: none
  double memory_cache_ways = 256;     ///< lines of a set; many: it fails at once where it is full

  /// Where each constant is from, by its name.
  std::map<std::string, std::string> sources;

  [[nodiscard]] bool is_gpu() const { return kind != DeviceKind::cpu; }
};

/// One constant of a description: its name in files, where it lives, what is possible.
struct Constant {
  std::string_view name;
  double Description::*member;
  double lowest, highest;
  std::string_view unit;
};

/// Every constant that a GPU's file gives.
[[nodiscard]] const std::vector<Constant>& constants();
/// Every constant that a cpu's file gives.
[[nodiscard]] const std::vector<Constant>& cpu_constants();
/// Those that any file may give, beside its own.
[[nodiscard]] const std::vector<Constant>& optional_constants();

/// Reads a description from JSON. Throws UsageError that begins with `what` and names the constant
/// that is missing, unknown or out of its range, and the range.
[[nodiscard]] Description parse_description(std::string_view json, std::string_view what);
/// JSON that `parse_description` reads.
[[nodiscard]] std::string to_json(const Description& description);

/// The keys of the descriptions that ship with Ridge: mi100, mi210, ..., in the order of their
/// vendors.
[[nodiscard]] std::vector<std::string> shipped_descriptions();

/// Throws UsageError that lists the keys.
[[nodiscard]] Description shipped_description(std::string_view key);

/// A device that is here, from its facts; a GPU with the constants of the shipped description of
/// its kind. Throws UsageError for a GPU of which there is none, and for an emulated one.
[[nodiscard]] Description description_of(const DeviceFacts& facts, DeviceKind kind);

/// Whether the command line means a device of this machine by `text`, be it here or not.
[[nodiscard]] bool names_device_here(std::string_view text);

/// `text` as the command line names a device: one that is here (`cpu`, `cuda:0`), the key of a
/// shipped description, or a file. Throws UsageError that lists what there is.
[[nodiscard]] Description find_description(const std::string& text);

} // namespace ridge::model
