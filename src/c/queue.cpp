// Devices and queues.
#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/device.hpp>

#include "../core/refuse.hpp"
#include "handles.hpp"

#include <fmt/format.h>

namespace ridge::c {

namespace {

void check_version(int version) {
  if (version >= 1 && version <= RIDGE_C_VERSION) return;
  throw Refused(RIDGE_BAD_VERSION,
                fmt::format("the program was compiled with ridge.h of version {}, and the library "
                            "has versions 1 to {}; install one Ridge and compile again",
                            version, RIDGE_C_VERSION));
}

template <class Open>
void open(const char* device, ridge_queue* queue, const Open& make) {
  require(device, "device");
  require(queue, "queue");
  static const bool is_guest = (cpu::be_a_guest(), true);
  static_cast<void>(is_guest);
  const lab::Unforkable unforkable;
  const Device on(std::string_view(device) == "auto" ? best_device() : parse_device(device));
  *queue = add(std::make_shared<QueueObject>(make(on)));
}

} // namespace

extern "C" {

int ridge_devices(char* text, size_t size, size_t* length) {
  return call("ridge_devices", [&] {
    std::string all;
    for (const DeviceId& id : list_devices())
      all += to_text(id) + "\n";
    TextOut{text, size, length}.give(all);
  });
}

int ridge_queue_open_version(int version, const char* device, ridge_queue* queue) {
  return call("ridge_queue_open", [&] {
    check_version(version);
    open(device, queue, [](const Device& on) { return Queue(on); });
  });
}

int ridge_queue_on_stream_version(int version, const char* device, void* stream,
                                  ridge_queue* queue) {
  return call("ridge_queue_on_stream", [&] {
    check_version(version);
    open(device, queue, [&](const Device& on) {
      refuse_if(!on.is_gpu() && stream != nullptr, "{} has no streams; a null stream is right",
                to_text(on.id()));
      return on.is_gpu() ? Queue::on_stream(on, stream) : Queue(on);
    });
  });
}

int ridge_queue_wait(ridge_queue queue) {
  return call("ridge_queue_wait", [&] {
    const auto q = find<QueueObject>(queue);
    const OnQueue turn(*q, "call");
    q->queue.wait();
  });
}

int ridge_queue_device(ridge_queue queue, char* text, size_t size, size_t* length) {
  return call("ridge_queue_device", [&] {
    TextOut{text, size, length}.give(to_text(find<QueueObject>(queue)->queue.device().id()));
  });
}

int ridge_queue_free(ridge_queue queue) {
  if (queue == nullptr) return RIDGE_OK;
  return call("ridge_queue_free", [&] {
    const auto q = take<QueueObject>(queue);
    const OnQueue turn(*q, "call");
    q->freed = true;
    q->queue.wait();
  });
}

} // extern "C"

} // namespace ridge::c
