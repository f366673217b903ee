// Devices: where kernels run.
#pragma once

#include <ridge/core/kinds.hpp>
#include <ridge/core/units.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

#define RIDGE_KIND_NAME(kind, Target, MACRO) kind,
enum class DeviceKind { RIDGE_FOR_EACH_KIND(RIDGE_KIND_NAME) };
#undef RIDGE_KIND_NAME

/// `cpu`, `cuda:0`, `hip:1`, `simt:32`. For the emulated GPU the number is the warp width, else
/// which of the devices of that kind.
struct DeviceId {
  DeviceKind kind = DeviceKind::cpu;
  int number = 0;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
};

[[nodiscard]] std::string to_text(DeviceId id);
/// Throws UsageError that lists the forms a device name takes.
[[nodiscard]] DeviceId parse_device(std::string_view text);

/// Facts of a device that are known without measuring.
struct DeviceFacts {
  std::string name;         ///< as the vendor calls it
  std::string architecture; ///< "avx512", "sm_90", "gfx90a", "emulated"
  int units = 0;            ///< cores, multiprocessors or compute units
  int warp_width = 0;       ///< lanes of a warp; 1 on the cpu
  int simd_bytes = 0;       ///< width of a vector register on the cpu; 0 on a GPU
  int max_block_threads = 0;
  Bytes shared_per_block; ///< most shared memory one block can have; 0 on the cpu
  Bytes l1;               ///< per unit
  Bytes l2;               ///< per unit on the cpu, whole on a GPU
  Bytes last_level_cache; ///< the cache before memory, whole
  Bytes memory;
};

/// Whether a core's own prefetches leave memory idle from the end of one page to the next, so that
/// it is better read from several pages at once. Taken for so of Intel's, by name: two threads of a
/// Xeon gain much, 16 threads of another little, and on Zen 5 walking several places at once gained
/// nothing (docs/design/lattices.md).
[[nodiscard]] bool stalls_between_pages(const DeviceFacts& facts);

/// The share of a cpu's last-level cache that its cores can count on: at most 12 MiB each, the most
/// that cores have. A virtual machine of few cores is told of the whole cache, which others fill.
[[nodiscard]] Bytes cache_of_cores(const DeviceFacts& facts);

class Backend;

/// A handle to an opened device; copies refer to the same one.
class Device {
public:
  /// Throws UsageError, naming the devices that are here, when `id` is not one of them.
  explicit Device(DeviceId id);
  explicit Device(std::string_view name) : Device(parse_device(name)) {}

  [[nodiscard]] DeviceId id() const;
  [[nodiscard]] DeviceKind kind() const { return id().kind; }
  [[nodiscard]] const DeviceFacts& facts() const;
  [[nodiscard]] Bytes free_memory() const;
  [[nodiscard]] bool is_gpu() const;
  /// True where host code may dereference device memory.
  [[nodiscard]] bool host_accessible() const { return !is_gpu(); }
  /// The device's operations as its backend offers them; for queues, memory and executors.
  [[nodiscard]] Backend& backend() const { return *backend_; }
  [[nodiscard]] const std::shared_ptr<Backend>& shared_backend() const { return backend_; }

private:
  std::shared_ptr<Backend> backend_;
};

/// Every device of this machine: GPUs, then the cpu, then the emulated GPUs.
[[nodiscard]] std::vector<DeviceId> list_devices();
/// The forms of devices' names: "cpu, cuda:N, hip:N, simt:32 or simt:64".
[[nodiscard]] std::string device_forms();

/// The device that `auto` means: the first GPU, or the cpu where there is none.
[[nodiscard]] DeviceId best_device();

} // namespace ridge
