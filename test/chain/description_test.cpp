// Wrong declarations are errors that say which and what would be right.
#include <ridge/chain/description.hpp>
#include <ridge/core/error.hpp>

#include "accesses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::chain {
namespace {

using ::testing::HasSubstr;

/// in -> first -> t -> second -> out.
Description good() {
  Description d;
  d.name = "good";
  d.arrays = {input("in"), temporary("t"), output("out")};
  d.dimensions = {independent(), independent(), independent()};
  d.operations.push_back({"first", {reads(0), writes(1)}, {}, 1});
  d.operations.push_back({"second", {reads(1), writes(2)}, {}, 2});
  return d;
}

std::string wrong_with(const Description& d) {
  try {
    check(d);
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Declarations, ThatAreRightPass) {
  EXPECT_EQ(wrong_with(good()), "");
  EXPECT_EQ(work_of(good(), {10, 3, 1}).read.value, 240);
  EXPECT_EQ(work_of(good(), {10, 3, 1}).written.value, 240);
  EXPECT_EQ(work_of(good(), {10, 3, 1}).flops, 90);
}

TEST(Declarations, OfArraysThatAreNotThere) {
  Description d = good();
  d.operations[0].accesses[0].array = 3;
  EXPECT_THAT(wrong_with(d), HasSubstr("operation 'first' declares array 3; the chain has arrays 0 "
                                       "to 2"));
}

TEST(Declarations, ThatNobodyWritesOrReads) {
  Description d = good();
  d.operations[0].accesses = {reads(0)};
  EXPECT_THAT(wrong_with(d), HasSubstr("'first' declares nothing that it writes"));
  d = good();
  d.arrays.push_back(temporary("unused"));
  EXPECT_THAT(wrong_with(d), HasSubstr("no operation declares that it writes 'unused'"));
  d.operations[0].accesses.push_back(writes(3));
  EXPECT_THAT(wrong_with(d),
              HasSubstr("no operation declares that it reads 'unused', a temporary"));
  d = good();
  d.operations[1].accesses.push_back(writes(0));
  EXPECT_THAT(wrong_with(d), HasSubstr("writes 'in', an input; declare it an update"));
}

TEST(Declarations, ThatAreMissing) {
  Description d = good();
  std::swap(d.operations[0], d.operations[1]);
  EXPECT_THAT(wrong_with(d),
              HasSubstr("'second' reads 't' before 'first' writes it; put it behind"));
}

TEST(Declarations, ThatAreCyclic) {
  Description d = good();
  d.operations[0].accesses = {reads(2), writes(1)};
  d.arrays[0].role = Role::input;
  d.operations.push_back({"third", {reads(0), writes(2)}, {}, 0});
  EXPECT_THAT(wrong_with(d), HasSubstr("'first' and 'second' need each other's results ('out'): a "
                                       "cycle"));
  d = good();
  d.operations[1].accesses.push_back(reads(2));
  EXPECT_THAT(wrong_with(d), HasSubstr("'second' reads 'out', which it is the first to write: a "
                                       "cycle"));
  d = good();
  d.dimensions[0] = internal(Edge::clamp);
  d.arrays[2].role = Role::update;
  d.operations[1].accesses.push_back(reads(2, along_x(-1, 0)));
  EXPECT_THAT(wrong_with(d), HasSubstr("reads neighbours of 'out', which it writes: a cycle"));
}

TEST(Declarations, OfNeighboursAcrossIndependentDimensions) {
  Description d = good();
  d.dimensions[1] = independent(0, Edge::clamp);
  d.operations[1].accesses[0].reach = along_y(-1, 1);
  EXPECT_THAT(wrong_with(d),
              HasSubstr("'second' reads neighbours of 't' along y, which 'first' writes, and y is "
                        "declared independent; declare a halo, or the dimension internal"));
  d.dimensions[1] = independent(1, Edge::clamp);
  EXPECT_EQ(wrong_with(d), "");
  d.dimensions[1] = internal(Edge::clamp);
  EXPECT_EQ(wrong_with(d), "");
  // Also where the neighbours are read before they are overwritten.
  d = good();
  d.dimensions[0] = independent(0, Edge::periodic);
  d.arrays[0].role = Role::update;
  d.operations[0].accesses[0].reach = along_x(-1, 0);
  d.operations[1].accesses.push_back(writes(0));
  EXPECT_THAT(wrong_with(d), HasSubstr("'first' reads neighbours of 'in' along x, which 'second'"));
}

TEST(Declarations, OfItemsOutsideTheirArrays) {
  Description d = good();
  d.operations[0].accesses[0].reach = along_x(-1, 2);
  EXPECT_THAT(wrong_with(d), HasSubstr("'first' reads 'in' up to 1 before its first along x"));
  d.operations[0].domain = {{1, 0, 0}, {}};
  EXPECT_THAT(wrong_with(d), HasSubstr("'first' reads 'in' up to 2 behind its last along x"));
  d.operations[0].domain = {{1, 0, 0}, {-2, 0, 0}};
  EXPECT_THAT(wrong_with(d), HasSubstr("'second' reads points of 't' along x that no operation"));
  d.operations[1].domain = {{1, 0, 0}, {-2, 0, 0}};
  EXPECT_EQ(wrong_with(d), "");
  d = good();
  d.arrays[0].extra = {0, 1, 0};
  d.operations[0].domain = {{}, {0, 1, 0}};
  EXPECT_THAT(wrong_with(d), HasSubstr("writes 't' up to 1 behind its last along y"));
}

} // namespace
} // namespace ridge::chain
