// Where blocks of memory on the cpu begin.
#include <ridge/device/device.hpp>
#include <ridge/device/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace ridge {
namespace {

std::uintptr_t address(const Memory& memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data());
}

class MemoryPlace : public testing::TestWithParam<std::int64_t> {};

TEST_P(MemoryPlace, BlocksDoNotBeginAlike) {
  const Device cpu("cpu");
  std::vector<Memory> blocks;
  for (int i = 0; i < 12; ++i)
    blocks.emplace_back(cpu, Bytes{GetParam()}, "block");
  const auto apart = [&](std::size_t from, std::size_t to) {
    return (address(blocks[to]) - address(blocks[from])) % 1024;
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(address(blocks[i]) % 64, 0U);
    if (i >= 1) {
      EXPECT_GE(apart(i - 1, i), 384U);
      EXPECT_GE(apart(i, i - 1), 384U);
    }
    if (i >= 2) {
      EXPECT_GE(apart(i - 2, i), 384U);
    }
  }
}

TEST_P(MemoryPlace, BlocksAreThereToTheirLastByte) {
  const Device cpu("cpu");
  const auto size = static_cast<std::size_t>(GetParam());
  for (int i = 0; i < 20; ++i) { // every place, and each block is given back
    const Memory block(cpu, Bytes{GetParam()}, "block");
    std::memset(block.data(), i, size);
    EXPECT_EQ(static_cast<unsigned char*>(block.data())[size - 1], i);
  }
}

TEST_P(MemoryPlace, EmulatedGpusGiveWhatGpusGive) {
  const Device gpu("simt:32");
  for (int i = 0; i < 5; ++i) {
    const Memory block(gpu, Bytes{GetParam()}, "block");
    EXPECT_EQ(address(block) % 256, 0U); // CUDA C++ Programming Guide, "Device Memory Accesses"
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MemoryPlace,
                         testing::Values(1, 4096, 100'000, 2 << 20, (4 << 20) + 1));

} // namespace
} // namespace ridge
