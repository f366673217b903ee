#include <ridge/device/simt/context.hpp>

#include "report.hpp"
#include "scheduler.hpp"

#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <thread>

namespace ridge::simt {

namespace {

/// Those that it has run, not those that passed: on a busy machine who gives the signal runs as
/// seldom.
double seconds_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

const char* verb(AccessKind kind) {
  switch (kind) {
  case AccessKind::read:
    return "reads";
  case AccessKind::write:
    return "writes";
  case AccessKind::atomic:
    return "adds atomically to";
  case AccessKind::copy_issue:
  case AccessKind::copy_arrival:
    return "begins an asynchronous copy to";
  case AccessKind::bulk_issue:
    return "begins a bulk copy to";
  }
  return "touches";
}

Fault access_fault(const Block& block, int rank, int offset, int bytes, AccessKind kind,
                   Index index, const Finding& finding) {
  const std::string what = fmt::format("{} index {} (bytes {} to {} of shared memory)", verb(kind),
                                       index, offset, offset + bytes - 1);
  if (finding.verdict == Verdict::uninitialised)
    return make_fault(FaultKind::shared_uninitialised, block, rank, index,
                      what + ", which this block has not written; write it first");

  const std::string other = finding.other == rank ? "it" : thread_text(block, finding.other);
  if (finding.verdict == Verdict::in_flight)
    return make_fault(FaultKind::shared_race, block, rank, index,
                      fmt::format("{} before the asynchronous copy that {} began to there has "
                                  "arrived; the lane that copies must copy_wait, and other lanes "
                                  "need a barrier behind that",
                                  what, other));
  if (finding.verdict == Verdict::bulk_in_flight) {
    const Flight& flight = block.scheduler->flight(finding.flight);
    return make_fault(FaultKind::shared_race, block, rank, index,
                      fmt::format("{} before it knows that the bulk copy that {} began to there "
                                  "has arrived; phase_wait first for phase {} of phase barrier {}, "
                                  "which must expect the bytes",
                                  what, other, flight.phase, flight.index));
  }
  if (kind == AccessKind::bulk_issue)
    return make_fault(FaultKind::shared_race, block, rank, index,
                      fmt::format("{}, which {} {} and has not released since; that lane, or its "
                                  "warp after a warp_barrier, must phase_arrive after its last "
                                  "access, and this one wait for that phase",
                                  what, other, finding.other_wrote ? "wrote" : "read"));
  const bool same_warp = finding.other >> block.warp_shift == rank >> block.warp_shift;
  return make_fault(FaultKind::shared_race, block, rank, index,
                    fmt::format("{}, which {} {}, with no barrier between; put a {} there", what,
                                other, finding.other_wrote ? "wrote" : "read",
                                same_warp ? "warp_barrier or barrier" : "barrier"));
}

} // namespace

void LaneContext::barrier() const {
  block_.scheduler->wait_at_barrier(*this);
  record_ = block_.shadow.record(warp_.stamp, rank_);
}

void LaneContext::warp_barrier() const {
  meet(Collective::warp_barrier, 0);
  record_ = block_.shadow.record(warp_.stamp, rank_);
}

void LaneContext::meet(Collective kind, int bytes) const {
  block_.scheduler->meet(*this, kind, bytes);
}

void LaneContext::touch_shared(int offset, int bytes, AccessKind kind, Index index,
                               int flight) const {
  const Finding finding = block_.shadow.touch(offset, bytes, record_, kind, flight);
  if (finding.verdict != Verdict::fine) [[unlikely]]
    throw access_fault(block_, rank_, offset, bytes, kind, index, finding);
}

void LaneContext::issue_copy(int to_offset, const void* from, int bytes, Index index) const {
  touch_shared(to_offset, bytes, AccessKind::copy_issue, index);
  LaneCopies& copies = block_.scheduler->copies(rank_);
  copies.pending.push_back({from, to_offset, bytes, index, copies.open_group});
  ++block_.scheduler->pending_copies;
}

void LaneContext::commit_copies() const {
  ++block_.scheduler->copies(rank_).open_group;
}

/// The latest moment at which the data may arrive is now: who did not wait sees them missing.
void LaneContext::wait_for_copies(int pending) const {
  LaneCopies& copies = block_.scheduler->copies(rank_);
  std::size_t arrived = 0;
  for (const PendingCopy& copy : copies.pending) {
    if (copy.group + pending >= copies.open_group) break;
    std::memcpy(block_.shared + copy.to_offset, copy.from, static_cast<std::size_t>(copy.bytes));
    touch_shared(copy.to_offset, copy.bytes, AccessKind::copy_arrival, copy.index);
    ++arrived;
  }
  copies.pending.erase(copies.pending.begin(),
                       copies.pending.begin() + static_cast<std::ptrdiff_t>(arrived));
  block_.scheduler->pending_copies -= static_cast<int>(arrived);
}

void LaneContext::await_signal(std::atomic_ref<unsigned> from, unsigned value, Index index) const {
  const double patience = seconds_of_this_thread() + 10;
  unsigned found = from.load(std::memory_order_acquire);
  while (static_cast<int>(found - value) < 0) {
    if (seconds_of_this_thread() > patience) {
      throw make_fault(
          FaultKind::missing_signal, block_, rank_, index,
          fmt::format("has waited for signal {} for 10 seconds, and {} is there; it may "
                      "come from other devices, or from blocks before this one",
                      value, found));
    }
    std::this_thread::yield();
    found = from.load(std::memory_order_acquire);
  }
}

} // namespace ridge::simt
