#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/memory.hpp>

#include <fmt/format.h>

#include <utility>

namespace ridge {

Memory::Memory(const Device& device, Bytes size, std::string_view what, Place place)
    : size_(size), place_(place) {
  const auto bytes = static_cast<std::size_t>(size.value);
  data_ = place == Place::device ? device.backend().allocate(bytes)
                                 : device.backend().allocate_staging(bytes);
  if (data_ == nullptr && place == Place::device) {
    throw Failure(fmt::format("{} needs {} on {}, where {} of {} are free", what, to_text(size),
                              to_text(device.id()), to_text(device.free_memory()),
                              to_text(device.facts().memory)));
  }
  if (data_ == nullptr) {
    throw Failure(
        fmt::format("{} needs {} of host memory, more than there is", what, to_text(size)));
  }
  backend_ = device.shared_backend();
}

Memory::~Memory() {
  if (data_ == nullptr) return;
  const auto bytes = static_cast<std::size_t>(size_.value);
  if (place_ == Place::device) {
    backend_->deallocate(data_, bytes);
  } else {
    backend_->deallocate_staging(data_, bytes);
  }
}

Memory::Memory(Memory&& other) noexcept {
  *this = std::move(other);
}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(backend_, other.backend_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(place_, other.place_);
  return *this;
}

void copy_bytes_to_device(Queue& queue, void* to, const void* from, Bytes bytes) {
  queue.device().backend().copy(queue.native(), to, from, static_cast<std::size_t>(bytes.value),
                                CopyDirection::to_device);
}

void copy_bytes_to_host(Queue& queue, void* to, const void* from, Bytes bytes) {
  queue.device().backend().copy(queue.native(), to, from, static_cast<std::size_t>(bytes.value),
                                CopyDirection::to_host);
}

void copy_bytes_on_device(Queue& queue, void* to, const void* from, Bytes bytes) {
  queue.device().backend().copy(queue.native(), to, from, static_cast<std::size_t>(bytes.value),
                                CopyDirection::on_device);
}

void copy_rows_to_device(Queue& queue, void* to, Bytes to_pitch, const void* from, Bytes row,
                         Index rows) {
  const auto row_bytes = static_cast<std::size_t>(row.value);
  queue.device().backend().copy_rows(queue.native(), to, static_cast<std::size_t>(to_pitch.value),
                                     from, row_bytes, row_bytes, static_cast<std::size_t>(rows),
                                     CopyDirection::to_device);
}

void copy_rows_to_host(Queue& queue, void* to, const void* from, Bytes from_pitch, Bytes row,
                       Index rows) {
  const auto row_bytes = static_cast<std::size_t>(row.value);
  queue.device().backend().copy_rows(queue.native(), to, row_bytes, from,
                                     static_cast<std::size_t>(from_pitch.value), row_bytes,
                                     static_cast<std::size_t>(rows), CopyDirection::to_host);
}

} // namespace ridge
