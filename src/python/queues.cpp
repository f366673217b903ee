#include "queues.hpp"

#include <ridge/device/recording.hpp>

#include "others_may_run.hpp"

#include <cstdint>
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

namespace {
struct KnownRecording {
  DeviceId device;
  void* stream; ///< one of those that record the graph: what they are given may run side by side
  std::uint64_t number;
  std::weak_ptr<Recording> recording;
};
} // namespace

std::shared_ptr<Recording> recording_on(const Turn& turn) {
  const Queue& queue = turn.queue;
  if (!queue.device().is_gpu()) return nullptr;
  const std::uint64_t number = recording_of(queue);
  if (number == 0) return nullptr;
  static auto* const all = new std::list<KnownRecording>;
  static auto* const guard = new std::mutex;
  const std::lock_guard lock(*guard);
  all->remove_if([](const KnownRecording& known) { return known.recording.expired(); });
  for (const KnownRecording& known : *all) {
    if (known.device != queue.device().id() || known.stream != queue.native()) continue;
    if (known.number != number) continue;
    if (auto recording = known.recording.lock()) return recording;
  }
  auto made = std::make_shared<Recording>(Queue::on_stream(queue.device(), queue.native()));
  keep_with_recording(queue, made);
  all->push_back({queue.device().id(), queue.native(), number, made});
  return made;
}

} // namespace ridge::python
