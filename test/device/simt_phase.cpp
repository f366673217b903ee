// Phase barriers and bulk copies of the emulated GPU: a ring of planes that one warp fills and
// others empty, and what it reports of rings that are wrong.
#include "simt_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtPhase : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtPhase, both_widths);

enum class Mistake {
  none,
  no_wait_full,
  no_wait_empty,
  early_release,
  no_warp_barrier,
  no_expect,
  few_bytes,
  many_bytes,
  unexpected_copy,
  wrong_parity,
  no_begin,
  no_barrier,
};

struct Ring {
  int planes, stages, cells; ///< cells of a plane
  Mistake mistake = Mistake::none;
  int block_y = -1; ///< of the block that makes the mistake; -1: all
  [[nodiscard]] int shared_bytes() const { return 128 + 8 * stages * cells; }
};

constexpr int max_stages = 8;

/// Warp 0 copies planes into the ring, in two pieces; the others add to every cell its right
/// neighbour, cyclically.
auto ring(const Ring& r, Span<const double> from, Span<double> to) {
  return [=](const auto& lane) {
    constexpr int width = std::remove_cvref_t<decltype(lane)>::warp_width;
    const int threads = lane.block_extent().x;
    const int consumers = (threads - 1) / width; // warps
    const int cells = r.cells, stages = r.stages;
    const Index base = Index{lane.block().y} * r.planes * cells;
    const auto errs = [&](Mistake m) {
      return r.mistake == m && (r.block_y < 0 || lane.block().y == r.block_y);
    };
    auto full = lane.template shared<PhaseBarrier>(0, max_stages);
    auto empty = lane.template shared<PhaseBarrier>(64, max_stages);
    auto slots = lane.template shared<double>(128, stages * cells);
    if (lane.rank() == 0)
      for (int s = 0; s < stages; ++s) {
        if (!errs(Mistake::no_begin) || s != 1) lane.phase_begin(full, s, 1);
        lane.phase_begin(empty, s, consumers);
      }
    if (!errs(Mistake::no_barrier)) lane.barrier();

    if (lane.rank() < width) {
      if (lane.lane() != 0) return;
      const int bytes = 8 * cells;
      const int half = cells / 4 * 2;
      for (int plane = 0; plane < r.planes; ++plane) {
        const int s = plane % stages, turn = plane / stages;
        if (turn > 0 && !errs(Mistake::no_wait_empty)) lane.phase_wait(empty, s, (turn - 1) & 1);
        if (errs(Mistake::no_expect))
          lane.phase_arrive(full, s);
        else if (errs(Mistake::few_bytes))
          lane.phase_arrive_expecting(full, s, bytes - 16);
        else if (errs(Mistake::many_bytes))
          lane.phase_arrive_expecting(full, s, bytes + 16);
        else if (!errs(Mistake::unexpected_copy))
          lane.phase_arrive_expecting(full, s, bytes);
        const Index at = base + Index{plane} * cells;
        lane.bulk_copy(full, s, slots, s * cells, from, at, half);
        lane.bulk_copy(full, s, slots, s * cells + half, from, at + half, cells - half);
        if (errs(Mistake::unexpected_copy)) lane.phase_arrive(full, s);
      }
      return;
    }
    const int me = lane.rank() - width;
    for (int plane = 0; plane < r.planes; ++plane) {
      const int s = plane % stages, turn = plane / stages;
      if (!errs(Mistake::no_wait_full))
        lane.phase_wait(full, s, (turn + (errs(Mistake::wrong_parity) && plane > 0 ? 1 : 0)) & 1);
      const auto release = [&] {
        if (!errs(Mistake::no_warp_barrier)) lane.warp_barrier();
        if (lane.lane() == 0) lane.phase_arrive(empty, s);
      };
      const bool early = errs(Mistake::early_release) && me / width == 0;
      if (early) release();
      for (int x = me; x < cells; x += threads - width) {
        const double here = slots[s * cells + x];
        const double right = slots[s * cells + (x + 1) % cells];
        lane.store(to, base + Index{plane} * cells + x, here + right);
      }
      if (!early) release();
    }
  };
}

/// Rings of three blocks, each with planes of its own.
class SimtRing : public SimtPhase {
protected:
  std::optional<simt::Fault> run_ring(const Ring& r, int threads) {
    const int blocks = 3;
    from = Field<double>(device, {r.planes * r.cells * blocks});
    to = Field<double>(device, {r.planes * r.cells * blocks});
    std::iota(from.data(), from.data() + from.count(), 1.0);
    return fault_of(width, {{1, blocks, 1}, {threads, 1, 1}, r.shared_bytes()},
                    ring(r, input(from), to.elements()));
  }
  void expect_sums(const Ring& r) {
    for (Index i = 0; i < to.count(); ++i) {
      const Index x = i % r.cells;
      ASSERT_EQ(to.data()[i], from.data()[i] + from.data()[i - x + (x + 1) % r.cells]) << i;
    }
  }
  /// A ring with a mistake in the second block, where 2 warps and a partial one compute.
  std::optional<simt::Fault> fault_in(Mistake mistake) {
    return run_ring({9, 3, 64, mistake, 1}, 3 * width + 7);
  }
  void expect_producer(Mistake mistake, FaultKind kind, Index index, const std::string& words) {
    expect_fault(fault_in(mistake), kind, {0, 1, 0}, {0, 0, 0}, 0, index, words);
  }
  void expect_consumer(Mistake mistake, FaultKind kind, Index index, const std::string& words) {
    expect_fault(fault_in(mistake), kind, {0, 1, 0}, {width, 0, 0}, 0, index, words);
  }

  Field<double> from, to;
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtRing, both_widths);

TEST_P(SimtRing, GivesTheRightSums) {
  for (const int stages : {1, 2, 3, 8})
    for (const int planes : {1, 2, 7, 20})
      for (const int threads : {width + 1, 2 * width, 3 * width + 7, 5 * width}) {
        const Ring r{planes, stages, 64};
        const auto fault = run_ring(r, threads);
        ASSERT_FALSE(fault.has_value()) << fault->what();
        expect_sums(r);
      }
}

TEST_P(SimtRing, ReportsAMissingWait) {
  expect_consumer(Mistake::no_wait_full, FaultKind::shared_race, 0,
                  "reads index 0 (bytes 128 to 135 of shared memory) before it knows that the bulk "
                  "copy that thread (0,0,0) began to there has arrived; phase_wait first for phase "
                  "0 of phase barrier 0");
  expect_producer(Mistake::no_wait_empty, FaultKind::shared_race, 0,
                  "begins a bulk copy to index 0 (bytes 128 to 383 of shared memory) before it "
                  "knows that the bulk copy that it began to there has arrived");
}

TEST_P(SimtRing, ReportsAReleaseBeforeTheLastRead) {
  expect_producer(Mistake::early_release, FaultKind::shared_race, 0,
                  "which thread (" + std::to_string(width) +
                      ",0,0) read and has not released since");
  // The last cell's right neighbour is the first cell.
  expect_producer(Mistake::no_warp_barrier, FaultKind::shared_race, 0,
                  "which thread (" + std::to_string(width + 63) +
                      ",0,0) read and has not released since");
}

TEST_P(SimtRing, ReportsBytesThatAreNotExpected) {
  expect_consumer(Mistake::no_expect, FaultKind::shared_race, 0,
                  "phase_wait first for phase 1 of phase barrier 0, which must expect the bytes");
  expect_producer(Mistake::few_bytes, FaultKind::phase_misuse, 0,
                  "expects 496 bytes, while bulk copies bring 512");
  expect_producer(Mistake::unexpected_copy, FaultKind::phase_misuse, 0,
                  "expects 0 bytes, while bulk copies bring 512");
}

TEST_P(SimtRing, ReportsBytesThatNobodyCopies) {
  expect_consumer(Mistake::many_bytes, FaultKind::phase_deadlock, 0,
                  "it waits at phase barrier 0 (byte 0) for the end of phase 0 (parity 0), which "
                  "lacks 0 of 1 arrivals and 16 of 528 bytes; thread (0,0,0) waits at phase "
                  "barrier 0 (byte 64)");
}

TEST_P(SimtRing, ReportsAWrongParity) {
  // Nothing is awaited; the warp's last lane goes on first from the warp_barrier.
  expect_fault(fault_in(Mistake::wrong_parity), FaultKind::shared_race, {0, 1, 0},
               {2 * width - 1, 0, 0}, width - 1, 64 + width - 1,
               "phase_wait first for phase 0 of phase barrier 1");
}

TEST_P(SimtRing, ReportsABarrierThatIsNotReady) {
  expect_producer(Mistake::no_begin, FaultKind::phase_misuse, 1,
                  "phase barrier 1 (byte 8 of shared memory) has not begun");
  expect_consumer(Mistake::no_barrier, FaultKind::phase_misuse, 0,
                  "phase barrier 0 (byte 0 of shared memory) is begun by thread (0,0,0); put a "
                  "barrier() between");
}

// One phase barrier at byte 0, which `arrivals` threads are to arrive at.

template <class F>
auto at_barrier(int arrivals, F f) {
  return [=](const auto& lane) {
    auto bars = lane.template shared<PhaseBarrier>(0, 1);
    auto s = lane.template shared<double>(64, 64);
    if (lane.rank() == 0) lane.phase_begin(bars, 0, arrivals);
    lane.barrier();
    f(lane, bars, s);
  };
}
const LaunchShape one_block{{1, 1, 1}, {70, 1, 1}, 64 + 512};

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

// Bulk copies.

struct Copy {
  int to = 0;
  Index from = 0;
  int count = 2;
};

class SimtBulk : public SimtPhase {
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

TEST_P(SimtPhase, LoadsPacksFromSharedMemory) {
  Field<double> to(device, {64});
  const auto body = [out = to.elements()](int shift, bool barrier) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(32, 64);
      if (lane.rank() < 62) s[lane.rank()] = lane.rank();
      if (barrier) lane.barrier();
      if (lane.rank() >= 16) return;
      const int at = 4 * (15 - lane.rank());
      const Pack<double, 4> p = lane.template load_shared_pack<4>(s, at + shift);
      lane.store(out, at, p);
    };
  };
  const LaunchShape shape{{1, 1, 1}, {64, 1, 1}, 32 + 512};
  run(width, shape, body(0, true));
  for (int i = 0; i < 62; ++i)
    EXPECT_EQ(to.data()[i], i);
  for (int i = 62; i < 64; ++i)
    EXPECT_TRUE(std::isnan(to.data()[i])) << "nobody has written it";
  // The block's last lane goes on first from the barrier, then the others in their order.
  const auto expect = [&](int shift, bool barrier, FaultKind kind, int t, Index index,
                          const char* words) {
    expect_fault(fault_of(width, shape, body(shift, barrier)), kind, {0, 0, 0}, {t, 0, 0}, t, index,
                 words);
  };
  expect(-2, true, FaultKind::shared_alignment, 0, 58,
         "a pack of 4 at index 58 begins at byte 496 of shared memory, which is no multiple of 32");
  expect(4, true, FaultKind::shared_bounds, 0, 67, "index 67 of a shared array of 64");
  expect(-4, true, FaultKind::shared_bounds, 15, -4, "index -4");
  expect(0, false, FaultKind::shared_race, 13, 8, "which thread (8,0,0) wrote");
}

TEST_P(SimtPhase, ReportsAnUndeclaredAccess) {
  const auto body = [](int z) {
    return [=](const auto& lane) {
      if (lane.rank() == 5 && z > 1) lane.undeclared_access(0, -1, z);
    };
  };
  EXPECT_FALSE(fault_of(width, one_block, body(1)).has_value());
  expect_fault(fault_of(width, one_block, body(2)), FaultKind::undeclared_access, {0, 0, 0},
               {5, 0, 0}, 5, -1,
               "reads neighbour (0, -1, 2), which its footprint does not declare; add it to the "
               "footprint");
}

// The detector against the order that phases, warp barriers and barriers make by definition: some
// lanes take random ways, and note what they are about to do.

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

TEST_P(SimtPhase, FindsExactlyTheRacesThatTheDefinitionHas) {
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
