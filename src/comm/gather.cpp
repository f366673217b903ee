#include <ridge/comm/gather.hpp>
#include <ridge/device/field.hpp>

#include <cstring>
#include <utility>

namespace ridge::comm {

Gather::Gather(Communicator& communicator, Queue& queue, const void* mine, Bytes size)
    : at_(communicator, queue), mine_(mine), size_(size) {
  const int ranks = communicator.ranks();
  const Bytes of_all{size.value * ranks};
  host_ = Memory(queue.device(), of_all, "results of all ranks", Memory::Place::staging);
  if (ranks == 1 || !comm::needs_no_host(at_.carrier)) return;
  theirs_ = Memory(queue.device(), of_all, "results of all ranks");
  const auto result_of = [&](int rank) -> Pieces {
    if (rank == communicator.rank()) return {{const_cast<void*>(mine), size}};
    return {{static_cast<char*>(theirs_.data()) + rank * size.value, size}};
  };
  transfer_ = Transfer(at_, to_all(communicator, result_of));
}

void Gather::get(void* all) {
  const Index ours = at_.ranks.rank() * size_.value;
  auto* const host = static_cast<char*>(host_.data());
  if (transfer_) copy_bytes_to_host(at_.queue, host, theirs_.data(), host_.size());
  copy_bytes_to_host(at_.queue, host + ours, mine_, size_);
  at_.queue.wait();
  if (needs_no_host()) {
    std::memcpy(all, host, static_cast<std::size_t>(host_.size().value));
  } else {
    at_.ranks.all_gather(host + ours, static_cast<std::size_t>(size_.value), all);
  }
}

void gather_box(Communicator& ranks, const Grid& grid, const Box& box, const void* mine,
                Index element_bytes, std::vector<char>& whole) {
  const auto part_of = [&](int rank) { return overlap(grid.owned(rank), box); };
  const auto size_of = [&](const Box& part) { return Bytes{part.count() * element_bytes}; };
  std::vector<Message> sends, receives;
  std::vector<char> packed; // one rank's part after the other's
  if (const Bytes size = size_of(part_of(ranks.rank())); size.value > 0)
    sends.push_back({const_cast<void*>(mine), size, 0, 0});
  if (ranks.rank() == 0) {
    whole.resize(static_cast<std::size_t>(size_of(box).value));
    packed.resize(whole.size());
    char* at = packed.data();
    for (int rank = 0; rank < ranks.ranks(); ++rank) {
      const Bytes size = size_of(part_of(rank));
      if (size.value > 0) receives.push_back({at, size, rank, 0});
      at += size.value;
    }
  }
  ranks.exchange(std::move(sends), std::move(receives));
  if (ranks.rank() > 0) return;
  const Index3 n = box.extents();
  const char* from = packed.data();
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const Box part = part_of(rank);
    if (part.empty()) continue;
    const Index row = part.extents().x * element_bytes;
    for (Index z = part.begin.z - box.begin.z; z < part.end.z - box.begin.z; ++z) {
      for (Index y = part.begin.y - box.begin.y; y < part.end.y - box.begin.y; ++y, from += row) {
        const Index to = part.begin.x - box.begin.x + n.x * (y + n.y * z);
        std::memcpy(whole.data() + to * element_bytes, from, static_cast<std::size_t>(row));
      }
    }
  }
}

} // namespace ridge::comm
