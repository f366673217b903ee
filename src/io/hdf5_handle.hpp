// Identifiers of the HDF5 library with an owner. Everything includes HDF5 through this header, so
// that one version of its interface is meant.
#pragma once

#ifndef H5_USE_110_API
#define H5_USE_110_API // later libraries offer the functions of 1.10 under their names
#endif
#include <hdf5.h>

#include <utility>

namespace ridge::io {

/// Closes what the library opened.
class Handle {
public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  ~Handle() { (void)close(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// False when the library could not open it.
  explicit operator bool() const { return id_ >= 0; }
  [[nodiscard]] hid_t id() const { return id_; }

  /// False when closing failed: data may not have reached the file.
  [[nodiscard]] bool close() {
    const hid_t open = std::exchange(id_, -1);
    return open < 0 || close_(open) >= 0;
  }

private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// The same identifier, which its owner closes.
[[nodiscard]] inline Handle borrowed(const Handle& owner) {
  return {owner.id(), [](hid_t /*id*/) { return herr_t{0}; }};
}

} // namespace ridge::io
