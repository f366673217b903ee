// Compiled for the cpu: packs in vector registers.
#include "functions_checks.hpp"

namespace ridge {
namespace {

TEST(Functions, OfPacksInRegistersAreThoseOfTheStandardLibrary) {
  check_functions<NativePack<double>>();
  check_functions<NativePack<float>>();
  check_functions<Pack<double, 1>>();
  check_functions<Pack<float, 2>>();
  check_functions<Pack<double, 8>>();
  check_functions<Pack<float, 16>>();
}

} // namespace
} // namespace ridge
