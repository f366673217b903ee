// Barriers and shuffles of the emulated GPU: what they give, and divergence.
#include "simt_support.hpp"

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtCollective : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtCollective, both_widths);

/// Adds up over the block, by halves, through shared memory.
TEST_P(SimtCollective, ReducesABlockThroughSharedMemory) {
  for (const int threads : {1, 2, 31, 64, 100, 256, 1000, 1024}) {
    const int blocks = 5;
    Field<double> sums(device, {blocks});
    run(width, {{blocks, 1, 1}, {threads, 1, 1}, 8 * threads},
        [threads, to = sums.elements()](const auto& lane) {
          const int t = lane.rank();
          auto s = lane.template shared<double>(0, threads);
          s[t] = 1.0 + t + lane.block().x;
          lane.barrier();
          for (int n = threads; n > 1;) {
            const int half = (n + 1) / 2;
            if (t + half < n) s[t] += s[t + half];
            lane.barrier();
            n = half;
          }
          if (t == 0) lane.store(to, lane.block().x, s[0]);
        });
    for (int b = 0; b < blocks; ++b)
      EXPECT_EQ(sums.data()[b], threads * (threads + 1) / 2 + threads * b) << threads;
  }
}

TEST_P(SimtCollective, ReducesAWarpByShuffles) {
  const int threads = 4 * 64;
  Field<int> sums(device, {threads});
  run(width, {{1, 1, 1}, {threads, 1, 1}, 0}, [to = sums.elements()](const auto& lane) {
    int v = lane.rank();
    for (int mask = lane.width() / 2; mask > 0; mask /= 2)
      v += lane.shuffle_xor(v, mask);
    lane.store(to, lane.rank(), v);
  });
  for (int t = 0; t < threads; ++t) {
    const int first = t / width * width;
    EXPECT_EQ(sums.data()[t], width * first + width * (width - 1) / 2);
  }
}

struct Body4 {
  float x, y, z, mass;
  friend bool operator==(const Body4&, const Body4&) = default;
};

/// Every lane has the value of its right neighbour in the warp, cyclically.
template <class T, class Make>
void expect_rotation(int width, int threads, Make make) {
  Field<int> right(open(width), {threads});
  run(width, {{1, 1, 1}, {threads, 1, 1}, 0}, [=, to = right.elements()](const auto& lane) {
    const int first = lane.rank() - lane.lane();
    const int lanes = std::min(threads - first, width);
    bool fine = true;
    for (int step = 0; step < 5; ++step) { // values of two shuffles must not mix
      const int source = (lane.lane() + step) % lanes;
      const T mine = make(lane.rank() + 1000 * step);
      fine = fine && lane.shuffle(mine, source) == make(first + source + 1000 * step);
    }
    lane.store(to, lane.rank(), fine ? 1 : 0);
  });
  EXPECT_EQ(values(right), std::vector<int>(static_cast<std::size_t>(threads), 1));
}

TEST_P(SimtCollective, ShufflesValuesOfAnySizeAlsoInPartialWarps) {
  for (const int threads : {1, 5, 32, 64, 67, 100, 128}) {
    expect_rotation<int>(width, threads, [](int i) { return i; });
    expect_rotation<double>(width, threads, [](int i) { return 0.5 * i; });
    expect_rotation<Body4>(width, threads, [](int i) {
      const float v = static_cast<float>(i);
      return Body4{v, v + 1, v + 2, v + 3};
    });
  }
}

TEST_P(SimtCollective, ShufflesPacks) {
  Field<double> to(device, {width});
  run(width, {{1, 1, 1}, {width, 1, 1}, 0}, [out = to.elements()](const auto& lane) {
    Pack<double, 4> p(lane.rank());
    p.set(3, 10.0 * lane.rank());
    const Pack<double, 4> q = lane.shuffle_xor(p, 1);
    lane.store(out, lane.rank(), q[0] + q[3]);
  });
  for (int i = 0; i < width; ++i)
    EXPECT_EQ(to.data()[i], 11.0 * (i ^ 1));
}

TEST_P(SimtCollective, ReportsAShuffleFromALaneThatDoesNotExist) {
  const LaunchShape shape{{1, 1, 1}, {70, 1, 1}, 0}; // the last warp has 6 lanes at both widths
  const auto from = [](int source) {
    return [=](const auto& lane) { (void)lane.shuffle(1, lane.rank() < 64 ? 31 : source); };
  };
  EXPECT_FALSE(fault_of(width, shape, from(5)).has_value());
  expect_fault(fault_of(width, shape, from(6)), FaultKind::missing_lane, {0, 0, 0}, {64, 0, 0}, 0,
               6, "this warp has lanes 0 to 5");
  expect_fault(fault_of(width, shape, from(-1)), FaultKind::missing_lane, {0, 0, 0}, {64, 0, 0}, 0,
               -1, "lane -1 does not exist");
  const auto by = [](int mask) {
    return [=](const auto& lane) { (void)lane.shuffle_xor(1, mask); };
  };
  EXPECT_FALSE(fault_of(width, shape, by(1)).has_value());
  expect_fault(fault_of(width, shape, by(2)), FaultKind::missing_lane, {0, 0, 0}, {68, 0, 0}, 4, 6,
               "lane 6 does not exist");
}

// Divergence. `absent` ends (or goes elsewhere) instead of coming; -1 for nobody.

TEST_P(SimtCollective, ReportsABarrierThatSomeThreadsNeverReach) {
  const auto body = [](int absent) {
    return [=](const auto& lane) {
      lane.barrier();
      if (lane.block() == Dim3{0, 2, 0} && lane.rank() == absent) return;
      lane.barrier();
    };
  };
  const LaunchShape shape{{1, 3, 1}, {10, 10, 1}, 0};
  EXPECT_FALSE(fault_of(width, shape, body(-1)).has_value());
  expect_fault(fault_of(width, shape, body(77)), FaultKind::divergent_barrier, {0, 2, 0}, {0, 0, 0},
               0, -1, "thread (7,7,0) (lane 13) does not come to, which has ended");
  expect_fault(fault_of(width, shape, body(0)), FaultKind::divergent_barrier, {0, 2, 0}, {1, 0, 0},
               1, -1, "thread (0,0,0) (lane 0) does not come to");
}

TEST_P(SimtCollective, ReportsAShuffleThatSomeLanesNeverReach) {
  const auto body = [](int absent, bool at_barrier) {
    return [=](const auto& lane) {
      if (lane.rank() == absent) {
        if (at_barrier) lane.barrier();
        return;
      }
      (void)lane.shuffle_xor(lane.rank(), 1);
      if (at_barrier) lane.barrier();
    };
  };
  const LaunchShape shape{{1, 1, 1}, {130, 1, 1}, 0};
  EXPECT_FALSE(fault_of(width, shape, body(-1, true)).has_value());
  expect_fault(fault_of(width, shape, body(70, false)), FaultKind::divergent_shuffle, {0, 0, 0},
               {64, 0, 0}, 0, -1, "thread (70,0,0) (lane 6) does not come to, which has ended");
  expect_fault(fault_of(width, shape, body(129, true)), FaultKind::divergent_shuffle, {0, 0, 0},
               {128, 0, 0}, 0, -1,
               "thread (129,0,0) (lane 1) does not come to, which waits at a "
               "barrier");
}

TEST_P(SimtCollective, ReportsAWarpBarrierThatSomeLanesNeverReach) {
  const auto body = [](int absent) {
    return [=](const auto& lane) {
      if (lane.rank() != absent) lane.warp_barrier();
    };
  };
  const LaunchShape shape{{1, 1, 1}, {66, 1, 1}, 0};
  EXPECT_FALSE(fault_of(width, shape, body(-1)).has_value());
  expect_fault(fault_of(width, shape, body(64)), FaultKind::divergent_warp_barrier, {0, 0, 0},
               {65, 0, 0}, 1, -1, "has ended");
}

TEST_P(SimtCollective, ReportsDifferentCollectivesInOneWarp) {
  const LaunchShape shape{{1, 1, 1}, {8, 1, 1}, 0};
  const auto kinds = [](const auto& lane) {
    if (lane.rank() < 4)
      lane.warp_barrier();
    else
      (void)lane.shuffle(1, 0);
  };
  expect_fault(fault_of(width, shape, kinds), FaultKind::divergent_shuffle, {0, 0, 0}, {4, 0, 0}, 4,
               -1, "waits at a warp_barrier");
  const auto ways = [](const auto& lane) {
    if (lane.rank() < 4)
      (void)lane.shuffle(1, 0);
    else
      (void)lane.shuffle_xor(1, 1);
  };
  expect_fault(fault_of(width, shape, ways), FaultKind::divergent_shuffle, {0, 0, 0}, {4, 0, 0}, 4,
               -1, "waits at a shuffle_xor that thread (0,0,0)");
  const auto sizes = [](const auto& lane) {
    if (lane.rank() < 4)
      (void)lane.shuffle(1.0, 0);
    else
      (void)lane.shuffle(1, 0);
  };
  expect_fault(fault_of(width, shape, sizes), FaultKind::divergent_shuffle, {0, 0, 0}, {4, 0, 0}, 4,
               -1, "another size than thread (0,0,0)");
}

TEST_P(SimtCollective, WarpsMayTakeDifferentWaysBetweenBarriers) {
  run(width, {{2, 1, 1}, {200, 1, 1}, 0}, [w = width](const auto& lane) {
    for (int i = 0; i < lane.rank() / w; ++i) {
      (void)lane.shuffle_xor(1.0, 1);
      lane.warp_barrier();
    }
    lane.barrier();
  });
}

} // namespace
} // namespace ridge::simt_test
