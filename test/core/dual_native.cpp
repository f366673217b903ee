// Compiled for the cpu: packs in vector registers.
#include "dual_checks.hpp"

namespace ridge {
namespace {

TEST(Duals, OfPacksInRegistersHaveTheDerivativesOfAllOperations) {
  DualChecks<NativePack<double>>().run();
  DualChecks<NativePack<float>>().run();
}

} // namespace
} // namespace ridge
