#include <ridge/device/offer.hpp>

#include <gtest/gtest.h>

namespace ridge {
namespace {

struct Mine {};
struct Unknown {};
void nothing(int /*number*/) {}

TEST(KernelSources, AreFoundFromWhatTheBuildWroteOfTheirTarget) {
  static const KernelFolders folders{"/home/me/project/kernels", "-I/home/me/include"};
  const Offer offer(DeviceKind::simt, typeid(Mine), &nothing, {"../shared/heat.cpp", &folders});
  const SourceFile source = find_source(typeid(Mine));
  EXPECT_EQ(source.file, "/home/me/project/shared/heat.cpp");
  EXPECT_EQ(source.flags, "-I/home/me/include");
  EXPECT_EQ(find_source(typeid(Unknown)).file, "");
}

TEST(KernelSources, AreThoseThatAProgramSays) {
  know_source(typeid(Unknown*), "/home/me/wave.hpp", "-DX");
  EXPECT_EQ(find_source(typeid(Unknown*)).file, "/home/me/wave.hpp");
  EXPECT_EQ(find_source(typeid(Unknown*)).flags, "-DX");
}

} // namespace
} // namespace ridge
