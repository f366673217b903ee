// Identities that a kernel's speed depends on beside its schedule: the kernel's, and its
// compiler's.
#pragma once

#include <ridge/device/device.hpp>

#include <string>
#include <typeinfo>

namespace ridge::launch {

/// 32 hexadecimal digits that are others when the kernel behind a type of call changes: its type,
/// the file it is in where that is the user's, what this file includes from beside it or from a
/// folder of -I, however deep, or Ridge's headers.
[[nodiscard]] std::string kernel_digest(const std::type_info& call);

/// The compiler of kernels for the device here: its name and a digest of its path, size,
/// time and flags and of the processor it compiles for: "g++-12-1a2b3c4d". "none" where there is
/// none.
[[nodiscard]] std::string compiler_name(const Device& device);

} // namespace ridge::launch
