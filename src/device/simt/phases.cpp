// Lanes at phase barriers: arriving, waiting, copying.
#include "phases.hpp"

#include "report.hpp"
#include "scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ridge::simt {

namespace {

/// What a barrier that has begun looks like in memory, so that writes over it show.
std::uint64_t pattern(std::size_t number) {
  return 0x5048'4153'0000'0000U + number;
}

Fault misuse(const LaneContext& lane, PhasePlace at, const std::string& text) {
  return make_fault(
      FaultKind::phase_misuse, lane.state(), lane.rank(), at.index,
      fmt::format("phase barrier {} (byte {} of shared memory) {}", at.index, at.offset, text));
}

void deliver(const Block& block, const PendingBulk& copy) {
  std::memcpy(block.shared + copy.to_offset, copy.from, static_cast<std::size_t>(copy.bytes));
}

} // namespace

PhaseState* Scheduler::find_phases(int offset) {
  const auto found = std::find_if(phases_.states.begin(), phases_.states.end(),
                                  [&](const PhaseState& s) { return s.offset == offset; });
  return found == phases_.states.end() ? nullptr : &*found;
}

/// The barrier that a lane names, if that may be used.
PhaseState& Scheduler::phases_at(const LaneContext& lane, PhasePlace at) {
  PhaseState* state = find_phases(at.offset);
  if (state == nullptr)
    throw misuse(lane, at,
                 "has not begun; let one lane call phase_begin, and all a barrier() behind it");
  std::uint64_t bits = 0;
  std::memcpy(&bits, block_.shared + at.offset, sizeof bits);
  if (bits != pattern(static_cast<std::size_t>(state - phases_.states.data())))
    throw misuse(lane, at, "has been overwritten; nothing else may lie in its 8 bytes");
  if (!block_.shadow.ordered(state->begun, lane.record()))
    throw misuse(lane, at,
                 fmt::format("is begun by {}; put a barrier() between",
                             thread_text(block_, access::rank(state->begun))));
  return *state;
}

void Scheduler::begin_phases(const LaneContext& lane, PhasePlace at, int arrivals) {
  if (find_phases(at.offset) != nullptr) throw misuse(lane, at, "begins a second time");
  if (arrivals < 1)
    throw misuse(lane, at, fmt::format("begins with {} arrivals; at least 1 is right", arrivals));
  if (!phases_.in_use()) {
    phases_.order.begin(block_);
    block_.shadow.follow(phases_.order);
  }
  const std::uint64_t bits = pattern(phases_.states.size());
  std::memcpy(block_.shared + at.offset, &bits, sizeof bits);
  PhaseState state{};
  state.offset = at.offset;
  state.index = at.index;
  state.arrivals = state.left = arrivals;
  state.begun = lane.record();
  phases_.states.push_back(std::move(state));
}

AccessRecord Scheduler::arrive_at_phase(const LaneContext& lane, PhasePlace at, int bytes) {
  PhaseState& state = phases_at(lane, at);
  if (bytes < 0) throw misuse(lane, at, fmt::format("is to expect {} bytes", bytes));
  if (state.left == 0)
    throw misuse(lane, at,
                 fmt::format("has had its {} arrivals in phase {}, and bytes are still to come; "
                             "wait for that phase before you arrive in the next",
                             state.arrivals, state.phase));
  const AccessRecord record = block_.shadow.pass_arrival(lane.rank());
  phases_.order.release(lane.rank(), record & access::stamp_mask, state.gathered);
  --state.left;
  state.expected += bytes;
  end_phase(lane, state, false);
  return record;
}

void Scheduler::wait_for_phase(const LaneContext& lane, PhasePlace at, int parity) {
  PhaseState* state = &phases_at(lane, at);
  if (parity != 0 && parity != 1)
    throw misuse(lane, at, fmt::format("is waited for with parity {}; 0 and 1 are right", parity));
  if (state->phase % 2 == parity) end_phase(lane, *state, true);
  if (state->phase % 2 == parity) {
    const long long phase = state->phase;
    const auto number = static_cast<std::size_t>(state - phases_.states.data());
    phases_.waits_at[static_cast<std::size_t>(lane.rank())] = static_cast<int>(number);
    wait(lane, Collective::phase, state->waiting);
    state = &phases_.states[number]; // others may have begun since
    if (state->phase != phase + 1)
      throw misuse(lane, at,
                   fmt::format("is in phase {} before this lane has seen the end of phase {}; "
                               "phase {} must not end without what this lane does then",
                               state->phase, phase, phase + 1));
  }
  phases_.order.acquire(lane.rank(), state->released);
  state->unseen_before = {};
}

int Scheduler::join_flight(const LaneContext& lane, PhasePlace at) {
  PhaseState& state = phases_at(lane, at);
  const auto found = std::find_if(state.flights.rbegin(), state.flights.rend(), [&](int number) {
    return phases_.order.flight(number).rank == lane.rank();
  });
  if (found != state.flights.rend()) return *found;
  const auto barrier = static_cast<int>(&state - phases_.states.data());
  state.flights.push_back(phases_.order.add({barrier, state.index, state.phase, lane.rank()}));
  return state.flights.back();
}

void Scheduler::bulk_copy(const LaneContext& lane, PhasePlace at, const PendingBulk& copy,
                          Index index) {
  PhaseState& state = phases_at(lane, at);
  state.issued += copy.bytes;
  if (state.unseen_now.count++ == 0) {
    state.unseen_now.rank = lane.rank();
    state.unseen_now.index = index;
  }
  if (phases_.bulk_copies++ % 2 == 0)
    deliver(block_, copy);
  else
    state.late.push_back(copy);
  end_phase(lane, state, false);
}

/// Ends the current phase if it has all it needs. Late copies come when somebody waits.
void Scheduler::end_phase(const LaneContext& lane, PhaseState& state, bool polled) {
  if (state.left > 0 || state.issued < state.expected) return;
  const PhasePlace at{state.offset, state.index};
  if (state.issued > state.expected)
    throw misuse(lane, at,
                 fmt::format("has had all arrivals of phase {} and expects {} bytes, while bulk "
                             "copies bring {}; add them with phase_arrive_expecting",
                             state.phase, state.expected, state.issued));
  if (!state.late.empty() && !polled && state.waiting.first == nullptr) return;
  for (const PendingBulk& copy : state.late)
    deliver(block_, copy);
  state.late.clear();
  ++state.phase;
  state.flights.clear();
  state.gathered.know(static_cast<std::size_t>(&state - phases_.states.data()), state.phase);
  state.released = std::make_shared<const Knowledge>(state.gathered);
  state.left = state.arrivals;
  state.expected = state.issued = 0;
  if (state.unseen_before.count == 0)
    state.unseen_before = state.unseen_now;
  else
    state.unseen_before.count += state.unseen_now.count;
  state.unseen_now = {};
  wake(state.waiting);
}

void LaneContext::begin_phases(PhasePlace at, int arrivals) const {
  touch_shared(at.offset, sizeof(PhaseBarrier), AccessKind::write, at.index);
  block_.scheduler->begin_phases(*this, at, arrivals);
}

void LaneContext::arrive_at_phase(PhasePlace at, int bytes) const {
  record_ = block_.scheduler->arrive_at_phase(*this, at, bytes);
}

void LaneContext::wait_for_phase(PhasePlace at, int parity) const {
  block_.scheduler->wait_for_phase(*this, at, parity);
}

void LaneContext::issue_bulk(PhasePlace at, int to_offset, const void* from, int bytes,
                             Index index) const {
  const int flight = block_.scheduler->join_flight(*this, at);
  touch_shared(to_offset, bytes, AccessKind::bulk_issue, index, flight);
  block_.scheduler->bulk_copy(*this, at, {from, to_offset, bytes}, index);
}

} // namespace ridge::simt
