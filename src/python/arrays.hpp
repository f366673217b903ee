// Arrays of Python as their libraries describe them: never copied, never cast.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/python/arguments.hpp>

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace ridge::python {

/// The arrays of one call, and where they are.
struct Arrays {
  std::vector<Array> all;
  std::string storage;                ///< fp16 or bf16 where their numbers have 16 bits
  unsigned wide = 0;                  ///< of these arrays, bits of those that are float32
  DeviceId device;                    ///< cpu for memory of the host
  void* stream = nullptr;             ///< of a GPU: the current one of the first array's library
  std::vector<nanobind::object> kept; ///< what keeps descriptions of arrays valid
};

/// Tensors that require a gradient.
enum class Gradients {
  refused,
  recorded, ///< are used: torch records the call
  none      ///< there are none, as has been looked
};

/// What a kernel's arrays are checked against.
struct Signature {
  const std::string& kernel;
  const std::vector<std::string>& arrays; ///< their names
  const std::vector<std::string>& numbers;
  int rank = 0; ///< of all arrays; 0: any
  std::size_t first_written = 0, end_written = 0;
  bool in_16_bits = false; ///< its arrays may be float16 or bfloat16
  /// Arrays from here on may be float32 where the first has 16 bits; 0: none.
  std::size_t first_wide = 0;
  Gradients gradients = Gradients::refused;
};

/// Whether that is a tensor that requires a gradient, whatever its library.
[[nodiscard]] bool requires_grad(nanobind::handle object);

/// Whether a tensor among them requires a gradient. Arrays whose library lends memory have none.
[[nodiscard]] bool require_gradient(nanobind::handle objects);

/// Raises TypeError, which begins with the kernel's name, for arrays that cannot be used in place;
/// it says what would be right.
[[nodiscard]] Arrays look_at(nanobind::tuple objects, const Signature& signature);

} // namespace ridge::python
