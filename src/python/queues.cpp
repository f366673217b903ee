#include "queues.hpp"

#include "others_may_run.hpp"

#include <list>

namespace ridge::python {

namespace {

struct Known {
  Known(const DeviceId& id, void* s, Queue queue) : device(id), stream(s), turn(std::move(queue)) {}
  DeviceId device;
  void* stream;
  Turn turn;
};
using All = std::list<Known>;

Turn* find(All& all, const DeviceId& id, void* stream) {
  for (Known& known : all) {
    if (known.device == id && known.stream == stream) return &known.turn;
  }
  return nullptr;
}

} // namespace

Turn& queue_of(const DeviceId& id, void* stream) {
  static auto* const all = new OfThisProcess<All>;
  {
    const std::lock_guard lock(moments());
    if (Turn* const known = find(all->get(), id, stream)) return *known;
  }
  const Unforkable unforkable;
  const Device device(id);
  Queue queue = device.is_gpu() ? Queue::on_stream(device, stream) : Queue(device);
  const std::lock_guard lock(moments());
  if (Turn* const made_meanwhile = find(all->get(), id, stream)) return *made_meanwhile;
  return all->get().emplace_back(id, stream, std::move(queue)).turn;
}

} // namespace ridge::python
