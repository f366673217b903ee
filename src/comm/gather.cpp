#include <ridge/comm/gather.hpp>
#include <ridge/device/field.hpp>

#include <cstring>
#include <vector>

namespace ridge::comm {

Gather::Gather(Communicator& communicator, Queue& queue, const void* mine, Bytes size)
    : communicator_(communicator), queue_(queue), mine_(mine), size_(size),
      carrier_(choose_carrier(communicator, queue.device())) {
  const int ranks = communicator.ranks();
  const Bytes of_all{size.value * ranks};
  host_ = Memory(queue.device(), of_all, "results of all ranks", Memory::Place::staging);
  if (ranks == 1 || !comm::needs_no_host(carrier_)) return;
  theirs_ = Memory(queue.device(), of_all, "results of all ranks");
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == communicator.rank()) continue;
    constexpr int tag = 0;
    sends.push_back({const_cast<void*>(mine), size, rank, tag});
    receives.push_back({static_cast<char*>(theirs_.data()) + rank * size.value, size, rank, tag});
  }
  transfer_ = bind_on_device(communicator, queue, carrier_, std::move(sends), std::move(receives));
}

Gather::~Gather() = default;

void Gather::launch() {
  if (!transfer_) return;
  transfer_->begin();
  transfer_->finish();
}

void Gather::get(void* all) {
  const Index ours = communicator_.rank() * size_.value;
  auto* const host = static_cast<char*>(host_.data());
  if (transfer_) copy_bytes_to_host(queue_, host, theirs_.data(), host_.size());
  copy_bytes_to_host(queue_, host + ours, mine_, size_);
  queue_.wait();
  if (needs_no_host()) {
    std::memcpy(all, host, static_cast<std::size_t>(host_.size().value));
  } else {
    communicator_.all_gather(host + ours, static_cast<std::size_t>(size_.value), all);
  }
}

} // namespace ridge::comm
