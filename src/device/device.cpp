#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/cpu/backend.hpp>
#include <ridge/device/device.hpp>
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/simt/backend.hpp>

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace ridge {

namespace {

std::string names_here() {
  std::string names;
  for (const DeviceId id : list_devices())
    names += (names.empty() ? "" : ", ") + to_text(id);
  return names;
}

/// GPUs of a kind that this build has a module for.
int count_gpus(DeviceKind kind) {
  auto* const count = reinterpret_cast<int (*)()>(find_offer(kind, typeid(CountGpus*)));
  return count == nullptr ? 0 : count();
}

std::shared_ptr<Backend> open_gpu(DeviceId id) {
  if (id.number >= count_gpus(id.kind)) return nullptr;
  return offered<std::shared_ptr<Backend>(int)>(id.kind, typeid(OpenGpu*))(id.number);
}

std::shared_ptr<Backend> open(DeviceId id) {
  switch (id.kind) {
  case DeviceKind::cpu:
    return open_cpu();
  case DeviceKind::simt:
    return open_simt(id.number);
  case DeviceKind::cuda:
  case DeviceKind::hip:
    return open_gpu(id);
  }
  return nullptr;
}

} // namespace

std::string to_text(DeviceId id) {
  switch (id.kind) {
  case DeviceKind::cpu:
    return "cpu";
  case DeviceKind::simt:
    return fmt::format("simt:{}", id.number);
  case DeviceKind::cuda:
    return fmt::format("cuda:{}", id.number);
  case DeviceKind::hip:
    return fmt::format("hip:{}", id.number);
  }
  return "?";
}

bool stalls_between_pages(const DeviceFacts& facts) {
  return facts.name.find("Intel") != std::string::npos;
}

DeviceId parse_device(std::string_view text) {
  if (text == "cpu") return {DeviceKind::cpu, 0};
  const auto colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  int number = 0;
  bool numbered = colon == std::string_view::npos && (kind == "cuda" || kind == "hip");
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    numbered = status == std::errc{} && end == digits.data() + digits.size() && number >= 0;
  }
  if (numbered && kind == "cuda") return {DeviceKind::cuda, number};
  if (numbered && kind == "hip") return {DeviceKind::hip, number};
  if (numbered && kind == "simt" && (number == 32 || number == 64)) {
    return {DeviceKind::simt, number};
  }
  throw UsageError(fmt::format("unknown device '{}'; a device is {}; here are {}", text,
                               device_forms, names_here()));
}

Device::Device(DeviceId id) : backend_(open(id)) {
  if (!backend_) {
    throw UsageError(
        fmt::format("there is no device {} here; here are {}", to_text(id), names_here()));
  }
}

DeviceId Device::id() const {
  return backend_->id();
}
const DeviceFacts& Device::facts() const {
  return backend_->facts();
}
Bytes Device::free_memory() const {
  return backend_->free_memory();
}

std::vector<DeviceId> list_devices() {
  std::vector<DeviceId> here;
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::hip}) {
    for (int n = 0; n < count_gpus(kind); ++n)
      here.push_back({kind, n});
  }
  here.push_back({DeviceKind::cpu, 0});
  here.push_back({DeviceKind::simt, 32});
  here.push_back({DeviceKind::simt, 64});
  return here;
}

DeviceId best_device() {
  return list_devices().front();
}

std::shared_ptr<KernelImage> Backend::load_image(const void* /*image*/) {
  return nullptr;
}

} // namespace ridge
