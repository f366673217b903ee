// Names of the numbers that a record is of.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/record/record.hpp>

#include <type_traits>
#include <utility>

namespace ridge {

/// "fp64", "fp32", "fp16" or "bf16". A size alone does not say it: two formats have 16 bits.
template <class T>
[[nodiscard]] constexpr const char* precision_name() {
  if constexpr (std::is_same_v<T, Fp16>) {
    return "fp16";
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return "bf16";
  } else {
    static_assert(std::is_floating_point_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    return sizeof(T) == 4 ? "fp32" : "fp64";
  }
}

/// The record of a launch on numbers of T. Numbers of 16 bits are only stored: the record says what
/// computes.
[[nodiscard]] Record record_in(const char* precision, bool stored, Record record);
template <class T>
[[nodiscard]] Record record_in(Record record) {
  return record_in(precision_name<T>(), is_stored<T>, std::move(record));
}

} // namespace ridge
