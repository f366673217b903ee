// Why the lanes of a block cannot go on.
#include "report.hpp"
#include "scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::simt {

namespace {

const char* name_of(Collective at) {
  switch (at) {
  case Collective::none:
    return "nothing";
  case Collective::barrier:
    return "barrier";
  case Collective::warp_barrier:
    return "warp_barrier";
  case Collective::shuffle:
    return "shuffle";
  case Collective::shuffle_xor:
    return "shuffle_xor";
  case Collective::phase:
    return "phase barrier";
  }
  return "?";
}

FaultKind fault_of(Collective at) {
  switch (at) {
  case Collective::barrier:
    return FaultKind::divergent_barrier;
  case Collective::warp_barrier:
    return FaultKind::divergent_warp_barrier;
  default:
    return FaultKind::divergent_shuffle;
  }
}

} // namespace

bool Scheduler::waits(int rank, Collective at) const {
  const LaneStatus& status = status_[static_cast<std::size_t>(rank)];
  return status.state == State::waiting && status.at == at;
}

/// `rank` is at a collective that the thread `absent` is not at.
Fault Scheduler::divergent(int rank, Collective at, int absent) const {
  const LaneStatus& status = status_[static_cast<std::size_t>(absent)];
  const std::string elsewhere = status.state == State::waiting
                                    ? fmt::format("waits at a {}", name_of(status.at))
                                    : std::string("has ended");
  const bool of_block = at == Collective::barrier;
  return make_fault(
      fault_of(at), block_, rank, -1,
      fmt::format(
          "it waits at a {} that {} (lane {}) does not come to, which {}; all {} must reach "
          "the same one",
          name_of(at), thread_text(block_, absent), absent & ((1 << block_.warp_shift) - 1),
          elsewhere, of_block ? "threads of the block" : "lanes of the warp"));
}

/// What a phase lacks.
std::string Scheduler::waits_for(const PhaseState& state) const {
  std::string text = fmt::format(
      "waits at phase barrier {} (byte {}) for the end of phase {} (parity {}), "
      "which lacks {} of {} arrivals",
      state.index, state.offset, state.phase, state.phase % 2, state.left, state.arrivals);
  if (state.expected > state.issued)
    text += fmt::format(" and {} of {} bytes", state.expected - state.issued, state.expected);
  return text;
}

/// Lanes wait for a phase to end, and nobody can end it. Names one of a phase that lacks nothing
/// but bytes, if there is one; and one lane of each other place.
Fault Scheduler::deadlock() const {
  constexpr std::size_t most = 6;
  const auto state_of = [&](int rank) -> const PhaseState& {
    const int number = phases_.waits_at[static_cast<std::size_t>(rank)];
    return phases_.states[static_cast<std::size_t>(number)];
  };
  int named = -1;
  for (int rank = block_.threads - 1; rank >= 0; --rank)
    if (waits(rank, Collective::phase) &&
        (named < 0 || state_of(rank).left == 0 || state_of(named).left > 0))
      named = rank;
  const PhaseState& state = state_of(named);
  std::vector<std::string> places{waits_for(state)};
  std::string text = "it " + places.front();
  for (int rank = 0; rank < block_.threads && places.size() <= most; ++rank) {
    const LaneStatus& status = status_[static_cast<std::size_t>(rank)];
    const std::string place = waits(rank, Collective::phase) ? waits_for(state_of(rank))
                              : status.state == State::waiting
                                  ? fmt::format("waits at a {}", name_of(status.at))
                                  : std::string("has ended");
    if (std::find(places.begin(), places.end(), place) != places.end()) continue;
    text += fmt::format("; {} {}", thread_text(block_, rank), place);
    places.push_back(place);
  }
  return make_fault(FaultKind::phase_deadlock, block_, named, state.index, text);
}

/// No lane can go on. Where lanes of a warp wait for one another, that is the nearest reason,
/// unless those wait for a phase; then that is; else threads wait at the barrier of the block for
/// some that have ended.
Fault Scheduler::divergence() const {
  for (const Collective at :
       {Collective::shuffle, Collective::shuffle_xor, Collective::warp_barrier})
    for (int rank = 0; rank < block_.threads; ++rank) {
      if (!waits(rank, at)) continue;
      const Warp& warp = block_.warps[rank >> block_.warp_shift];
      for (int mate = warp.first; mate < warp.first + warp.lanes; ++mate)
        if (!waits(mate, at) && !waits(mate, Collective::phase)) return divergent(rank, at, mate);
    }
  for (int rank = 0; rank < block_.threads; ++rank)
    if (waits(rank, Collective::phase)) return deadlock();
  int waiting = 0;
  while (waiting < block_.threads - 1 && !waits(waiting, Collective::barrier))
    ++waiting;
  int absent = 0;
  while (absent < block_.threads - 1 && waits(absent, Collective::barrier))
    ++absent;
  return divergent(waiting, Collective::barrier, absent);
}

/// `lane` comes to a collective while another of its warp waits at one of another kind or size.
void Scheduler::fault_mixed(const LaneContext& lane, Collective kind) const {
  const Warp& warp = lane.warp();
  int mate = warp.first;
  while (mate < warp.first + warp.lanes - 1 && !waits(mate, warp.kind))
    ++mate;
  if (warp.kind != kind) throw divergent(lane.rank(), kind, mate);
  throw make_fault(fault_of(kind), block_, lane.rank(), -1,
                   fmt::format("it shuffles a value of another size than {}; all lanes of the warp "
                               "must reach the same shuffle",
                               thread_text(block_, mate)));
}

Fault Scheduler::unfinished_copy() const {
  int rank = 0;
  while (copies_[static_cast<std::size_t>(rank)].pending.empty())
    ++rank;
  const LaneCopies& copies = copies_[static_cast<std::size_t>(rank)];
  return make_fault(FaultKind::unfinished_copy, block_, rank, copies.pending.front().index,
                    fmt::format("it ends with {} copies that it has not waited for; call "
                                "copy_commit() and copy_wait<0>() first",
                                copies.pending.size()));
}

/// The block ends, and nobody knows that its bulk copies have arrived.
std::exception_ptr Scheduler::unseen_copies() const {
  for (const PhaseState& state : phases_.states)
    for (const UnseenCopies& copies : {state.unseen_before, state.unseen_now})
      if (copies.count > 0)
        return std::make_exception_ptr(
            make_fault(FaultKind::unfinished_copy, block_, copies.rank, copies.index,
                       fmt::format("the block ends with {} bulk copies that no lane has waited "
                                   "for; phase_wait for phase barrier {} first",
                                   copies.count, state.index)));
  return nullptr;
}

} // namespace ridge::simt
