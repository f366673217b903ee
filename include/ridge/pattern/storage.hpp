// Storage in 16 bits, by name.
#pragma once

#include <ridge/pattern/arrays.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// Whether a precision's name is one of storage in 16 bits: fp16 or bf16.
[[nodiscard]] bool is_storage(std::string_view precision);
/// Throws UsageError for a name that is none.
void check_storage(std::string_view name);

/// Writes the halves of fp32 numbers of the device to packed fields there, as Stored<K, wide> takes
/// them. Waits.
void split_numbers(Queue& queue, const View<const float>& numbers, void* high, void* low);

/// Throws UsageError where the stencil of a case in fp32 reads neighbours of an input whose bit
/// `wide` has; `names` are the inputs'.
void require_at_point(Case& fp32, unsigned wide, const std::vector<std::string>& names);
/// The case of a stencil in fp32 on other memory, packed fields that are stored so. Inputs whose
/// bits `wide` has are two fields: high halves of numbers in their place of `in`, low ones behind
/// all. Throws UsageError for a case that is of no stencil.
[[nodiscard]] std::unique_ptr<Case> stored_on(Case& fp32, std::string_view storage,
                                              const std::vector<const void*>& in, void* out,
                                              unsigned wide = 0);
/// The case of a stencil in fp32 on the arrays of a call, which hold numbers that are stored so.
/// Throws UsageError for a case of another pattern.
[[nodiscard]] std::unique_ptr<Case> stored_on_arrays(Case& fp32, std::string_view storage,
                                                     const Arguments& arguments);

} // namespace ridge
