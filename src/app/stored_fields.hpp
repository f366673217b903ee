// Fields of `ridge apply` that are held in 16 bits.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lab/bench.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ridge::app {

/// Rounds fp32 numbers of the device to those of a storage there, and says how many finite ones are
/// infinite then; widens the latter. Both wait.
Index narrow_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                     Index count);
void widen_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                   Index count);

/// How `--store-as` has fields stored.
struct FieldStorage {
  std::string storage;           ///< fp16 or bf16: of those of 16 bits
  std::vector<std::string> wide; ///< names of those that stay fp32
};
/// Reads "u=fp16,c=fp32"; the fields are the one that evolves, and coefficients. Those that are not
/// named stay fp32. Throws UsageError for names that are none, formats that there are not, and a
/// field that evolves in fp32.
[[nodiscard]] FieldStorage parse_field_storage(const std::string& text,
                                               const std::vector<std::string>& names);

/// Reads "p=fp16,c=fp32" for a system: how the arrays of 16 bits are stored, and bits of those that
/// stay fp32. Arrays that steps change all have 16 bits: one of them is named. Those that are only
/// read and not named stay fp32. Throws UsageError as above.
[[nodiscard]] std::pair<std::string, unsigned>
parse_system_storage(const std::string& text, const std::vector<lab::SystemArray>& arrays);

/// The inputs and the output of a stencil in 16 bits, on a device.
class StoredFields {
public:
  /// Fields of so many numbers; the output holds 0. Throws Failure where they do not fit the
  /// memory.
  StoredFields(Queue& queue, std::string storage, Index count);

  /// Rounds fp32 numbers of the device into one more input, and says how many are beyond the range;
  /// `wide`: keeps them, in halves.
  void take(const void* numbers, bool wide = false);
  /// Widens the output into fp32 numbers of the device. Says once how many left the range.
  void give(void* numbers);

  /// The inputs in the order in which they were taken, and the low halves of those in fp32.
  [[nodiscard]] std::vector<const void*> in() const;
  [[nodiscard]] void* out() const { return out_.data(); }
  [[nodiscard]] const Memory& memory_of_result() const { return out_; }

private:
  [[nodiscard]] Memory field(const char* what) const;

  Queue& queue_;
  std::string storage_;
  Index count_;
  Index infinite_ = 0; ///< of what was taken, afterwards
  std::vector<Memory> in_, low_;
  Memory out_;
};

} // namespace ridge::app
