// A system without the type of its numbers.
#include <ridge/chain/system/system.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>

#include "system_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ridge::chain {

namespace {

constexpr Index graph_steps = 8; ///< an even number, after which swapped arrays are in place

} // namespace

System::System(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup) {
  if (kernel.storage == "fp16") {
    parts_ = std::make_unique<SystemOf<Fp16>>(queue, kernel, setup);
  } else if (kernel.storage == "bf16") {
    parts_ = std::make_unique<SystemOf<Bf16>>(queue, kernel, setup);
  } else if (setup.element_bytes == 4) {
    parts_ = std::make_unique<SystemOf<float>>(queue, kernel, setup);
  } else {
    parts_ = std::make_unique<SystemOf<double>>(queue, kernel, setup);
  }
}
System::~System() {
  if (parts_) parts_->queue.wait();
}
System::System(System&&) noexcept = default;

Index3 System::points(int array) const {
  return parts_->layout(array).points;
}

ArrayAt System::at(int array) const {
  const ArrayLayout& l = parts_->layout(array);
  return {parts_->item(array, {}), l.row, l.plane};
}

void System::write(int array, const SystemBox& box, const void* from) {
  Parts& p = *parts_;
  if (p.kernel.is_wide(array)) write(p.kernel.low_of(array), box, from);
  const Index bytes = p.chain.element_bytes;
  const Index plane = box.extents.x * box.extents.y;
  for (Index z = 0; z < box.extents.z; ++z) {
    const std::byte* const elements = p.narrowed(
        static_cast<const std::byte*>(from) + z * plane * p.setup.element_bytes, plane, array);
    copy_rows_to_device(p.queue, p.item(array, {box.begin.x, box.begin.y, box.begin.z + z}),
                        Bytes{p.layout(array).row * bytes}, elements, Bytes{box.extents.x * bytes},
                        box.extents.y);
    if (p.narrows()) p.queue.wait(); // the next plane takes the memory
  }
  p.queue.wait();
}

void System::read(int array, const SystemBox& box, void* to) {
  Parts& p = *parts_;
  if (p.kernel.is_wide(array)) {
    throw UsageError(fmt::format("'{}' stays fp32 beside arrays of 16 bits, and is only written",
                                 p.array(array).name));
  }
  const Index bytes = p.chain.element_bytes;
  const Index plane = box.extents.x * box.extents.y;
  std::vector<std::byte> elements(static_cast<std::size_t>(p.narrows() ? plane * bytes : 0));
  for (Index z = 0; z < box.extents.z; ++z) {
    std::byte* const numbers = static_cast<std::byte*>(to) + z * plane * p.setup.element_bytes;
    copy_rows_to_host(p.queue, p.narrows() ? elements.data() : numbers,
                      p.item(array, {box.begin.x, box.begin.y, box.begin.z + z}),
                      Bytes{p.layout(array).row * bytes}, Bytes{box.extents.x * bytes},
                      box.extents.y);
    if (!p.narrows()) continue;
    p.queue.wait();
    p.widen(elements.data(), numbers, plane);
  }
  p.queue.wait();
}

Index System::beyond_range() const {
  return parts_->too_large;
}

void System::started() {
  parts_->settle();
}

void System::started(Index step) {
  Parts& p = *parts_;
  p.step = step;
  for (std::vector<double>& trace : p.traces)
    trace.resize(static_cast<std::size_t>(step - p.setup.first_step));
  p.settle();
}

Index System::odd_numbers() {
  return parts_->odd_numbers();
}

double System::fastest_flow() {
  return parts_->fastest_flow();
}
void System::follow(double dt) {
  parts_->follow(dt);
}
System::Remembered System::remembered() const {
  return parts_->remembered();
}
void System::pass_layers(int operation) {
  parts_->pass_layers(operation);
}
void System::save() {
  Parts& p = *parts_;
  p.saved_step = p.step;
  p.saved_parity = p.parity;
  p.exchange_saved(false);
}
void System::bring_back() {
  Parts& p = *parts_;
  p.queue.wait();
  p.step = p.saved_step;
  p.parity = p.saved_parity;
  p.exchange_saved(true);
}

void System::run(Index steps) {
  Parts& p = *parts_;
  const bool on_gpu = std::holds_alternative<GpuSchedule>(p.schedule);
  const bool records = !p.setup.receivers.empty() || !p.setup.sums.empty();
  while (steps > 0) {
    const Index part = records ? std::min(steps, most_traced) : steps;
    if (p.counts()) p.count_from(0);
    for (Index left = part; left > 0;) {
      if (on_gpu && p.recordable && p.ran && p.parity == 0 && left >= graph_steps) {
        if (!p.graph) {
          const Index before = p.step;
          p.graph = std::make_unique<ridge::Graph>(p.queue, [&p] {
            for (Index i = 0; i < graph_steps; ++i)
              p.give_step();
          });
          p.step = before;
        }
        const Index before = p.step;
        p.graph->launch();
        p.step = before + graph_steps;
        left -= graph_steps;
      } else {
        p.give_step();
        --left;
        p.ran = true;
      }
    }
    p.queue.wait();
    p.bring_traces(part);
    steps -= part;
  }
  p.settle();
}

void System::give_step(StepPart part) {
  Parts& p = *parts_;
  const bool records = std::holds_alternative<GpuSchedule>(p.schedule) && p.recordable;
  const int parity = p.parity;
  p.repeated.at(static_cast<std::size_t>(parity))
      .at(static_cast<std::size_t>(part))
      .run(p.queue, records, [&p, part] { p.give_step(part); });
  p.parity = part != StepPart::exchange && p.swaps() ? 1 - parity : parity;
}
System::Sent System::sent() const {
  return parts_->sent();
}

Index System::step() const {
  return parts_->step;
}

const std::vector<std::vector<double>>& System::traces() const {
  return parts_->traces;
}

const std::vector<std::vector<double>>& System::sums() const {
  return parts_->sums;
}

int System::owner_of_receiver(std::size_t receiver) const {
  const Parts& p = *parts_;
  if (!p.setup.part) return 0;
  const SystemReceiver& r = p.setup.receivers.at(receiver);
  const Index3 at = p.places(r.array, r.position, "a receiver").points.front().at;
  const comm::Grid& grid = p.setup.part->grid;
  for (int rank = 0; rank < grid.count(); ++rank) {
    const comm::Box own = grid.owned(rank);
    if (at.x >= own.begin.x && at.x < own.end.x && at.y >= own.begin.y && at.y < own.end.y &&
        at.z >= own.begin.z && at.z < own.end.z)
      return rank;
  }
  return 0;
}

Record System::record() const {
  return parts_->record();
}

double System::bytes_of_launches() const {
  const Parts& p = *parts_;
  double bytes = 0;
  for (const GroupPlan& group : p.plan.groups) {
    for (int a = 0; a < p.arrays(); ++a) {
      const Index3 n = p.layout(a).points;
      const int passes = (p.chain.read_in(group.first, group.last, a) ? 1 : 0) +
                         (p.chain.written_in(group.first, group.last, a) ? 1 : 0);
      bytes += static_cast<double>(n.x * n.y * n.z * passes * p.chain.element_bytes);
    }
  }
  return bytes;
}

} // namespace ridge::chain
