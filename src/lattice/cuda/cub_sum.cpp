// Compiled for CUDA only.
#include "../cub_sum.hpp"

#include <ridge/device/gpu/native.hpp>
#include <ridge/device/offer.hpp>

#include <cub/device/device_reduce.cuh>

namespace ridge::lattice {

namespace {

template <class T>
void launch(const CubSum<T>& call, void* temporary, std::size_t& bytes, gpu::Stream stream) {
  gpu::check(cub::DeviceReduce::Sum(temporary, bytes, call.values.data, call.result.data,
                                    call.values.size, stream),
             "cub::DeviceReduce::Sum");
}

template <class T>
Bound bind(Queue& queue, const CubSum<T>& call) {
  const auto stream = static_cast<gpu::Stream>(queue.native());
  std::size_t bytes = 0;
  launch(call, nullptr, bytes, stream);
  Memory temporary(queue.device(), Bytes{static_cast<Index>(bytes)}, "the yardstick");
  return Bound([call, bytes, stream, temporary = std::move(temporary)]() mutable {
    launch(call, temporary.data(), bytes, stream);
  });
}

const Offer of_floats(DeviceKind::cuda, typeid(CubSum<float>), &bind<float>);
const Offer of_doubles(DeviceKind::cuda, typeid(CubSum<double>), &bind<double>);

} // namespace

} // namespace ridge::lattice
