// Shared memory of kernels of which several programs are bound at once.
#include <ridge/device/gpu/granted.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace ridge::gpu {
namespace {

TEST(Granted, IsNeverLessThanAProgramBoundBeforeNeeds) {
  Granted granted;
  std::vector<int> grants;
  for (const int bytes : {60000, 50000, 70000, 60000})
    granted.raise(0, bytes, [&] { grants.push_back(bytes); });
  EXPECT_EQ(grants, (std::vector{60000, 70000}));
}

TEST(Granted, IsKeptByDevice) {
  Granted granted;
  int grants = 0;
  for (const int device : {0, 1, 0, 1})
    granted.raise(device, 60000, [&] { ++grants; });
  EXPECT_EQ(grants, 2);
}

TEST(Granted, IsNotWhatWasRefused) {
  Granted granted;
  EXPECT_THROW(granted.raise(0, 1 << 20, [] { throw std::runtime_error("too much"); }),
               std::runtime_error);
  int grants = 0;
  granted.raise(0, 60000, [&] { ++grants; });
  EXPECT_EQ(grants, 1);
}

} // namespace
} // namespace ridge::gpu
