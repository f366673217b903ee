#include <ridge/comm/transfer.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/order.hpp>

#include "peer.hpp"

#include <optional>
#include <utility>

namespace ridge::comm {

struct Transfer::State {
  struct BoundPhase {
    std::vector<Bound> pack, unpack;
    std::unique_ptr<BoundMessages> messages;
  };
  /// A queue of messages beside that of the work.
  struct Beside {
    explicit Beside(const Device& device)
        : queue(urgent_queue(device)), begun(device), done(device),
          pause(device, Bytes{sizeof(int)}, "a pause of a halo exchange") {}
    Queue queue;
    Order begun, done;
    Memory pause;
  };

  State(const Endpoint& at, std::vector<Phase> planned, Travels travels, const BindPush& push)
      : work(at.queue), carrier(at.carrier) {
    if (travels == Travels::beside) beside.emplace(work.device());
    for (Phase& phase : planned) {
      BoundPhase bound{
          bind_copies(phase.sends, phase.packed), bind_copies(phase.receives, phase.unpacked), {}};
      for (const Message& m : phase.sends)
        bytes += m.size.value;
      count += static_cast<int>(phase.sends.size());
      const Endpoint end{at.ranks, queue(), carrier};
      bound.messages = push
                           ? bind_peer(end, phase.sends, phase.receives, push)
                           : bind_on_device(end, std::move(phase.sends), std::move(phase.receives));
      phases.push_back(std::move(bound));
    }
  }

  /// Launches of bundles; their messages get memory in the bundles' buffers.
  std::vector<Bound> bind_copies(std::vector<Message>& messages,
                                 const std::vector<Phase::Bundle>& bundles) {
    std::vector<Bound> launches;
    for (const Phase::Bundle& bundle : bundles) {
      std::vector<Message*> inside;
      Index size = 0;
      for (std::size_t i = 0; i < bundle.end; ++i) {
        if (messages[i].data != nullptr) continue;
        inside.push_back(&messages[i]);
        size += messages[i].size.value;
      }
      const Memory& buffer = buffers.emplace_back(work.device(), Bytes{size}, bundle.what);
      launches.push_back(bundle.copies(queue(), buffer.data()));
      auto* at = static_cast<char*>(buffer.data());
      for (Message* const m : inside) {
        m->data = at;
        at += m->size.value;
      }
    }
    return launches;
  }

  [[nodiscard]] Queue& queue() { return beside ? beside->queue : work; }
  /// Gives a GPU what takes as long as a launch takes to begin.
  void wait_a_launch(Queue& on) const {
    if (on.device().is_gpu()) fill_bytes(on, beside->pause.data(), 0, beside->pause.size());
  }

  Queue& work;
  Carrier carrier;
  std::optional<Beside> beside;
  std::vector<Memory> buffers;
  std::vector<BoundPhase> phases;
  Index bytes = 0;
  int count = 0;
};

Transfer::Transfer() = default;
Transfer::Transfer(const Endpoint& at, Phase messages)
    : Transfer(at, std::vector{std::move(messages)}, Travels::in_order) {}
Transfer::Transfer(const Endpoint& at, std::vector<Phase> phases, Travels travels)
    : state_(std::make_unique<State>(at, std::move(phases), travels, BindPush{})) {}
Transfer::Transfer(const Endpoint& at, Phase messages, Travels travels, const BindPush& push)
    : state_(std::make_unique<State>(at, std::vector{std::move(messages)}, travels, push)) {}
Transfer::~Transfer() = default;
Transfer::Transfer(Transfer&& other) noexcept = default;
Transfer& Transfer::operator=(Transfer&& other) noexcept = default;

Transfer::operator bool() const {
  return state_ && !state_->phases.empty();
}
Queue& Transfer::queue() {
  return state_->queue();
}
void Transfer::fork() {
  if (state_->beside) state_->beside->begun.set(queue(), state_->work);
}
void Transfer::fork_first() {
  if (state_->beside && can_be_recorded()) state_->wait_a_launch(state_->work);
  fork();
}
void Transfer::give_way() {
  if (state_->beside) state_->wait_a_launch(queue());
}
void Transfer::join() {
  if (state_->beside) state_->beside->done.set(state_->work, queue());
}

void Transfer::send(std::size_t phase) {
  State::BoundPhase& p = state_->phases[phase];
  for (const Bound& copies : p.pack)
    copies.run();
  p.messages->begin();
}
void Transfer::receive(std::size_t phase) {
  State::BoundPhase& p = state_->phases[phase];
  p.messages->finish();
  for (const Bound& copies : p.unpack)
    copies.run();
}
void Transfer::send() {
  for (std::size_t i = 0; i < state_->phases.size(); ++i) {
    if (i > 0) receive(i - 1);
    send(i);
  }
}
void Transfer::advance() {
  if (*this) state_->phases.back().messages->advance();
}
void Transfer::receive() {
  if (*this) receive(state_->phases.size() - 1);
}

Bytes Transfer::sent() const {
  return {state_->bytes};
}
int Transfer::messages() const {
  return state_->count;
}
Carrier Transfer::carrier() const {
  return state_->carrier;
}

Phase all_to_all(const Communicator& ranks, const PiecesOf& out, const PiecesOf& in) {
  Phase phase;
  const auto add = [](std::vector<Message>& messages, const Pieces& pieces, int peer) {
    int tag = 0;
    for (const auto& [data, size] : pieces) {
      if (size.value > 0) messages.push_back({data, size, peer, tag});
      ++tag;
    }
  };
  for (int peer = 0; peer < ranks.ranks(); ++peer) {
    if (peer == ranks.rank()) continue;
    add(phase.sends, out(peer), peer);
    add(phase.receives, in(peer), peer);
  }
  return phase;
}

Phase to_all(const Communicator& ranks, const PiecesOf& pieces) {
  return all_to_all(
      ranks, [&](int /*peer*/) { return pieces(ranks.rank()); }, pieces);
}

} // namespace ridge::comm
