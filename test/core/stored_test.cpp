// Packs as lanes of GPUs hold them.
#include "stored_checks.hpp"

namespace ridge {
namespace {

TEST(Stored, RoundsToTheNearestInFp16) {
  check_stored_numbers<Fp16>();
}
TEST(Stored, RoundsToTheNearestInBf16) {
  check_stored_numbers<Bf16>();
}

} // namespace
} // namespace ridge
