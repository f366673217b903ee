#include "ring.hpp"

#include <utility>
#include <vector>

namespace ridge::nbody {

Ring::Ring(comm::Communicator& ranks, Queue& work, void* own, Bytes block, int stages)
    : rank_(ranks.rank()), ranks_(ranks.ranks()), stages_(stages), own_(own) {
  for (std::size_t i = 0; i < visitors_.size() && static_cast<int>(i) < stages - 1; ++i)
    visitors_[i] = Memory(work.device(), block, "bodies of other ranks");
  std::vector<comm::Phase> moves;
  for (int stage = 0; stage + 1 < stages; ++stage) {
    moves.push_back({{{this->block(stage), block, holder(1), stage}},
                     {{this->block(stage + 1), block, owner(1), stage}}});
  }
  moves_ = comm::Transfer({ranks, work}, std::move(moves), comm::Travels::beside);
}

void* Ring::block(int stage) const {
  return stage == 0 ? own_ : visitors_[static_cast<std::size_t>((stage - 1) % 2)].data();
}

void Ring::begin(int stage) {
  if (stage + 1 >= stages()) return;
  moves_.fork();
  moves_.send(static_cast<std::size_t>(stage));
}

void Ring::finish(int stage) {
  if (stage + 1 >= stages()) return;
  moves_.receive(static_cast<std::size_t>(stage));
  moves_.join();
}

} // namespace ridge::nbody
