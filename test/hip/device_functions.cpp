// Functions for HIP devices alone, which may call nothing that is for the host: clang looks at
// them.
#include <ridge/core/stored.hpp>

#include <type_traits>

namespace ridge {
namespace {

static_assert(std::is_same_v<NumberOf<Fp16>, float>);
static_assert(std::is_same_v<NumberOf<const Bf16>, float>);
static_assert(std::is_same_v<NumberOf<const double>, double>);

template <class T>
RIDGE_DEVICE T twice(T element) {
  const NumberOf<T> number = number_of(element);
  return element_of<T>(number + number);
}

__global__ void twice_all(Fp16* halves, Bf16* rounded, float* floats, double* doubles) {
  *halves = twice(*halves);
  *rounded = twice(*rounded);
  *floats = twice(*floats);
  *doubles = twice(*doubles);
}

} // namespace
} // namespace ridge
