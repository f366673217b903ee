// Device memory with an owner.
#pragma once

#include <ridge/device/queue.hpp>

#include <cstddef>
#include <string_view>

namespace ridge {

/// A block of device memory, aligned to at least 256 bytes on a GPU and 64 on the cpu.
class Memory {
public:
  /// On the device, or on the host where copies to and from the device are fast.
  enum class Place { device, staging };

  Memory() = default;
  /// Throws Failure that states the need and what is free, naming `what`, when it does not fit.
  Memory(const Device& device, Bytes size, std::string_view what, Place place = Place::device);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] Bytes size() const { return size_; }

private:
  std::shared_ptr<Backend> backend_;
  void* data_ = nullptr;
  Bytes size_;
  Place place_ = Place::device;
};

} // namespace ridge
