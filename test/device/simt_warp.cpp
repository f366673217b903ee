// Votes and reductions of warps of the emulated GPU.
#include <ridge/device/warp.hpp>

#include "simt_support.hpp"

namespace ridge::simt_test {
namespace {

class SimtWarp : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtWarp, both_widths);

/// Lanes whose numbers are multiples of three vote yes, in a second vote all others.
TEST_P(SimtWarp, VotesGiveABitForEachLane) {
  const int threads = 2 * 64;
  Field<std::uint64_t> masks(device, {threads});
  Field<int> before(device, {threads});
  run(width, {{1, 1, 1}, {threads, 1, 1}, 0},
      [to = masks.elements(), count = before.elements()](const auto& lane) {
        const bool third = lane.lane() % 3 == 0;
        const LaneMask yes = ballot(lane, third);
        const LaneMask no = ballot(lane, !third);
        lane.store(to, lane.rank(), (yes & no) == 0 ? yes : 0);
        lane.store(count, lane.rank(),
                   first_lane(no) == 1 ? lanes_before(lane, yes) : -popcount(no));
      });
  std::uint64_t expected = 0;
  for (int l = 0; l < width; l += 3)
    expected |= std::uint64_t{1} << l;
  for (int t = 0; t < threads; ++t) {
    EXPECT_EQ(masks.data()[t], expected) << t;
    EXPECT_EQ(before.data()[t], (t % width + 2) / 3) << t;
  }
}

TEST_P(SimtWarp, FindsTheLeastAndTheGreatest) {
  const int threads = 2 * 64;
  Field<double> least(device, {threads}), greatest(device, {threads});
  run(width, {{1, 1, 1}, {threads, 1, 1}, 0},
      [lo = least.elements(), hi = greatest.elements()](const auto& lane) {
        const double value = (lane.rank() * 37 + 5) % 101 - 50.5;
        lane.store(lo, lane.rank(), warp_min(lane, value));
        lane.store(hi, lane.rank(), warp_max(lane, value));
      });
  for (int t = 0; t < threads; ++t) {
    double lo = 1e9, hi = -1e9;
    for (int r = t / width * width; r < t / width * width + width; ++r) {
      lo = std::min(lo, (r * 37 + 5) % 101 - 50.5);
      hi = std::max(hi, (r * 37 + 5) % 101 - 50.5);
    }
    EXPECT_EQ(least.data()[t], lo);
    EXPECT_EQ(greatest.data()[t], hi);
  }
}

/// A vote that some lanes do not come to is reported, not guessed.
TEST_P(SimtWarp, AVoteOfSomeLanesIsAFault) {
  const auto some = [](const auto& lane) {
    if (lane.lane() < 7) (void)ballot(lane, true);
  };
  EXPECT_THROW(run(width, {{1, 1, 1}, {64, 1, 1}, 0}, some), simt::Fault);
}

} // namespace
} // namespace ridge::simt_test
