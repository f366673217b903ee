#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/exported.hpp>

#include <utility>

namespace ridge {

std::optional<ExportedMemory> Backend::export_memory(const void* /*data*/) {
  return std::nullopt;
}
void* Backend::import_memory(const ExportedMemory& /*memory*/) {
  throw Failure("devices of this kind reach no memory of other processes");
}
void Backend::release_imported(void* /*memory*/) noexcept {}

std::optional<ExportedMemory> export_memory(const Device& device, const void* data) {
  return device.backend().export_memory(data);
}

ImportedMemory::ImportedMemory(const Device& device, const ExportedMemory& memory)
    : backend_(device.shared_backend()), data_(backend_->import_memory(memory)) {}

ImportedMemory::~ImportedMemory() {
  if (data_ != nullptr) backend_->release_imported(data_);
}

ImportedMemory::ImportedMemory(ImportedMemory&& other) noexcept
    : backend_(std::move(other.backend_)), data_(std::exchange(other.data_, nullptr)) {}

} // namespace ridge
