// Bulk copies of the emulated GPU, and what it reports of those that are wrong.
#include "simt_phase_support.hpp"

#include <numeric>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

struct Copy {
  int to = 0;
  Index from = 0;
  int count = 2;
};

class SimtBulk : public EachWidth {
protected:
  SimtBulk() { std::iota(from.data(), from.data() + from.count(), 0.0); }

  /// A copy by one lane, into 20 numbers at byte 64, that all lanes wait for.
  [[nodiscard]] std::optional<simt::Fault> fault_of_copy(Copy c) {
    return fault_of(width, one_block,
                    at_barrier(1, [c, in = input(from)](const auto& lane, auto& bars, auto&) {
                      auto s = lane.template shared<double>(64, 20);
                      if (lane.rank() == 66) {
                        lane.bulk_copy(bars, 0, s, c.to, in, c.from, c.count);
                        lane.phase_arrive_expecting(bars, 0, 8 * c.count);
                      }
                      lane.phase_wait(bars, 0, 0);
                      for (int i = 0; i < c.count; ++i)
                        if (s[c.to + i] != static_cast<double>(c.from + i)) throw Failure("wrong");
                    }));
  }
  void expect(Copy c, FaultKind kind, Index index, const char* words) {
    expect_fault(fault_of_copy(c), kind, {0, 0, 0}, {66, 0, 0}, 66 % width, index, words);
  }

  Field<double> from{device, {100}};
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtBulk, both_widths);

TEST_P(SimtBulk, CopiesWhatFits) {
  for (const Copy& c : {Copy{0, 0, 2}, Copy{2, 6, 18}, Copy{18, 98, 2}, Copy{0, 50, 20}}) {
    const auto fault = fault_of_copy(c);
    EXPECT_FALSE(fault.has_value()) << fault->what();
  }
}

TEST_P(SimtBulk, ReportsMisalignment) {
  expect({0, 1, 2}, FaultKind::copy_alignment, 0,
         "bulk_copy to index 0: its source is 8 past a multiple of 16 bytes");
  expect({3, 0, 2}, FaultKind::copy_alignment, 3, "its destination is 8 past");
  expect({2, 2, 3}, FaultKind::copy_alignment, 2, "its size is 8 past");
}

TEST_P(SimtBulk, ReportsWhatIsOutOfBounds) {
  expect({0, 98, 4}, FaultKind::field_bounds, 98, "bulk_copy of indices 98 to 101 of a field");
  expect({0, -2, 2}, FaultKind::field_bounds, -2, "0 to 99 are right");
  expect({18, 0, 4}, FaultKind::shared_bounds, 21, "index 21 of a shared array of 20");
  expect({-2, 0, 4}, FaultKind::shared_bounds, -2, "index -2");
  const auto bars = [](int index) {
    return at_barrier(1, [=](const auto& lane, auto& b, auto&) {
      if (lane.rank() == 2) lane.phase_arrive(b, index);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, bars(0)).has_value());
  expect_fault(fault_of(width, one_block, bars(1)), FaultKind::shared_bounds, {0, 0, 0}, {2, 0, 0},
               2, 1, "index 1 of a shared array of 1");
}

TEST_P(SimtBulk, ReportsABlockThatEndsBeforeItsCopiesArrive) {
  const auto body = [in = input(from)](int waits, bool arrives) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto& s) {
      if (lane.rank() == 7) {
        lane.bulk_copy(bars, 0, s, 4, in, 0, 2);
        lane.bulk_copy(bars, 0, s, 6, in, 0, 2);
        if (arrives) lane.phase_arrive_expecting(bars, 0, 32);
      }
      if (lane.rank() < waits) lane.phase_wait(bars, 0, 0);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(1, true)).has_value());
  for (const bool arrives : {false, true})
    expect_fault(fault_of(width, one_block, body(0, arrives)), FaultKind::unfinished_copy,
                 {0, 0, 0}, {7, 0, 0}, 7, 4, "ends with 2 bulk copies that no lane has waited for");
}

TEST_P(SimtBulk, DataArriveAtOnceOrAsLateAsTheyMay) {
  const int blocks = 2;
  Field<double> source(device, {2 * blocks}), got(device, {2 * blocks});
  std::fill(source.data(), source.data() + source.count(), 1.0);
  run(width, {{blocks, 1, 1}, {1, 1, 1}, 80},
      [s = source.elements(), to = got.elements()](const auto& lane) {
        auto bars = lane.template shared<PhaseBarrier>(0, 1);
        auto here = lane.template shared<double>(64, 2);
        const Index at = 2 * lane.block().x;
        lane.phase_begin(bars, 0, 1);
        for (int turn = 0; turn < 2; ++turn) {
          lane.store(s, at, 1.0);
          lane.phase_arrive_expecting(bars, 0, 16);
          lane.bulk_copy(bars, 0, here, 0, s, at, 2);
          lane.store(s, at, 2.0);
          lane.phase_wait(bars, 0, turn);
          lane.store(to, at + turn, here[0]);
        }
      });
  EXPECT_EQ(values(got), (std::vector<double>{1.0, 2.0, 2.0, 1.0}));
}

TEST_P(SimtBulk, ABarrierDoesNotWaitForCopies) {
  const auto body = [in = input(from)](int who, bool barrier) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto& s) {
      if (lane.rank() == 0) {
        lane.phase_arrive_expecting(bars, 0, 16);
        lane.bulk_copy(bars, 0, s, 0, in, 4, 2);
      }
      if (lane.rank() == who || who < 0) lane.phase_wait(bars, 0, 0);
      if (barrier) lane.barrier();
      if (lane.rank() == 40 && s[0] != 4.0) throw Failure("wrong");
      lane.barrier();
      if (who == 99 && lane.rank() == 0) lane.phase_wait(bars, 0, 0);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(-1, false)).has_value());
  EXPECT_FALSE(fault_of(width, one_block, body(3, true)).has_value()); // one has waited, for all
  EXPECT_FALSE(fault_of(width, one_block, body(40, false)).has_value());
  for (const auto& wrong : {body(3, false), body(99, true)})
    expect_fault(fault_of(width, one_block, wrong), FaultKind::shared_race, {0, 0, 0}, {40, 0, 0},
                 40 % width, 0, "before it knows that the bulk copy that thread (0,0,0) began");
}

TEST_P(SimtBulk, OneLaneMayWaitForItsWarp) {
  const auto body = [in = input(from)](bool warp_barrier) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto& s) {
      if (lane.rank() == 0) {
        lane.phase_arrive_expecting(bars, 0, 512);
        lane.bulk_copy(bars, 0, s, 0, in, 2, 64);
      }
      if (lane.lane() == 0) lane.phase_wait(bars, 0, 0);
      if (warp_barrier) lane.warp_barrier();
      if (lane.rank() < 64 && s[lane.rank()] != 2.0 + lane.rank()) throw Failure("wrong");
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(true)).has_value());
  expect_fault(fault_of(width, one_block, body(false)), FaultKind::shared_race, {0, 0, 0},
               {1, 0, 0}, 1, 1, "before it knows that the bulk copy that thread (0,0,0) began");
}

TEST_P(SimtBulk, ReportsACopyOverWhatWasWritten) {
  const auto body = [in = input(from)](bool released) {
    return at_barrier(1, [=](const auto& lane, auto& bars, auto& s) {
      if (lane.rank() == 68) {
        s[1] = 1.0;
        if (released) lane.phase_arrive(bars, 0);
      }
      if (lane.rank() == 69) {
        if (released) lane.phase_wait(bars, 0, 0);
        lane.bulk_copy(bars, 0, s, 0, in, 4, 2);
        lane.phase_arrive_expecting(bars, 0, 16);
        lane.phase_wait(bars, 0, released ? 1 : 0);
      }
      if (lane.rank() == 68) lane.phase_wait(bars, 0, 0);
    });
  };
  EXPECT_FALSE(fault_of(width, one_block, body(true)).has_value());
  // Thread 69 goes on first from the barrier: thread 68 finds the copy there.
  expect_fault(fault_of(width, one_block, body(false)), FaultKind::shared_race, {0, 0, 0},
               {68, 0, 0}, 68 % width, 1, "writes index 1");
}

} // namespace
} // namespace ridge::simt_test
