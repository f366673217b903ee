// Keys of schedules: what one was found for, and so where it may be used again.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/launch/subject.hpp>

#include <string>

namespace ridge::tune {

/// The driver of devices that have none.
inline constexpr const char* no_driver = "none";

/// Everything that the speed of a schedule depends on, as text.
struct Key {
  std::string kernel;
  std::string precision;
  Extents size;
  std::string site;     ///< empty but for lattices
  std::string device;   ///< name and units: "NVIDIA H200, 132 units"
  std::string driver;   ///< version; `no_driver` for the cpu
  std::string compiler; ///< of kernels on the device: ridge::launch::compiler_name
  std::string hash;     ///< of the kernel: ridge::launch::kernel_digest
};

/// Where a schedule is asked for. What does not change while a process runs is found out once.
[[nodiscard]] Key key_of(const Device& device, const Subject& subject);

/// The id by which wisdom is found; the name of the kernel is not in it.
[[nodiscard]] std::string id_of(const Key& key);

/// "laplacian fp64 512x512x512".
[[nodiscard]] std::string to_text(const Key& key);

} // namespace ridge::tune
