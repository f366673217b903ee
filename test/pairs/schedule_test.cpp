#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/schedule.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ridge::pairs {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Traits gravity = traits_of<Gravity<>, Fp32>();
const Traits gaussian = traits_of<Gaussian, Fp32>();

TEST(PairSchedules, NameTheThreeApproachesOfTheTalk) {
  const Device device("simt:32");
  std::vector<std::string> names;
  for (const auto& s : named_schedules(device, gravity, {1000, 1000, true}))
    names.push_back(s.name);
  EXPECT_THAT(names, ::testing::ElementsAre("shared", "shuffle", "both", "direct", "symmetric"));
  names.clear();
  for (const auto& s : named_schedules(device, gaussian, {1000, 10, false}))
    names.push_back(s.name);
  EXPECT_THAT(names, ::testing::ElementsAre("shared", "shuffle", "both", "direct"));
}

TEST(PairSchedules, PrintAndParse) {
  const Device device("simt:32");
  const Bodies bodies{1000, 1000, true};
  for (const Schedule& s : schedule_space(device, gravity, bodies)) {
    EXPECT_EQ(parse_schedule(to_text(s), device, gravity, bodies).schedule, s) << to_text(s);
  }
}

TEST(PairSchedules, TheSpaceHasNoTwins) {
  const Device device("simt:64");
  std::set<std::string> seen;
  for (const Schedule& s : schedule_space(device, gravity, {1000, 1000, true}))
    EXPECT_TRUE(seen.insert(to_text(s)).second) << to_text(s);
  EXPECT_GT(seen.size(), 50U);
}

TEST(PairSchedules, SayWhatIsRight) {
  const Device device("simt:32");
  const Bodies bodies{1000, 1000, true};
  const auto parse = [&](const char* text) {
    return [=] { (void)parse_schedule(text, device, gravity, bodies); };
  };
  EXPECT_THAT(parse("fast"), ThrowsMessage<UsageError>(HasSubstr("the names are auto, shared")));
  EXPECT_THAT(parse("tile=17"), ThrowsMessage<UsageError>(HasSubstr("expected 1 to 16")));
  EXPECT_THAT(parse("shared block=100"),
              ThrowsMessage<UsageError>(HasSubstr("block is a multiple of 32")));
  EXPECT_THAT(parse("symmetric tile=3"), ThrowsMessage<UsageError>(HasSubstr("a multiple of 256")));
  EXPECT_THAT(parse("shared stage=warp ways=3"),
              ThrowsMessage<UsageError>(HasSubstr("ways is 1, 2, 4, 8, 16 or 32")));
  EXPECT_THAT(parse("form=symmetric split=2"),
              ThrowsMessage<UsageError>(HasSubstr("form=symmetric goes with")));
  EXPECT_THAT(parse("shared combine=last"),
              ThrowsMessage<UsageError>(HasSubstr("combine is for split sources")));
  EXPECT_THAT(parse("shared tile=8 block=256"),
              ThrowsMessage<UsageError>(HasSubstr("blocks of at most 128 threads")));
}

TEST(PairSchedules, TakeAnyTileWaysAndUnroll) {
  const Device device("simt:32");
  for (const char* text :
       {"shared tile=3", "shared tile=16 unroll=5", "shuffle unroll=8",
        "shared stage=warp tile=8 ways=16 block=96", "symmetric tile=2 block=128 unroll=16"}) {
    EXPECT_NO_THROW((void)parse_schedule(text, device, gravity, {1000, 1000, true})) << text;
  }
  EXPECT_NO_THROW((void)parse_schedule("tile=3", Device("cpu"), gravity, {1000, 1000, true}));
}

TEST(PairSchedules, AUsersCopyHasTheDefaultsOfTheBuiltIn) {
  struct Copy : Gravity<> {};
  const Traits copy = traits_of<Copy, Fp32>();
  for (const char* name : {"cpu", "simt:32", "simt:64"}) {
    const Device device(name);
    for (const Index n : {1, 100, 4096, 16384, 65536, 262144}) {
      for (const Bodies& bodies : {Bodies{n, n, true}, Bodies{n, 4096, false}}) {
        EXPECT_EQ(default_schedule(device, copy, bodies),
                  default_schedule(device, gravity, bodies));
      }
    }
  }
}

/// What gravity in fp32 had by name, as measured on an H200, holds for every copy of it.
TEST(PairSchedules, GiveFewWideSumsToAThread) {
  const Device device("simt:32");
  const auto direct = [&](const Traits& traits) {
    return std::get<GpuSchedule>(
        parse_schedule("direct", device, traits, {262144, 262144, true}).schedule);
  };
  EXPECT_EQ(direct(gravity).tile, 8);
  EXPECT_EQ(direct(gaussian).tile, 1);
  EXPECT_EQ(direct(traits_of<Gravity<>, Mixed>()).tile, 4);
  EXPECT_EQ(direct(traits_of<Gravity<>, Fp64>()).tile, 1);
}

TEST(PairSchedules, ManySumsHaveBlocksThatFit) {
  Traits asked = traits_of<Gravity<>, Fp64>();
  asked.mutual = false;
  asked.sources = 1;
  const Device device("simt:32");
  for (const Index n : {Index{300}, Index{1000000}}) {
    asked.sums = 43;
    const auto s = std::get<GpuSchedule>(default_schedule(device, asked, {n, n, true}));
    const Index staged = (s.stage == Stage::warp ? 4 : 2) * Index{16};
    EXPECT_LE(16 + s.block * (staged + Index{s.tile} * 43 * 8),
              device.facts().shared_per_block.value)
        << to_text(Schedule(s));
    EXPECT_GE(s.block, 32);
    asked.sums = 3;
    EXPECT_GE(std::get<GpuSchedule>(default_schedule(device, asked, {n, n, true})).block, s.block);
  }
  asked.sums = 3;
  EXPECT_EQ(std::get<GpuSchedule>(default_schedule(device, asked, {300, 300, true})).block, 512);
}

TEST(PairSchedules, TheDefaultIsPossibleForAnyNumberOfBodies) {
  for (const char* name : {"cpu", "simt:32", "simt:64"}) {
    const Device device(name);
    for (const Traits& traits : {gravity, gaussian, traits_of<Gravity<>, Mixed>()}) {
      for (const Index n : {1, 2, 63, 1000, 4096, 65536, 262144, 10'000'000}) {
        for (const Bodies& bodies :
             {Bodies{n, n, true}, Bodies{n, 100, false}, Bodies{5, n, false}}) {
          const Schedule s = default_schedule(device, traits, bodies);
          EXPECT_EQ(std::visit([](const auto& one) { return text::problem(one); }, s), "")
              << name << " " << n << " " << to_text(s);
        }
      }
    }
  }
}

} // namespace
} // namespace ridge::pairs
