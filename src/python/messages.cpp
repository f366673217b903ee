#include "messages.hpp"

#include <ridge/comm/copy_boxes.hpp>

#include "others_may_run.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

Arrays look(nb::tuple arrays) {
  static const std::string name = "messages between ranks";
  static const std::vector<std::string> names{"to the low rank", "to the high rank",
                                              "from the low rank", "from the high rank"};
  static const std::vector<std::string> numbers;
  return look_at(std::move(arrays), {name, names, numbers, 0, 2, 4, true});
}

comm::FieldMemory memory_of(const Array& array) {
  Index count = 1;
  for (int d = 0; d < array.rank; ++d)
    count *= array.extents[static_cast<std::size_t>(d)];
  return {array.data, {count, 1, 1}, count, count, array.element_bytes};
}

comm::Phase phase_of(const Arrays& arrays, int low, int high) {
  comm::Phase phase;
  const auto add = [&](std::size_t i, int peer, int tag, bool receives) {
    if (peer < 0) return;
    const comm::FieldMemory memory = memory_of(arrays.all[i]);
    (receives ? phase.receives : phase.sends)
        .push_back({nullptr, Bytes{memory.extents.x * memory.element_bytes}, peer, tag});
    const auto copies = [memory, receives](Queue& queue, void* buffer) {
      return comm::bind_copies(queue, memory, {{{}, memory.extents}}, buffer, receives);
    };
    const char* const what = "the messages of a gradient over ranks";
    receives ? phase.unpack(what, copies) : phase.pack(what, copies);
  };
  // Where both are one rank, what one side sends the other receives.
  add(0, low, 0, false);
  add(1, high, 1, false);
  add(2, low, 1, true);
  add(3, high, 0, true);
  return phase;
}

} // namespace

Messages::Messages(nb::tuple arrays, int low, int high)
    : kept_(arrays), arrays_(look(std::move(arrays))) {
  const OthersMayRun others_may_run;
  turn_ = &queue_of(arrays_.device, arrays_.stream);
  const std::lock_guard in_turn(turn_->guard);
  const Unforkable unforkable;
  transfer_ = comm::Transfer({comm::world(), turn_->queue}, phase_of(arrays_, low, high));
}

void Messages::run() {
  const OthersMayRun others_may_run;
  const std::lock_guard in_turn(turn_->guard);
  const Unforkable unforkable;
  transfer_.run();
  if (!turn_->queue.device().is_gpu()) turn_->queue.wait();
}

void add_messages(nb::module_& m) {
  nb::class_<Messages>(m, "Messages")
      .def(nb::init<nb::tuple, int, int>(), "arrays"_a, "low"_a, "high"_a)
      .def("run", &Messages::run);
}

} // namespace ridge::python
