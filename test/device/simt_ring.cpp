// A ring of planes on the emulated GPU that one warp fills by bulk copies and others empty, and
// what is reported of rings that are wrong.
#include "simt_support.hpp"

#include <cmath>
#include <numeric>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

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
    const int width = lane.width();
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
class SimtRing : public EachWidth {
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

} // namespace
} // namespace ridge::simt_test
