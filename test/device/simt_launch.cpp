// Blocks and lanes of the emulated GPU: every one runs once, where it should; refusals; exceptions.
#include "simt_support.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

namespace ridge::simt_test {
namespace {

class SimtLaunch : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtLaunch, both_widths);

TEST_P(SimtLaunch, RunsEveryThreadOfEveryBlockOnceWithItsCoordinates) {
  for (const Dim3 block : {Dim3{1, 1, 1}, Dim3{33, 1, 1}, Dim3{7, 5, 3}, Dim3{1, 1, 64},
                           Dim3{1024, 1, 1}, Dim3{31, 33, 1}}) {
    const Dim3 grid{3, 5, 2};
    const Index threads = block.count();
    Field<int> seen(device, {grid.count() * threads});
    std::fill_n(seen.data(), seen.count(), 0);
    const Span<int> to = seen.elements();
    run(width, {grid, block, 0}, [=](const auto& lane) {
      const Dim3 b = lane.block(), t = lane.thread(), n = lane.block_extent(),
                 g = lane.grid_extent();
      const int rank = t.x + n.x * (t.y + n.y * t.z);
      const Index at = (b.x + g.x * (b.y + g.y * b.z)) * Index{n.count()} + rank;
      const bool right =
          n == block && g == grid && lane.rank() == rank && lane.lane() == rank % lane.width();
      lane.atomic_add(to, at, right ? 1 : 1000);
    });
    EXPECT_EQ(values(seen), std::vector<int>(static_cast<std::size_t>(seen.count()), 1))
        << block.x << 'x' << block.y << 'x' << block.z;
  }
}

TEST_P(SimtLaunch, CallsTheBodyAtTheWarpWidthOfTheDevice) {
  Field<int> seen(device, {1});
  const Span<int> to = seen.elements();
  run(width, {{}, {}, 0}, [=](const auto& lane) { lane.store(to, 0, lane.width()); });
  EXPECT_EQ(seen.data()[0], width);
}

struct WidthAsAConstant {
  static constexpr int max_threads = 64;
  static constexpr bool constant_width = true;
  static constexpr const char* name = "width as a constant";
  Span<int> to;
  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    std::array<int, Lane::warp_width> of_a_warp{};
    static_assert(Lane::least_width == Lane::warp_width);
    lane.store(to, 0, static_cast<int>(of_a_warp.size()));
    lane.store(to, 1, lane.width());
  }
};

TEST_P(SimtLaunch, CallsABodyThatNeedsTheWidthAsAConstantAtThatOfTheDevice) {
  Field<int> seen(device, {2});
  Queue queue(device);
  launch_body(queue, {{}, {}, 0}, WidthAsAConstant{seen.elements()});
  EXPECT_EQ(values(seen), (std::vector<int>{width, width}));
}

struct Narrow {
  static constexpr int max_threads = 64;
  static constexpr const char* name = "narrow";
  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane&) const {}
};

std::string refusal(const Device& device, const LaunchShape& shape) {
  Queue queue(device);
  try {
    launch_body(queue, shape, Narrow{});
  } catch (const simt::Fault&) {
    return "a fault";
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

TEST_P(SimtLaunch, RefusesShapesThatAGpuRefuses) {
  const int big = 2'000'000'000;
  EXPECT_EQ(refusal(device, {{1, 1, 1}, {64, 1, 1}, 227 * 1024}), "");
  EXPECT_EQ(refusal(device, {{1, 1, 1}, {1, 1, 64}, 0}), "");
  EXPECT_NE(refusal(device, {{1, 1, 1}, {65, 1, 1}, 0}).find("65x1x1"), std::string::npos);
  for (const LaunchShape& shape : {LaunchShape{{0, 1, 1}, {1, 1, 1}, 0},
                                   {{1, 65536, 1}, {1, 1, 1}, 0},
                                   {{1, 1, 65536}, {1, 1, 1}, 0},
                                   {{1, 1, 1}, {0, 1, 1}, 0},
                                   {{1, 1, 1}, {-8, -8, 1}, 0},
                                   {{1, 1, 1}, {8, 9, 1}, 0},
                                   {{1, 1, 1}, {big, big, big}, 0},
                                   {{1, 1, 1}, {1, 1, 1}, 227 * 1024 + 1},
                                   {{1, 1, 1}, {1, 1, 1}, -1}})
    EXPECT_NE(refusal(device, shape).find("kernel 'narrow' cannot be launched: "),
              std::string::npos);
}

TEST(SimtQueue, RefusesAQueueOfAnotherDevice) {
  EXPECT_NE(refusal(Device("cpu"), {}).find("the queue is of cpu"), std::string::npos);
}

TEST_P(SimtLaunch, RethrowsWhatTheBodyThrowsAndWorksAfterwards) {
  const auto thrower = [](const auto& lane) {
    if (lane.block() == Dim3{1, 0, 0} && lane.rank() == 40) throw std::out_of_range("from a lane");
    lane.barrier();
  };
  EXPECT_THROW(run(width, {{3, 1, 1}, {100, 1, 1}, 0}, thrower), std::out_of_range);
  EXPECT_NO_THROW(
      run(width, {{3, 1, 1}, {100, 1, 1}, 0}, [](const auto& lane) { lane.barrier(); }));
}

TEST_P(SimtLaunch, ReleasesWhatWaitingLanesOwnWhenAnotherThrows) {
  const auto owned = std::make_shared<int>(0);
  const std::shared_ptr<int>* const source = &owned;
  Field<int> passed(device, {1});
  passed.data()[0] = 0;
  const auto body = [source, w = width, p = passed.elements()](const auto& lane) {
    const std::shared_ptr<int> mine = std::atomic_load(source);
    if (lane.rank() == 99) throw std::runtime_error("the last lane");
    if (lane.rank() < w) lane.warp_barrier();
    lane.barrier();
    lane.atomic_add(p, 0, 1);
  };
  EXPECT_THROW(run(width, {{1, 1, 1}, {100, 1, 1}, 0}, body), std::runtime_error);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(passed.data()[0], 0) << "lanes went on behind a barrier that not all had reached";
}

TEST_P(SimtLaunch, ReportsTheFirstFaultyBlockOfTheGridWhateverTheThreads) {
  Field<int> field(device, {1});
  const Span<int> to = field.elements();
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto fault = fault_of(width, {{1000, 1, 1}, {8, 1, 1}, 0}, [=](const auto& lane) {
      if (lane.block().x >= 333 && lane.rank() == 5) lane.store(to, lane.block().x, 1);
    });
    expect_fault(fault, simt::FaultKind::field_bounds, {333, 0, 0}, {5, 0, 0}, 5, 333, "store");
  }
}

TEST_P(SimtLaunch, RefusesALaunchFromWithinALane) {
  const int w = width;
  EXPECT_THROW(run(width, {{}, {}, 0},
                   [=](const auto&) {
                     run(w, {{}, {}, 0}, [](const auto&) {});
                   }),
               Failure);
}

TEST_P(SimtLaunch, RunsFromTwoHostThreadsAtOnce) {
  const int threads = 96;
  const auto sums = [&](int seed, bool& right) {
    Field<int> field(device, {64});
    const Span<int> to = field.elements();
    right = true;
    for (int repeat = 0; repeat < 20; ++repeat) {
      run(width, {{64, 1, 1}, {threads, 1, 1}, 4 * threads}, [=](const auto& lane) {
        auto s = lane.template shared<int>(0, threads);
        s[lane.rank()] = lane.rank() + seed;
        lane.barrier();
        if (lane.rank() != 0) return;
        int sum = 0;
        for (int i = 0; i < threads; ++i)
          sum += s[i];
        lane.store(to, lane.block().x, sum);
      });
      const int sum = threads * (threads - 1) / 2 + threads * seed;
      right = right && values(field) == std::vector<int>(64, sum);
    }
  };
  bool first = false, second = false;
  std::thread other([&] { sums(1, first); });
  sums(2, second);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(SimtDevice, SaysWhatItIs) {
  for (const int width : {32, 64}) {
    const Device device = open(width);
    EXPECT_EQ(device.facts().name, "emulated GPU, warp width " + std::to_string(width));
    EXPECT_EQ(device.facts().architecture, "emulated");
    EXPECT_EQ(device.facts().warp_width, width);
    EXPECT_EQ(device.facts().max_block_threads, 1024);
    EXPECT_EQ(device.facts().shared_per_block.value, 227 * 1024);
    EXPECT_GE(device.facts().units, 1);
  }
  EXPECT_THROW(open(16), UsageError);
}

TEST(SimtDevice, PoisonsNewMemory) {
  Field<double> field(open(32), {100'000});
  for (const double v : values(field))
    ASSERT_NE(v, v);
}

} // namespace
} // namespace ridge::simt_test
