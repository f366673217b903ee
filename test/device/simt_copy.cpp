// Asynchronous copies on the emulated GPU: data arrive at the wait, and not to be touched before.
#include "simt_support.hpp"

#include <numeric>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

constexpr int threads = 70;
constexpr int steps = 9;
constexpr int stages = 3;

class SimtCopy : public EachWidth {
protected:
  SimtCopy() { std::iota(from.data(), from.data() + from.count(), 0.0); }

  Field<double> from{device, {threads * steps}};
  Field<double> to{device, {threads * steps}};
  LaunchShape shape{{1, 1, 1}, {threads, 1, 1}, 8 * threads* stages};
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtCopy, both_widths);

enum class Mistake { none, no_wait, late_wait, no_first_barrier, no_second_barrier, no_commit };

/// Sums each element and its right neighbour, tile by tile, with two tiles on their way ahead.
auto pipeline(Span<const double> from, Span<double> to, Mistake mistake) {
  return [=](const auto& lane) {
    const int t = lane.rank();
    auto ring = lane.template shared<double>(0, threads * stages);
    const auto fetch = [&](int step) {
      if (step < steps)
        lane.template copy_async<1>(ring, step % stages * threads + t, from, step * threads + t);
      if (mistake != Mistake::no_commit) lane.copy_commit(); // also when empty, to keep count
    };
    for (int step = 0; step < stages - 1; ++step)
      fetch(step);
    for (int step = 0; step < steps; ++step) {
      if (mistake == Mistake::late_wait)
        lane.template copy_wait<stages - 1>();
      else if (mistake != Mistake::no_wait)
        lane.template copy_wait<stages - 2>();
      if (mistake != Mistake::no_first_barrier) lane.barrier();
      const int stage = step % stages * threads;
      const double sum = ring[stage + t] + ring[stage + (t + 1) % threads];
      lane.store(to, step * threads + t, sum);
      if (mistake != Mistake::no_second_barrier) lane.barrier();
      fetch(step + stages - 1);
    }
    lane.template copy_wait<0>();
  };
}

TEST_P(SimtCopy, PipelineGivesTheRightSums) {
  run(width, shape, pipeline(input(from), to.elements(), Mistake::none));
  for (int i = 0; i < threads * steps; ++i) {
    const int t = i % threads;
    EXPECT_EQ(to.data()[i], 2.0 * (i - t) + t + (t + 1) % threads);
  }
}

TEST_P(SimtCopy, ReportsAMissingWait) {
  for (const Mistake mistake : {Mistake::no_wait, Mistake::late_wait, Mistake::no_commit}) {
    // The block's last lane goes on first from a barrier, and reads its own element first.
    const auto fault = fault_of(width, shape, pipeline(input(from), to.elements(), mistake));
    expect_fault(fault, FaultKind::shared_race, {0, 0, 0}, {threads - 1, 0, 0},
                 (threads - 1) % width, threads - 1,
                 "reads index 69 (bytes 552 to 559 of shared memory) before the asynchronous copy "
                 "that it began to there has arrived");
  }
}

TEST_P(SimtCopy, ReportsAMissingBarrierBehindTheWait) {
  const auto fault =
      fault_of(width, shape, pipeline(input(from), to.elements(), Mistake::no_first_barrier));
  // The first lane finds its neighbour's element not even begun.
  expect_fault(fault, FaultKind::shared_uninitialised, {0, 0, 0}, {0, 0, 0}, 0, 1, "reads index 1");
  const auto body = [in = input(from)](bool with_barrier) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, threads);
      lane.template copy_async<1>(s, lane.rank(), in, lane.rank());
      lane.copy_commit();
      lane.template copy_wait<0>();
      if (with_barrier) lane.barrier();
      if (lane.rank() == 69) {
        const double first = s[0];
        (void)first;
      }
    };
  };
  EXPECT_FALSE(fault_of(width, shape, body(true)).has_value());
  expect_fault(fault_of(width, shape, body(false)), FaultKind::shared_race, {0, 0, 0}, {69, 0, 0},
               69 % width, 0, "which thread (0,0,0) wrote, with no barrier between");
}

TEST_P(SimtCopy, ReportsACopyOverWhatOthersStillRead) {
  const auto body = [in = input(from)](bool with_barrier) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, threads);
      s[lane.rank()] = 1.0;
      lane.barrier();
      const double right = s[(lane.rank() + 1) % threads];
      (void)right;
      if (with_barrier) lane.barrier();
      lane.template copy_async<1>(s, lane.rank(), in, 0);
      lane.copy_commit();
      lane.template copy_wait<0>();
    };
  };
  EXPECT_FALSE(fault_of(width, shape, body(true)).has_value());
  // Lane 69 goes on first from the barrier, reads index 0 and copies; then lane 0 copies.
  expect_fault(fault_of(width, shape, body(false)), FaultKind::shared_race, {0, 0, 0}, {0, 0, 0}, 0,
               0,
               "begins an asynchronous copy to index 0 (bytes 0 to 7 of shared memory), which "
               "thread (69,0,0) read");
}

TEST_P(SimtCopy, ReportsAWriteUnderACopyOfAnotherLane) {
  const auto body = [in = input(from)](int at) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, threads);
      if (lane.rank() == 0) lane.template copy_async<2>(s, 4, in, 4);
      lane.barrier(); // orders nothing: the copy is still on its way
      if (lane.rank() == threads - 1) s[at] = 1.0;
      lane.copy_commit();
      lane.template copy_wait<0>();
    };
  };
  EXPECT_FALSE(fault_of(width, shape, body(3)).has_value());
  EXPECT_FALSE(fault_of(width, shape, body(6)).has_value());
  // The block's last lane goes on first from a barrier.
  for (const int at : {4, 5})
    expect_fault(fault_of(width, shape, body(at)), FaultKind::shared_race, {0, 0, 0},
                 {threads - 1, 0, 0}, (threads - 1) % width, at,
                 "before the asynchronous copy that thread (0,0,0) began to there has arrived");
}

TEST_P(SimtCopy, DataArriveAsLateAsTheyMay) {
  Field<double> source(device, {2});
  source.data()[0] = 1.0;
  source.data()[1] = 2.0;
  run(width, {{}, {}, 16}, [s = source.elements()](const auto& lane) {
    auto here = lane.template shared<double>(0, 2);
    lane.template copy_async<1>(here, 0, s, 0);
    lane.copy_commit();
    lane.template copy_async<1>(here, 1, s, 1);
    lane.copy_commit();
    lane.store(s, 0, 10.0); // before the wait for the first group
    lane.template copy_wait<1>();
    const double first = here[0];
    lane.store(s, 1, 20.0); // before the wait for the second
    lane.template copy_wait<0>();
    const double second = here[1];
    lane.store(s, 0, first);
    lane.store(s, 1, second);
  });
  EXPECT_EQ(values(source), (std::vector<double>{10.0, 20.0}));
}

TEST_P(SimtCopy, ReportsCopiesThatNobodyWaitedFor) {
  const auto body = [in = input(from)](int forgetful) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, threads);
      lane.template copy_async<1>(s, lane.rank(), in, 0);
      lane.copy_commit();
      if (lane.rank() != forgetful) lane.template copy_wait<0>();
    };
  };
  EXPECT_FALSE(fault_of(width, shape, body(-1)).has_value());
  expect_fault(fault_of(width, shape, body(33)), FaultKind::unfinished_copy, {0, 0, 0}, {33, 0, 0},
               33 % width, 33, "1 copies that it has not waited for");
}

TEST_P(SimtCopy, ChecksBothRangesAndTheirAlignment) {
  const auto body = [in = input(from)](int to_index, Index from_index) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(16, 20);
      lane.template copy_async<2>(s, to_index, in, from_index);
      lane.copy_commit();
      lane.template copy_wait<0>();
    };
  };
  const LaunchShape one{{1, 1, 1}, {1, 1, 1}, 256};
  EXPECT_FALSE(fault_of(width, one, body(18, 628)).has_value());
  const auto expect = [&](FaultKind kind, int to_index, Index from_index, Index index) {
    expect_fault(fault_of(width, one, body(to_index, from_index)), kind, {0, 0, 0}, {0, 0, 0}, 0,
                 index, "");
  };
  expect(FaultKind::shared_bounds, 19, 0, 20);
  expect(FaultKind::shared_bounds, -1, 0, -1);
  expect(FaultKind::field_bounds, 0, 629, 629);
  expect(FaultKind::field_bounds, 0, -1, -1);
  expect(FaultKind::shared_alignment, 3, 0, 3);
  expect(FaultKind::field_alignment, 0, 3, 3);
}

} // namespace
} // namespace ridge::simt_test
