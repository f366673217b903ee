// Memory of a GPU that other processes of the same machine reach.
#pragma once

#include <ridge/core/units.hpp>
#include <ridge/device/device.hpp>

#include <array>
#include <memory>
#include <optional>

namespace ridge {

/// A handle by which another process reaches memory of this one. Plain data, to be sent as it is.
struct ExportedMemory {
  std::array<unsigned char, 64> handle{}; ///< the system's, of a whole allocation
  std::int64_t offset = 0;                ///< in bytes, within it
  friend bool operator==(const ExportedMemory&, const ExportedMemory&) = default;
};

/// Nothing where the memory was not allocated by `Memory` in this process, or where its kind of
/// device shares none.
[[nodiscard]] std::optional<ExportedMemory> export_memory(const Device& device, const void* data);

/// Another process's memory, reached from `device`.
class ImportedMemory {
public:
  /// Throws Failure with the driver's reason where the memory cannot be reached.
  ImportedMemory(const Device& device, const ExportedMemory& memory);
  ~ImportedMemory();
  ImportedMemory(ImportedMemory&& other) noexcept;
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;
  ImportedMemory& operator=(ImportedMemory&&) = delete;

  /// The begin of the whole allocation.
  [[nodiscard]] void* data() const { return data_; }

private:
  std::shared_ptr<Backend> backend_;
  void* data_ = nullptr;
};

} // namespace ridge
