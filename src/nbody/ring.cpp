#include "ring.hpp"

namespace ridge::nbody {

Ring::Ring(comm::Communicator& ranks, Queue& work, void* own, Bytes block, int stages)
    : rank_(ranks.rank()), ranks_(ranks.ranks()), own_(own), work_(work),
      messages_(urgent_queue(work.device())), begun_(work.device()), done_(work.device()) {
  const comm::Carrier carrier = comm::choose_carrier(ranks, work.device());
  for (std::size_t i = 0; i < visitors_.size() && static_cast<int>(i) < stages - 1; ++i)
    visitors_[i] = Memory(work.device(), block, "bodies of other ranks");
  moves_.resize(static_cast<std::size_t>(stages - 1));
  for (int stage = 0; stage + 1 < stages; ++stage) {
    moves_[static_cast<std::size_t>(stage)] = comm::bind_on_device(
        ranks, messages_, carrier, {{this->block(stage), block, holder(1), stage}},
        {{this->block(stage + 1), block, owner(1), stage}});
  }
}

void* Ring::block(int stage) const {
  return stage == 0 ? own_ : visitors_[static_cast<std::size_t>((stage - 1) % 2)].data();
}

void Ring::begin(int stage) {
  if (stage + 1 >= stages()) return;
  begun_.set(messages_, work_);
  moves_[static_cast<std::size_t>(stage)]->begin();
}

void Ring::finish(int stage) {
  if (stage + 1 >= stages()) return;
  moves_[static_cast<std::size_t>(stage)]->finish();
  done_.set(work_, messages_);
}

} // namespace ridge::nbody
