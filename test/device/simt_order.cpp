// The race detector against the order that phases, warp barriers and barriers make by definition:
// some lanes take random ways, and note what they are about to do.
#include "simt_support.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtOrder : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtOrder, both_widths);

enum class Kind { read, write, atomic };

class History {
public:
  /// Events of each lane that come before what it does now.
  using Past = std::map<int, int>;

  void gather(int rank, const std::string& meeting) { join(meetings_[meeting], past(rank)); }
  void take_over(int rank, const std::string& meeting) { join(past(rank), meetings_[meeting]); }

  /// Whether the access races with an earlier one.
  bool races(int rank, int word, Kind kind) {
    for (const Access& before : accesses_) {
      const bool harmless = before.kind == kind && kind != Kind::write;
      if (before.word == word && before.rank != rank && !harmless &&
          past(rank)[before.rank] < before.event)
        return true;
    }
    const int event = ++past(rank)[rank];
    accesses_.push_back({rank, event, word, kind});
    return false;
  }

private:
  struct Access {
    int rank, event, word;
    Kind kind;
  };
  Past& past(int rank) { return pasts_[rank]; }
  static void join(Past& to, const Past& from) {
    for (const auto& [rank, event] : from)
      to[rank] = std::max(to[rank], event);
  }

  std::map<int, Past> pasts_;
  std::map<std::string, Past> meetings_;
  std::vector<Access> accesses_;
};

TEST_P(SimtOrder, FindsExactlyTheRacesThatTheDefinitionHas) {
  constexpr int bars_count = 3, rounds = 4, words = 2, runs = 3000;
  const std::vector<std::vector<int>> teams{{0, 1}, {7, 64}, {0, 1, 64}, {0, 1, 7, 64, 65, 69}};
  int races = 0;
  for (int seed = 0; seed < runs; ++seed) {
    const auto hash = [=](auto... parts) {
      std::uint64_t h = static_cast<std::uint64_t>(seed);
      for (const auto part : {static_cast<int>(parts)...})
        h = (h ^ static_cast<std::uint64_t>(part + 1)) * 0x9E3779B97F4A7C15U,
        h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93U, h ^= h >> 32;
      return static_cast<unsigned>(h);
    };
    const std::vector<int>& active = teams[static_cast<std::size_t>(seed) % teams.size()];
    const unsigned peace = seed % 3 == 0 ? 4U : 40U; // accesses for each write, and each atomic
    const auto arrives = [&](int b, int rank) {
      return std::count(active.begin(), active.end(), rank) > 0 && hash(1, b, rank) % 3 != 0;
    };
    std::array<int, bars_count> arrivals{};
    for (int b = 0; b < bars_count; ++b)
      for (const int rank : active)
        arrivals[static_cast<std::size_t>(b)] += arrives(b, rank) ? 1 : 0;
    if (*std::min_element(arrivals.begin(), arrivals.end()) == 0) continue;

    History history;
    bool expected = false;
    const auto body = [&, warp_width = width](const auto& lane) {
      const int me = lane.rank(), warp = me / warp_width;
      auto bars = lane.template shared<PhaseBarrier>(0, bars_count);
      auto s = lane.template shared<int>(64, words);
      if (me == 0)
        for (int b = 0; b < bars_count; ++b)
          lane.phase_begin(bars, b, arrivals[static_cast<std::size_t>(b)]);
      if (me < words) s[me] = 0;
      lane.barrier();
      const bool acts = std::count(active.begin(), active.end(), me) > 0;
      int step = 0;
      const auto access = [&] {
        const auto what = hash(2, me, ++step);
        if (!acts || what % 4 == 0) return;
        const int word = static_cast<int>(what / 4 % words);
        const unsigned odds = what / 64 % peace;
        const Kind kind = odds == 0 ? Kind::write : odds == 1 ? Kind::atomic : Kind::read;
        const bool race = history.races(me, word, kind);
        expected = expected || race;
        if (kind == Kind::read) {
          const int value = s[word];
          (void)value;
        } else if (kind == Kind::write) {
          s[word] = me;
        } else {
          lane.atomic_add(s, word, 1);
        }
        if (race) throw Failure("the race was not reported");
      };
      const auto name = [](const char* what, int a, int b) {
        return std::string(what) + std::to_string(a) + "," + std::to_string(b);
      };
      std::array<int, bars_count> seen{};
      const auto wait = [&](int b, int phase) {
        if (seen[static_cast<std::size_t>(b)] > phase) return;
        seen[static_cast<std::size_t>(b)] = phase + 1;
        lane.phase_wait(bars, b, phase & 1);
        history.take_over(me, name("phase", b, phase));
      };
      for (int round = 0; round < rounds; ++round) {
        if (hash(3, round, warp) % 2 == 0) {
          history.gather(me, name("warp", warp, round));
          lane.warp_barrier();
          history.take_over(me, name("warp", warp, round));
        }
        if (hash(4, round) % 6 == 0) {
          history.gather(me, name("block", 0, round));
          lane.barrier();
          history.take_over(me, name("block", 0, round));
        }
        for (int b = 0; b < bars_count; ++b) {
          access();
          if (!arrives(b, me)) continue;
          if (round > 0) wait(b, round - 1);
          access();
          // By the definition an arrival also gives what the warp had done at its last barrier;
          // the lane has taken that over there.
          history.gather(me, name("phase", b, round));
          lane.phase_arrive(bars, b);
        }
        for (int b = 0; b < bars_count; ++b)
          if (arrives(b, me) && hash(5, round, b, me) % 2 == 0) {
            wait(b, round);
            access();
          }
      }
    };
    const auto fault = fault_of(width, {{1, 1, 1}, {70, 1, 1}, 128}, body);
    ASSERT_EQ(fault.has_value(), expected) << "seed " << seed << (fault ? fault->what() : "");
    if (fault) {
      ASSERT_EQ(fault->kind, FaultKind::shared_race) << fault->what();
    }
    races += expected ? 1 : 0;
  }
  EXPECT_GT(races, runs / 5);
  EXPECT_LT(races, runs * 4 / 5);
}

} // namespace
} // namespace ridge::simt_test
