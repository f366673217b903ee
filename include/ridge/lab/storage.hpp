// Storage in 16 bits, by name.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/lab/arrays.hpp>
#include <ridge/lab/case.hpp>

#include <memory>
#include <string_view>
#include <type_traits>

namespace ridge::lab {

/// Whether a precision's name is one of storage in 16 bits: fp16 or bf16.
[[nodiscard]] bool is_storage(std::string_view precision);
/// Throws UsageError for a name that is none.
void check_storage(std::string_view name);

/// How records name the numbers in memory.
template <class T>
[[nodiscard]] constexpr const char* precision_name() {
  if constexpr (std::is_same_v<T, Fp16>) {
    return "fp16";
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return "bf16";
  } else {
    return sizeof(T) == 4 ? "fp32" : "fp64";
  }
}

struct Evolution;
/// As stored_evolution of ridge/lab/evolution.hpp, but inputs whose bits `wide` has stay fp32: its
/// sweeps take the high halves of their numbers in place of them, and the low halves behind all.
[[nodiscard]] Evolution stored_evolution(const Evolution& fp32, std::string_view storage,
                                         unsigned wide);

/// The case of a stencil in fp32 on other memory, packed fields that are stored so. Throws
/// UsageError for a case that is of no stencil of one input.
[[nodiscard]] std::unique_ptr<Case> stored_on(const Case& fp32, std::string_view storage,
                                              const void* in, void* out);
/// The case of a stencil in fp32 on the arrays of a call, which hold numbers that are stored so.
/// Throws UsageError for a case of another pattern.
[[nodiscard]] std::unique_ptr<Case> stored_on_arrays(const Case& fp32, std::string_view storage,
                                                     const Arguments& arguments);

} // namespace ridge::lab
