// Arrays in shared memory whose every access is checked.
#pragma once

#include <ridge/device/simt/context.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

namespace ridge::simt {

/// `s[i]`: what reads when it is used as a value, and writes when it is assigned to. On a GPU it is
/// a reference. To keep a value, name its type (`const double v = s[i]`): `auto` would keep the
/// element instead of what it holds now, and does not compile when used.
template <class T>
class SharedElement {
public:
  SharedElement(const LaneContext& lane, int offset, Index index)
      : lane_(lane), offset_(offset), index_(index) {}
  SharedElement(const SharedElement&) = delete;

  RIDGE_FN operator T() && { return read(); }
  RIDGE_FN void operator=(const T& value) && { write(value); }
  RIDGE_FN void operator=(SharedElement&& from) && { write(from.read()); }
  RIDGE_FN void operator+=(const T& value) && { write(static_cast<T>(read() + value)); }
  RIDGE_FN void operator-=(const T& value) && { write(static_cast<T>(read() - value)); }
  RIDGE_FN void operator*=(const T& value) && { write(static_cast<T>(read() * value)); }
  RIDGE_FN void operator/=(const T& value) && { write(static_cast<T>(read() / value)); }

  [[nodiscard]] RIDGE_FN T read() const {
    check(AccessKind::read);
    T value;
    std::memcpy(&value, address(), sizeof(T));
    return value;
  }
  RIDGE_FN void write(const T& value) const {
    check(AccessKind::write);
    std::memcpy(address(), &value, sizeof(T));
  }
  /// As read, but what nobody has written is poison (all bits set: NaN) instead of a fault.
  [[nodiscard]] RIDGE_FN T read_or_poison() const {
    if (lane_.state().shadow.written(static_cast<std::uint32_t>(offset_) / 4)) return read();
    T value;
    std::memset(&value, 0xFF, sizeof(T));
    return value;
  }
  /// Adds in one step for all lanes; returns the value before.
  RIDGE_FN T add(T value) const {
    lane_.touch_shared(offset_, sizeof(T), AccessKind::atomic, index_);
    // The lanes of a block run on one host thread.
    T before;
    std::memcpy(&before, address(), sizeof(T));
    const T after = static_cast<T>(before + value);
    std::memcpy(address(), &after, sizeof(T));
    return before;
  }

private:
  [[nodiscard]] std::byte* address() const { return lane_.state().shared + offset_; }

  RIDGE_FN void check(AccessKind kind) const {
    bool fine = false;
    if constexpr (sizeof(T) % 4 == 0 && alignof(T) >= 4) {
      fine = true;
      Shadow& shadow = lane_.state().shadow;
      for (std::uint32_t w = 0; w < sizeof(T) / 4; ++w) {
        const std::uint32_t word = static_cast<std::uint32_t>(offset_) / 4 + w;
        fine = fine && (kind == AccessKind::read ? shadow.quick_read(word, lane_.record())
                                                 : shadow.quick_write(word, lane_.record()));
      }
    }
    if (!fine) lane_.touch_shared(offset_, sizeof(T), kind, index_);
  }

  const LaneContext& lane_;
  int offset_;
  Index index_;
};

/// `count` elements of T in the shared memory of the lane's block.
template <class T>
class SharedArray {
  static_assert(std::is_trivially_copyable_v<T>, "shared memory holds plain data");

public:
  SharedArray(const LaneContext& lane, int offset, int count)
      : lane_(&lane), offset_(offset), count_(count) {
    const Index end = offset + Index{count} * static_cast<Index>(sizeof(T));
    if (offset < 0 || count < 0 || offset % static_cast<int>(alignof(T)) != 0 ||
        end > lane.state().shared_bytes)
      lane.fault_layout(offset, count, sizeof(T), alignof(T));
  }

  [[nodiscard]] RIDGE_FN SharedElement<T> operator[](Index i) const {
    if (i < 0 || i >= count_) lane_->fault_shared(i, count_);
    return {*lane_, offset(i), i};
  }
  [[nodiscard]] int size() const { return count_; }
  /// Byte at which element `i` begins.
  [[nodiscard]] int offset(Index i) const {
    return offset_ + static_cast<int>(i) * static_cast<int>(sizeof(T));
  }

private:
  const LaneContext* lane_;
  int offset_;
  int count_;
};

} // namespace ridge::simt
