// Compiled for the cpu: packs in vector registers.
#include "stored_checks.hpp"

namespace ridge {
namespace {

TEST(StoredInRegisters, RoundsToTheNearestInFp16) {
  check_stored_numbers<Fp16>();
}
TEST(StoredInRegisters, RoundsToTheNearestInBf16) {
  check_stored_numbers<Bf16>();
}

} // namespace
} // namespace ridge
