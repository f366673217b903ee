// Phase barriers of the emulated GPU: what it reports of waits that never end and of misuse.
#include "simt_phase_support.hpp"

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtPhase : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtPhase, both_widths);

TEST_P(SimtPhase, ReportsAWaitForAPhaseThatNeverEnds) {
  const auto body = [](int parity) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto&) {
      if (lane.rank() == 69) lane.phase_arrive(bars, 0);
      lane.barrier();
      if (lane.rank() > 4) lane.phase_wait(bars, 0, parity);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(0)).has_value());
  expect_fault(fault_of(width, one_block, body(1)), FaultKind::phase_deadlock, {0, 0, 0}, {5, 0, 0},
               5, 0,
               "waits at phase barrier 0 (byte 0) for the end of phase 1 (parity 1), which lacks 1 "
               "of 1 arrivals; thread (0,0,0) has ended");
}

TEST_P(SimtPhase, ReportsThreadsThatWaitAtABarrierInstead) {
  const auto body = [](bool block, bool right) {
    return at_barrier(2, [=](const auto& lane, auto& bars, auto&) {
      if (lane.rank() == 3 || lane.rank() == 65) lane.phase_arrive(bars, 0);
      if (lane.rank() == 65 && right) lane.phase_arrive(bars, 0); // in phase 1
      if (lane.rank() == 3) lane.phase_wait(bars, 0, right ? 0 : 1);
      if (lane.rank() == 4) lane.phase_wait(bars, 0, 0);
      if (lane.rank() == 4 && !right) lane.phase_wait(bars, 0, 1);
      if (block)
        lane.barrier();
      else
        lane.warp_barrier();
    });
  };
  for (const bool block : {false, true}) {
    EXPECT_FALSE(fault_of(width, one_block, body(block, true)).has_value());
    expect_fault(fault_of(width, one_block, body(block, false)), FaultKind::phase_deadlock,
                 {0, 0, 0}, {4, 0, 0}, 4, 0,
                 block ? "lacks 2 of 2 arrivals; thread (0,0,0) waits at a barrier"
                       : "lacks 2 of 2 arrivals; thread (0,0,0) waits at a warp_barrier");
  }
}

TEST_P(SimtPhase, StillReportsDivergence) {
  const auto body = [](int absent) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto&) {
      if (lane.rank() == 69) lane.phase_wait(bars, 0, 0);
      if (lane.rank() == absent) return;
      if (lane.rank() < 10) lane.warp_barrier();
      if (lane.rank() == 0) lane.phase_arrive(bars, 0);
    });
  };
  // Thread 0 cannot arrive: its warp does not come to the warp_barrier.
  expect_fault(fault_of(width, one_block, body(-1)), FaultKind::divergent_warp_barrier, {0, 0, 0},
               {0, 0, 0}, 0, -1, "thread (10,0,0) (lane 10) does not come to, which has ended");
}

TEST_P(SimtPhase, ReportsMisuse) {
  const auto expect = [&](int rank, const char* words, auto f) {
    const auto body = [f](bool wrong) {
      return at_barrier(2, [=](const auto& lane, auto& bars, auto&) {
        if (lane.rank() == 69) f(lane, bars, wrong);
      });
    };
    EXPECT_FALSE(fault_of(width, one_block, body(false)).has_value());
    expect_fault(fault_of(width, one_block, body(true)), FaultKind::phase_misuse, {0, 0, 0},
                 {rank, 0, 0}, rank % width, 0, words);
  };
  expect(69, "begins a second time", [](const auto& lane, auto& bars, bool wrong) {
    if (wrong) lane.phase_begin(bars, 0, 2);
  });
  expect(69, "waited for with parity 2",
         [](const auto& lane, auto& bars, bool wrong) { lane.phase_wait(bars, 0, wrong ? 2 : 1); });
  expect(69, "is to expect -8 bytes", [](const auto& lane, auto& bars, bool wrong) {
    lane.phase_arrive_expecting(bars, 0, wrong ? -8 : 8);
  });
  expect(69, "has been overwritten", [](const auto& lane, auto& bars, bool wrong) {
    auto numbers = lane.template shared<int>(0, 8);
    numbers[wrong ? 1 : 2] = 0;
    lane.phase_arrive(bars, 0);
  });
  expect(69, "has had its 2 arrivals in phase 0, and bytes are still to come",
         [](const auto& lane, auto& bars, bool wrong) {
           lane.phase_arrive_expecting(bars, 0, wrong ? 16 : 0);
           lane.phase_arrive(bars, 0);
           lane.phase_arrive(bars, 0);
         });
  const auto begin = [](int arrivals) {
    return [=](const auto& lane) {
      lane.phase_begin(lane.template shared<PhaseBarrier>(0, 3), 2, arrivals);
    };
  };
  EXPECT_FALSE(fault_of(width, {{}, {}, 24}, begin(1)).has_value());
  expect_fault(fault_of(width, {{}, {}, 24}, begin(0)), FaultKind::phase_misuse, {0, 0, 0},
               {0, 0, 0}, 0, 2, "begins with 0 arrivals");
}

TEST_P(SimtPhase, ReportsAWaiterThatIsLeftBehind) {
  const auto body = [](int arrivals) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto&) {
      if (lane.rank() == 8) lane.phase_wait(bars, 0, 0);
      if (lane.rank() == 9)
        for (int i = 0; i < arrivals; ++i)
          lane.phase_arrive(bars, 0);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(1)).has_value());
  expect_fault(fault_of(width, one_block, body(2)), FaultKind::phase_misuse, {0, 0, 0}, {8, 0, 0},
               8, 0, "is in phase 2 before this lane has seen the end of phase 0");
}

TEST_P(SimtPhase, ABarrierOfAnEarlierBlockHasNotBegun) {
  const auto body = [](int last) {
    return [=](const auto& lane) {
      auto bars = lane.template shared<PhaseBarrier>(0, 1);
      if (lane.block().x <= last) lane.phase_begin(bars, 0, 1);
      lane.phase_arrive(bars, 0);
    };
  };
  EXPECT_FALSE(fault_of(width, {{9, 1, 1}, {}, 8}, body(8)).has_value());
  expect_fault(fault_of(width, {{9, 1, 1}, {}, 8}, body(3)), FaultKind::phase_misuse, {4, 0, 0},
               {0, 0, 0}, 0, 0, "has not begun");
}

} // namespace
} // namespace ridge::simt_test
