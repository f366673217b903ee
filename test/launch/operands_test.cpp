// What a launch writes overlaps nothing else of it, and all numbers lie at multiples of their size.
#include <ridge/launch/operands.hpp>

#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ridge::launch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Operands : public ::testing::Test {
protected:
  static constexpr const char* nothing = "nothing was refused";

  static std::string refused_of(const std::vector<Operand>& operands) {
    return test::refused([&] {
      check_operands(operands, [](std::size_t i) { return "operand " + std::to_string(i); });
    });
  }

  alignas(64) double memory[100] = {};
  [[nodiscard]] Operand read(int begin, int count) const {
    return operand(Span<const double>(memory + begin, count));
  }
  [[nodiscard]] Operand written(int begin, int count) {
    return operand(Span<double>(memory + begin, count));
  }
};

TEST_F(Operands, ThatAreOnlyReadMayShareMemory) {
  EXPECT_EQ(refused_of({read(0, 10), read(0, 10), read(5, 10), written(20, 10)}), nothing);
}

TEST_F(Operands, ThatTouchDoNotOverlap) {
  EXPECT_EQ(refused_of({read(0, 10), written(10, 10), read(20, 10)}), nothing);
}

TEST_F(Operands, ThatAreWrittenOverlapNothing) {
  EXPECT_THAT(refused_of({read(0, 10), written(9, 10)}),
              StartsWith("operand 1 overlaps operand 0, which the launch reads while it writes"));
  EXPECT_THAT(refused_of({written(9, 10), read(0, 10)}),
              StartsWith("operand 0 overlaps operand 1"));
  EXPECT_THAT(refused_of({read(0, 10), read(40, 1), written(30, 20)}),
              StartsWith("operand 2 overlaps operand 1"));
  EXPECT_THAT(refused_of({written(0, 10), written(0, 10)}), HasSubstr("which the launch writes"));
  EXPECT_THAT(refused_of({read(0, 10), written(0, 10)}), HasSubstr("overlaps"));
}

TEST_F(Operands, ThatAreNeededInPlaceMayBeTheResultAsAWhole) {
  Operand x = read(0, 10);
  x.in_place = true;
  EXPECT_EQ(refused_of({x, written(0, 10)}), nothing);
  EXPECT_THAT(refused_of({x, written(1, 10)}), HasSubstr("overlaps"));
  EXPECT_THAT(refused_of({x, written(0, 9)}), HasSubstr("overlaps"));
}

TEST_F(Operands, ThatAreNotThereAreNotLookedAt) {
  EXPECT_EQ(refused_of({Operand{}, written(0, 10), operand(Span<const double>(memory, 0))}),
            nothing);
}

TEST_F(Operands, HaveTheirRowsAndPlanes) {
  const auto view = [&](int begin, Index3 n, Index row, Index plane) {
    return operand(View<double>(memory + begin, n, row, plane));
  };
  EXPECT_EQ(view(0, {3, 4, 5}, 3, 12).bytes, 60 * 8);
  EXPECT_EQ(view(0, {3, 4, 1}, 10, 40).bytes, 33 * 8);
  // From the last row on back.
  const Operand back = view(30, {3, 4, 1}, -10, 40);
  EXPECT_EQ(back.begin, reinterpret_cast<const char*>(memory));
  EXPECT_EQ(back.bytes, 33 * 8);
  EXPECT_THAT(refused_of({view(50, {3, 4, 1}, 10, 40), view(82, {3, 1, 1}, 3, 3)}),
              HasSubstr("overlaps"));
  EXPECT_EQ(refused_of({view(50, {3, 4, 1}, 10, 40), view(83, {3, 1, 1}, 3, 3)}), nothing);
}

TEST_F(Operands, BeginAtMultiplesOfTheirSize) {
  char* const bytes = reinterpret_cast<char*>(memory);
  const auto at = [&](int byte) {
    Operand o = read(0, 10);
    o.begin = bytes + byte;
    return o;
  };
  EXPECT_EQ(refused_of({at(8)}), nothing);
  EXPECT_THAT(refused_of({at(8), at(12)}),
              StartsWith("operand 1 begins at an address that is no multiple of 8 bytes"));
  Operand whole = at(8);
  whole.alignment = 64;
  EXPECT_THAT(refused_of({whole}), HasSubstr("no multiple of 64 bytes"));
}

} // namespace
} // namespace ridge::launch
