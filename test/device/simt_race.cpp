// Races on shared memory: which the emulated GPU reports, and which it must not.
#include <ridge/device/simt/shadow.hpp>

#include "simt_support.hpp"

#include <random>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtRace : public EachWidth {
protected:
  /// Threads a and b of 128 do one thing each, with `between` in between, at the same word of
  /// initialised shared memory. Lanes run in the order of their ranks where nothing makes them
  /// wait.
  template <class First, class Second, class Between>
  auto pair(int a, First first, int b, Second second, Between between) {
    return fault_of(width, {{1, 1, 2}, {128, 1, 1}, 256}, [=](const auto& lane) {
      auto s = lane.template shared<double>(0, 32);
      if (lane.rank() < 32) s[lane.rank()] = 0.0;
      lane.barrier();
      if (lane.rank() == a) first(lane, s);
      between(lane);
      if (lane.rank() == b) second(lane, s);
    });
  }

  template <class First, class Second>
  void expect_race(First first, Second second, const char* words) {
    // The block's last lane goes on first from a barrier, then the others in their order.
    for (const int b : {7, 100}) {
      const auto fault = pair(3, first, b, second, nothing);
      expect_fault(fault, FaultKind::shared_race, {0, 0, 0}, {b, 0, 0}, b % width, 5, words);
      EXPECT_FALSE(pair(3, first, b, second, barrier).has_value());
      EXPECT_EQ(pair(3, first, b, second, warp_barrier).has_value(), b == 100);
      EXPECT_TRUE(pair(3, first, b, second, shuffle).has_value()) << "a shuffle orders no memory";
    }
    EXPECT_FALSE(pair(3, first, 3, second, nothing).has_value()) << "one lane's own accesses";
  }

  static constexpr auto nothing = [](const auto&) {};
  static constexpr auto barrier = [](const auto& lane) { lane.barrier(); };
  static constexpr auto warp_barrier = [](const auto& lane) { lane.warp_barrier(); };
  static constexpr auto shuffle = [](const auto& lane) { (void)lane.shuffle_xor(1, 1); };
  static constexpr auto read = [](const auto&, auto& s) {
    const double v = s[5];
    (void)v;
  };
  static constexpr auto write = [](const auto&, auto& s) { s[5] = 2.0; };
  static constexpr auto add = [](const auto& lane, auto& s) { lane.atomic_add(s, 5, 1.0); };
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtRace, both_widths);

TEST_P(SimtRace, ReportsAReadAfterAWrite) {
  expect_race(write, read,
              "reads index 5 (bytes 40 to 47 of shared memory), which thread (3,0,0) "
              "wrote, with no barrier between");
}
TEST_P(SimtRace, ReportsAWriteAfterARead) {
  expect_race(read, write,
              "writes index 5 (bytes 40 to 47 of shared memory), which thread (3,0,0) "
              "read, with no barrier between");
}
TEST_P(SimtRace, ReportsAWriteAfterAWrite) {
  expect_race(write, write, "which thread (3,0,0) wrote");
}
TEST_P(SimtRace, ReportsAnAtomicAndAPlainAccess) {
  expect_race(add, read, "which thread (3,0,0) wrote");
  expect_race(add, write, "which thread (3,0,0) wrote");
  expect_race(read, add, "which thread (3,0,0) read");
  expect_race(write, add, "which thread (3,0,0) wrote");
}

TEST_P(SimtRace, AllowsAtomicsAndReadsAtOnce) {
  for (const int b : {7, 100}) {
    EXPECT_FALSE(pair(3, add, b, add, nothing).has_value());
    EXPECT_FALSE(pair(3, read, b, read, nothing).has_value());
  }
}

TEST_P(SimtRace, SaysWhatToPutBetween) {
  expect_fault(pair(3, write, 7, read, nothing), FaultKind::shared_race, {0, 0, 0}, {7, 0, 0}, 7, 5,
               "put a warp_barrier or barrier there");
  expect_fault(pair(3, write, 100, read, nothing), FaultKind::shared_race, {0, 0, 0}, {100, 0, 0},
               100 % width, 5, "; put a barrier there");
}

TEST_P(SimtRace, ReportsAWriteByOneOfSeveralReaders) {
  const auto body = [](int writer) {
    return [=](const auto& lane) {
      auto s = lane.template shared<int>(0, 1);
      if (lane.rank() == 0) s[0] = 1;
      lane.barrier();
      const int v = s[0];
      if (lane.rank() == writer) s[0] = v + 1;
    };
  };
  const LaunchShape shape{{1, 1, 1}, {96, 1, 1}, 4};
  EXPECT_FALSE(fault_of(width, shape, body(-1)).has_value());
  const auto fault = fault_of(width, shape, body(50));
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::shared_race);
  EXPECT_EQ(fault->thread, (Dim3{50, 0, 0}));
}

TEST_P(SimtRace, ReportsAStencilTileWithoutItsSecondBarrier) {
  const auto body = [](bool second) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, 128);
      for (int step = 0; step < 3; ++step) {
        s[lane.rank()] = step;
        lane.barrier();
        const double right = s[(lane.rank() + 1) % 128];
        (void)right;
        if (second) lane.barrier();
      }
    };
  };
  const LaunchShape shape{{1, 1, 1}, {128, 1, 1}, 1024};
  EXPECT_FALSE(fault_of(width, shape, body(true)).has_value());
  const auto fault = fault_of(width, shape, body(false));
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::shared_race);
}

// The detector against the whole history of a word, by the definition of a race.

enum class Kind { read, write, atomic };

struct Access {
  int rank, block_epoch, warp_epoch;
  Kind kind;
};

class History {
public:
  explicit History(int warp_shift) : warp_shift_(warp_shift) {}
  void pass_barrier() { ++block_epoch_; }
  void pass_warp_barrier(int warp) { ++warp_epoch_[static_cast<std::size_t>(warp)]; }
  [[nodiscard]] int warp(int rank) const { return rank >> warp_shift_; }

  /// Whether the access races with an earlier one.
  bool races(int rank, Kind kind) {
    const Access now{rank, block_epoch_, warp_epoch_[static_cast<std::size_t>(warp(rank))], kind};
    bool race = false;
    for (const Access& before : accesses_)
      race = race || conflict(before, now);
    accesses_.push_back(now);
    return race;
  }

private:
  [[nodiscard]] bool conflict(const Access& a, const Access& b) const {
    const bool ordered = a.rank == b.rank || a.block_epoch < b.block_epoch ||
                         (warp(a.rank) == warp(b.rank) && a.warp_epoch < b.warp_epoch);
    const bool harmless = a.kind == b.kind && a.kind != Kind::write;
    return !ordered && !harmless;
  }

  int warp_shift_, block_epoch_ = 0;
  std::array<int, 32> warp_epoch_{};
  std::vector<Access> accesses_;
};

/// One access as SharedElement makes it: the quick way, else the slow one.
simt::Verdict touch(simt::Shadow& shadow, simt::AccessRecord me, Kind kind) {
  if (kind == Kind::read && shadow.quick_read(0, me)) return simt::Verdict::fine;
  if (kind == Kind::write && shadow.quick_write(0, me)) return simt::Verdict::fine;
  const simt::AccessKind kinds[] = {simt::AccessKind::read, simt::AccessKind::write,
                                    simt::AccessKind::atomic};
  return shadow.touch(0, 4, me, kinds[static_cast<int>(kind)]).verdict;
}

void expect_detector_right(int warp_shift, int lanes, int stride, int barrier_odds) {
  std::mt19937 random(static_cast<unsigned>(warp_shift * 1000 + lanes * 10 + stride));
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  simt::Shadow shadow;
  shadow.prepare(4, warp_shift);
  int races = 0, runs = 20'000;
  for (int run = 0; run < runs; ++run) {
    shadow.begin_block();
    History history(warp_shift);
    std::array<simt::AccessRecord, 32> stamps{};
    EXPECT_EQ(touch(shadow, shadow.record(0, 0), Kind::read), simt::Verdict::uninitialised);
    EXPECT_EQ(touch(shadow, shadow.record(0, 0), Kind::write), simt::Verdict::fine);
    EXPECT_FALSE(history.races(0, Kind::write));
    const int kinds = 1 + pick(3); // often without atomics, or reads only
    for (int step = 0; step < 25; ++step) {
      const int rank = pick(lanes) * stride;
      const auto warp = static_cast<std::size_t>(history.warp(rank));
      if (pick(10) < barrier_odds) {
        if (pick(3) == 0) {
          shadow.pass_barrier();
          history.pass_barrier();
        } else {
          stamps[warp] = shadow.pass_warp_barrier();
          history.pass_warp_barrier(static_cast<int>(warp));
        }
        continue;
      }
      const Kind kind = static_cast<Kind>((pick(kinds) + run) % 3);
      const bool race = history.races(rank, kind);
      const bool found =
          touch(shadow, shadow.record(stamps[warp], rank), kind) == simt::Verdict::race;
      ASSERT_EQ(found, race) << "run " << run << " step " << step;
      races += race ? 1 : 0;
      if (race) break;
    }
  }
  EXPECT_GT(races, runs / 10);
}

TEST(SimtShadow, FindsExactlyTheRacesThatTheDefinitionHas) {
  for (const int barrier_odds : {2, 5, 8})
    for (const int warp_shift : {5, 6}) {
      expect_detector_right(warp_shift, 4, 1, barrier_odds);  // one warp
      expect_detector_right(warp_shift, 6, 31, barrier_odds); // a few warps, several lanes each
      expect_detector_right(warp_shift, 3, 64, barrier_odds); // one lane a warp
    }
}

} // namespace
} // namespace ridge::simt_test
