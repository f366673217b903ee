#include <ridge/comm/exchange.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/order.hpp>

#include <utility>

namespace ridge::comm {

namespace {

constexpr int tags_of_a_field = directions;

bool inside(const FieldMemory& memory, const MemoryBox& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const Index begin = along(box.begin, axis);
    if (begin < 0 || begin + along(box.extents, axis) > along(memory.extents, axis)) return false;
  }
  return true;
}

/// Whether a box lies in one piece of memory.
bool in_one_piece(const FieldMemory& memory, const Index3& box) {
  const bool rows = box.y == 1 && box.z == 1;
  const bool whole_rows = box.x == memory.row && box.z == 1;
  return rows || whole_rows || (box.x == memory.row && box.x * box.y == memory.plane);
}

} // namespace

struct Exchange::State {
  State(Communicator& communicator, Queue& compute, const Grid& grid,
        std::vector<PaddedField> fields)
      : work(compute), own(urgent_queue(compute.device())), begun(compute.device()),
        done(compute.device()), carrier(choose_carrier(communicator, compute.device())),
        pause(compute.device(), Bytes{sizeof(int)}, "a pause of a halo exchange") {
    std::vector<Message> sends;
    std::vector<Message> receives;
    int tag = 0;
    for (const PaddedField& field : fields) {
      const HaloPlan plan = halo_plan(grid, communicator.rank(), field.reach);
      add(field, plan.sends, tag, false, sends);
      add(field, plan.receives, tag, true, receives);
      tag += tags_of_a_field;
    }
    for (const Message& m : sends)
      bytes += m.size.value;
    count = static_cast<int>(sends.size());
    transfer = bind_on_device(communicator, own, carrier, std::move(sends), std::move(receives));
  }

  /// Makes messages of routes, and the copies between their boxes and what is sent or received.
  void add(const PaddedField& field, const std::vector<Route>& routes, int tag, bool receives,
           std::vector<Message>& messages) {
    const FieldMemory& memory = field.memory;
    std::vector<MemoryBox> packed;
    std::vector<std::size_t> which;
    Index size = 0;
    for (const Route& route : routes) {
      const Index3 first = route.box.begin;
      const MemoryBox box{
          {first.x - field.origin.x, first.y - field.origin.y, first.z - field.origin.z},
          route.box.extents()};
      if (!inside(memory, box)) {
        throw UsageError(
            "a field over ranks has no room for its halo: its memory holds " +
            ridge::to_text(Extents{memory.extents.x, memory.extents.y, memory.extents.z}) +
            " points");
      }
      const Bytes bytes_of_box{box.count() * memory.element_bytes};
      Message message{nullptr, bytes_of_box, route.peer, tag + route.tag};
      if (in_one_piece(memory, box.extents)) {
        const Index at = box.begin.x + box.begin.y * memory.row + box.begin.z * memory.plane;
        message.data = static_cast<char*>(memory.data) + at * memory.element_bytes;
      } else {
        packed.push_back(box);
        which.push_back(messages.size());
        size += bytes_of_box.value;
      }
      messages.push_back(message);
    }
    if (packed.empty()) return;
    buffers.emplace_back(own.device(), Bytes{size}, "the messages of a halo");
    auto* at = static_cast<char*>(buffers.back().data());
    for (std::size_t i = 0; i < packed.size(); ++i) {
      messages[which[i]].data = at;
      at += messages[which[i]].size.value;
    }
    (receives ? unpack : pack)
        .push_back(bind_copies(own, memory, packed, buffers.back().data(), receives));
  }

  /// Gives a GPU what takes as long as a launch takes to begin.
  void wait_a_launch(Queue& queue) const {
    if (queue.device().is_gpu()) fill_bytes(queue, pause.data(), 0, pause.size());
  }

  Queue& work;
  Queue own;
  Order begun, done;
  Carrier carrier;
  Memory pause;
  std::vector<Memory> buffers;
  std::vector<Bound> pack, unpack;
  std::unique_ptr<BoundMessages> transfer;
  Index bytes = 0;
  int count = 0;
};

Exchange::Exchange(Communicator& communicator, Queue& queue, const Grid& grid,
                   std::vector<PaddedField> fields)
    : state_(std::make_unique<State>(communicator, queue, grid, std::move(fields))) {}
Exchange::~Exchange() = default;

Queue& Exchange::queue() {
  return state_->own;
}
void Exchange::fork() {
  state_->begun.set(state_->own, state_->work);
}
void Exchange::fork_first() {
  if (can_be_recorded()) state_->wait_a_launch(state_->work);
  fork();
}
void Exchange::give_way() {
  state_->wait_a_launch(state_->own);
}
void Exchange::send() {
  for (const Bound& copies : state_->pack)
    copies.run();
  state_->transfer->begin();
}
void Exchange::advance() {
  state_->transfer->advance();
}
void Exchange::receive() {
  state_->transfer->finish();
  for (const Bound& copies : state_->unpack)
    copies.run();
}
void Exchange::join() {
  state_->done.set(state_->work, state_->own);
}

Bytes Exchange::sent() const {
  return {state_->bytes};
}
int Exchange::messages() const {
  return state_->count;
}
Carrier Exchange::carrier() const {
  return state_->carrier;
}

} // namespace ridge::comm
