// The driver of NVIDIA's GPUs, opened when it is asked for.
#pragma once

#include <ridge/core/error.hpp>

#include "../../record/energy_library.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace ridge::app {

/// The driver's functions, by their prototypes, on one device. Throws Failure.
class CudaDriver {
public:
  explicit CudaDriver(const std::string& device)
      : library_("libcuda.so.1", "it comes with NVIDIA's driver") {
    call<unsigned>("cuInit", 0);
    const auto colon = device.find(':');
    const int number = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
    call<int*, int>("cuDeviceGet", &device_, number);
    call<void**, int>("cuDevicePrimaryCtxRetain", &context_, device_);
    call<void*>("cuCtxPushCurrent_v2", context_);
    int kilohertz = 0; // asked once: the driver takes half a millisecond
    call<int*, int, int>("cuDeviceGetAttribute", &kilohertz, 13, device_);
    best_clock_ = 1e3 * kilohertz;
  }
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  ~CudaDriver() {
    void* popped = nullptr;
    (void)library_.get<int(void**)>("cuCtxPopCurrent_v2")(&popped);
    (void)library_.get<int(int)>("cuDevicePrimaryCtxRelease_v2")(device_);
  }

  template <class... A>
  void call(const char* function, A... arguments) const {
    const int status = library_.get<int(A...)>(function)(arguments...);
    if (status != 0) throw Failure(fmt::format("{} gives error {}", function, status));
  }
  /// For calls whose errors change nothing: frees, and ends.
  template <class... A>
  void release(const char* function, A... arguments) const {
    (void)library_.get<int(A...)>(function)(arguments...);
  }
  [[nodiscard]] std::string architecture() const {
    int major = 0, minor = 0;
    call<int*, int, int>("cuDeviceGetAttribute", &major, 75, device_);
    call<int*, int, int>("cuDeviceGetAttribute", &minor, 76, device_);
    return fmt::format("sm_{}{}", major, minor);
  }
  [[nodiscard]] int device() const { return device_; }
  /// Cycles a second that the card is made for.
  [[nodiscard]] double best_clock() const { return best_clock_; }

private:
  EnergyLibrary library_;
  int device_ = 0;
  double best_clock_ = 0;
  void* context_ = nullptr;
};

/// Memory of the device, of zeros; not where only its allocation matters.
class Zeros {
public:
  Zeros(const CudaDriver& driver, std::size_t bytes, bool written = true) : driver_(driver) {
    driver.call<unsigned long long*, std::size_t>("cuMemAlloc_v2", &address, bytes);
    if (written)
      driver.call<unsigned long long, unsigned, std::size_t>("cuMemsetD32_v2", address, 0,
                                                             bytes / 4);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { driver_.release<unsigned long long>("cuMemFree_v2", address); }
  unsigned long long address = 0;

private:
  const CudaDriver& driver_;
};

/// Page-locked memory of the host, which the device reads, too; of zeros.
class HostZeros {
public:
  HostZeros(const CudaDriver& driver, std::size_t bytes) : driver_(driver) {
    driver.call<void**, std::size_t, unsigned>("cuMemHostAlloc", &data, bytes, 0U);
    std::memset(data, 0, bytes);
  }
  HostZeros(const HostZeros&) = delete;
  HostZeros& operator=(const HostZeros&) = delete;
  ~HostZeros() { driver_.release<void*>("cuMemFreeHost", data); }
  void* data = nullptr;

private:
  const CudaDriver& driver_;
};

} // namespace ridge::app
