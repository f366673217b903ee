// The space around a schedule.
#include <ridge/core/error.hpp>
#include <ridge/lattice/schedule.hpp>
#include <ridge/stencil/schedule.hpp>
#include <ridge/tune/neighbours.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ridge::tune {
namespace {

using ::testing::Contains;
using ::testing::Not;

int fields_apart(const std::string& a, const std::string& b) {
  const auto of_a = text::words(a);
  const auto of_b = text::words(b);
  int apart = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    apart += of_a[i] != of_b.at(i) ? 1 : 0;
  return apart;
}

TEST(Neighbours, DifferInOneFieldAndArePossible) {
  const std::string standard = text::print(stencil::GpuSchedule{});
  const auto all = neighbours("stencil", DeviceKind::cuda, standard);
  EXPECT_GT(all.size(), 15u);
  for (const std::string& s : all) {
    EXPECT_EQ(fields_apart(s, standard), 1) << s;
    EXPECT_EQ(text::problem(text::parse<stencil::GpuSchedule>(s)), "");
    EXPECT_EQ(std::count(all.begin(), all.end(), s), 1) << s;
  }
}

TEST(Neighbours, HaveValuesBesideTheOneThereIs) {
  stencil::CpuSchedule s;
  s.rows = 40; // as the default has it from the size of a cache, and no list does
  std::vector<int> rows;
  for (const auto& other : neighbours_of(s)) {
    if (other.rows != s.rows) rows.push_back(other.rows);
  }
  for (const int expected : {0, 16, 64, 256, 20, 39, 41, 80})
    EXPECT_THAT(rows, Contains(expected));
}

TEST(Neighbours, StayInTheRangeOfAField) {
  stencil::GpuSchedule s;
  s.tile = 32;
  for (const auto& other : neighbours_of(s))
    EXPECT_LE(other.tile, 32);
}

TEST(Neighbours, LeaveTheThreadsOfTheCpuAlone) {
  stencil::CpuSchedule s;
  s.threads = 3;
  for (const auto& other : neighbours_of(s))
    EXPECT_EQ(other.threads, 3);
}

TEST(Neighbours, ExistForEveryPatternAndKind) {
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::hip}) {
    for (const char* const pattern : {"stencil", "pairs", "lattice", "chain"})
      EXPECT_FALSE(neighbours(pattern, kind, "").empty()) << pattern; // around the plain schedule
  }
  EXPECT_THROW((void)neighbours("mesh", DeviceKind::cpu, ""), UsageError);
  EXPECT_THROW((void)neighbours("stencil", DeviceKind::cpu, "tile=3"), UsageError);
}

} // namespace
} // namespace ridge::tune
