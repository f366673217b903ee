// GPUs, as the modules of their kinds offer them.
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/offer.hpp>

#include <numeric>

namespace ridge {

namespace {

int count_gpus(DeviceKind kind) {
  auto* const count = reinterpret_cast<int (*)()>(find_offer(kind, typeid(CountGpus*)));
  return count == nullptr ? 0 : count();
}

} // namespace

std::vector<int> gpus_of(DeviceKind kind) {
  std::vector<int> numbers(static_cast<std::size_t>(count_gpus(kind)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::shared_ptr<Backend> open_gpu(DeviceId id) {
  if (id.number >= count_gpus(id.kind)) return nullptr;
  return offered<std::shared_ptr<Backend>(int)>(id.kind, typeid(OpenGpu*))(id.number);
}

} // namespace ridge
