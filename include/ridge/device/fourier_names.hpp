// Libraries of Fourier transforms for kinds of GPUs, which are opened at run time.
#pragma once

#include <ridge/device/device.hpp>

#include <span>

namespace ridge {

/// Libraries that speak as cuFFT does: their files, the best first, and the prefix of their
/// functions.
struct FourierNames {
  std::span<const char* const> files;
  const char* prefix = "";

  /// Announces a kind's from a static initialiser.
  struct Row {
    Row(DeviceKind kind, std::span<const char* const> files, const char* prefix);
  };
  /// Without files where nobody announced any.
  [[nodiscard]] static FourierNames of(DeviceKind kind);
};

} // namespace ridge
