// Compiled once per device kind.
#include <ridge/core/pack.hpp>

#include "kernel_width.hpp"

namespace ridge::pairs::test {

#if defined(RIDGE_TARGET_CPU)
int bytes_of_packs() {
  return simd_bytes;
}
#endif

} // namespace ridge::pairs::test
