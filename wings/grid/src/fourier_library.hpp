// Functions of FFTW, cuFFT and hipFFT, opened at run time.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/queue.hpp>

#include <array>
#include <memory>
#include <string>

namespace ridge::solve::detail {

/// Empty where the library of a device is here, else what is missing.
[[nodiscard]] std::string missing_fourier_library(const Device& device);
/// "FFTW", "cufft": the library of a device.
[[nodiscard]] std::string fourier_library_name(const Device& device);

/// In place; arrays have x fastest.
class Transform {
public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;
  /// `keep` holds this and its numbers: a transform of the host that is given up goes on to its
  /// end.
  virtual void forward(std::shared_ptr<void> keep) = 0;
  virtual void backward(std::shared_ptr<void> keep) = 0;
  /// Whether real numbers may lie elsewhere, n.x a row.
  [[nodiscard]] virtual bool takes_packed() const { return false; }
  virtual void forward_from(const void* /*packed*/) {}
  virtual void backward_to(void* /*packed*/) {}
};

/// Of real numbers on the host, of FFTW's kinds a dimension, x first.
[[nodiscard]] std::unique_ptr<Transform> real_transform(Index3 n, std::array<int, 3> forward,
                                                        std::array<int, 3> backward, double* data);

/// From n.x real numbers a row, whose rows are 2 (n.x / 2 + 1) long, to n.x / 2 + 1 complex ones,
/// unscaled; on the device of the queue. An emulated GPU's are the host's.
[[nodiscard]] std::unique_ptr<Transform> complex_transform(Queue& queue, Index3 n, float* data);
[[nodiscard]] std::unique_ptr<Transform> complex_transform(Queue& queue, Index3 n, double* data);

} // namespace ridge::solve::detail
