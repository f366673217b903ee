// Device memory that grows when more is asked for, and then holds nothing in particular.
#pragma once

#include <ridge/device/field.hpp>

namespace ridge::pairs {

template <class T>
class Grown {
public:
  /// At least so many elements; with a tenth to spare where `spare` says so.
  Span<T> of(const Device& device, Index count, const char* what, bool spare = false) {
    if (field_.count() < count) {
      field_ = {}; // first, so that both need not fit
      field_ = Field<T>(device, Extents{spare ? count + count / 10 : count}, what);
    }
    return {field_.data(), count};
  }
  [[nodiscard]] Index bytes() const { return field_.count() * static_cast<Index>(sizeof(T)); }

private:
  Field<T> field_;
};

} // namespace ridge::pairs
