#include "phase_order.hpp"

#include <ridge/core/error.hpp>

#include <algorithm>

namespace ridge::simt {

namespace {

template <class T>
bool raise(std::vector<T>& to, const std::vector<T>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  bool raised = false;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (to[i] < from[i]) {
      to[i] = from[i];
      raised = true;
    }
  return raised;
}

} // namespace

void Knowledge::know(std::size_t barrier, long long phases_over) {
  if (phases.size() <= barrier) phases.resize(barrier + 1);
  phases[barrier] = phases_over;
}

bool Knowledge::learn(const Knowledge& other) {
  const bool of_lanes = raise(lanes, other.lanes);
  return raise(phases, other.phases) || of_lanes;
}

void PhaseOrder::begin(const Block& block) {
  block_ = &block;
  known_.assign(static_cast<std::size_t>(block.threads), nullptr);
  recent_ = {};
  flights_.clear();
}

bool PhaseOrder::before(AccessRecord record, int me) const {
  const int rank = access::rank(record);
  if (rank == me) return true;
  const int warp = rank >> block_->warp_shift;
  if (warp == me >> block_->warp_shift && record < block_->warps[warp].stamp) return true;
  const Knowledge* known = known_[static_cast<std::size_t>(me)].get();
  return known != nullptr && record < known->lanes[static_cast<std::size_t>(rank)];
}

bool PhaseOrder::arrived(int number, int me) const {
  const Flight& copies = flight(number);
  const Knowledge* known = known_[static_cast<std::size_t>(me)].get();
  const auto barrier = static_cast<std::size_t>(copies.barrier);
  return known != nullptr && barrier < known->phases.size() &&
         copies.phase < known->phases[barrier];
}

int PhaseOrder::add(const Flight& flight) {
  if (static_cast<AccessRecord>(flights_.size()) > access::number_mask)
    throw Failure("the emulated GPU follows no more than 1048576 phases with bulk copies a block");
  flights_.push_back(flight);
  return static_cast<int>(flights_.size()) - 1;
}

void PhaseOrder::release(int rank, AccessRecord stamp, Knowledge& to) const {
  to.lanes.resize(static_cast<std::size_t>(block_->threads));
  const SharedKnowledge& known = known_[static_cast<std::size_t>(rank)];
  if (known) to.learn(*known);
  const Warp& warp = block_->warps[rank >> block_->warp_shift];
  for (int mate = warp.first; mate < warp.first + warp.lanes; ++mate) {
    AccessRecord& before = to.lanes[static_cast<std::size_t>(mate)];
    before = std::max(before, mate == rank ? stamp : warp.stamp);
  }
}

void PhaseOrder::acquire(int rank, const SharedKnowledge& from) {
  SharedKnowledge& known = known_[static_cast<std::size_t>(rank)];
  known = joined(known, from);
}

void PhaseOrder::merge(int first, int lanes) {
  const auto begin = known_.begin() + first, end = begin + lanes;
  SharedKnowledge all;
  for (auto known = begin; known != end; ++known)
    all = joined(all, *known);
  std::fill(begin, end, all);
}

SharedKnowledge PhaseOrder::joined(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  for (const Join& join : recent_)
    if (join.a == a && join.b == b) return join.result;
  auto both = std::make_shared<Knowledge>(*b);
  SharedKnowledge result = b;
  if (both->learn(*a)) {
    auto again = *a;
    result = again.learn(*b) ? std::move(both) : a;
  }
  recent_[oldest_++ % recent_.size()] = {a, b, result};
  return result;
}

} // namespace ridge::simt
