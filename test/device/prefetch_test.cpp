// Which lines are asked for where memory is walked in order.
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/device/device.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ridge::cpu {
namespace {

constexpr std::uintptr_t line = line_bytes;
constexpr std::uintptr_t page = 4096;

/// The places asked for by a walk over [begin, end), in its order.
std::vector<std::uintptr_t> asked(const LinesAhead& ahead, std::uintptr_t begin,
                                  std::uintptr_t end) {
  std::vector<std::uintptr_t> places;
  for (std::uintptr_t at = begin; at < end; at += line)
    places.push_back(ahead.beside(at));
  return places;
}

TEST(LinesAhead, OfOneStreamLieAFixedDistanceAhead) {
  const LinesAhead ahead(3072, 1);
  EXPECT_TRUE(bool{ahead});
  EXPECT_FALSE(bool{LinesAhead(0, 1)});
  for (const std::uintptr_t place : {0x10000, 0x10040, 0x1ffc0})
    EXPECT_EQ(ahead.beside(place), place + 3072);
}

TEST(LinesAhead, OfSeveralStreamsAreEachLineOfTheNextBlockOnce) {
  for (const int streams : {2, 4, 8, 64}) {
    const std::uintptr_t block = page * static_cast<unsigned>(streams);
    const std::uintptr_t begin = 40 * block;
    const auto places = asked(LinesAhead(1, streams), begin, begin + 3 * block);
    const std::set<std::uintptr_t> once(places.begin(), places.end());
    EXPECT_EQ(once.size(), places.size()) << streams;
    EXPECT_EQ(*once.begin(), begin + block) << streams;
    EXPECT_EQ(*once.rbegin(), begin + 4 * block - line) << streams;
  }
}

TEST(LinesAhead, ByStreamsAreNoneOfOneStream) {
  EXPECT_FALSE(bool{LinesAhead::by_streams(1)});
  EXPECT_TRUE(bool{LinesAhead::by_streams(8)});
  for (const std::uintptr_t place : {0x10000, 0x10040, 0x1ffc0})
    EXPECT_EQ(LinesAhead::by_streams(8).beside(place), LinesAhead(1, 8).beside(place));
}

TEST(LinesAhead, ComeFromAllPagesInTurn) {
  for (const int streams : {4, 8}) {
    const std::uintptr_t block = page * static_cast<unsigned>(streams);
    const auto places = asked(LinesAhead(1, streams), 8 * block, 9 * block);
    for (std::size_t i = 0; i + 1 < places.size(); ++i)
      EXPECT_NE(places[i] / page, places[i + 1] / page);
    std::map<std::uintptr_t, std::uintptr_t> last; // of each page, whose lines come in order
    for (const std::uintptr_t place : places) {
      EXPECT_EQ(place % page, last.contains(place / page) ? last[place / page] + line : 0);
      last[place / page] = place % page;
    }
  }
}

TEST(LinesAhead, ArriveBeforeTheyAreWalked) {
  const std::uintptr_t block = 8 * page;
  const auto places = asked(LinesAhead(1, 8), 5 * block, 6 * block);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t needed = (places[i] - 5 * block) / line;
    EXPECT_GE(needed, i + 64); // of the lines walked
  }
}

TEST(StallsBetweenPages, IsKnownOfIntelCores) {
  DeviceFacts facts;
  facts.name = "Intel(R) Xeon(R) Processor";
  EXPECT_TRUE(stalls_between_pages(facts));
  facts.name = "AMD EPYC 9005";
  EXPECT_FALSE(stalls_between_pages(facts));
}

} // namespace
} // namespace ridge::cpu
