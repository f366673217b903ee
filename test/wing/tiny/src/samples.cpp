#include "samples.hpp"

#include <ridge/device/offer.hpp>
#include <ridge/tiny/decay.hpp>

namespace ridge::tiny {

std::vector<double> left_after(const Device& device, std::vector<double> samples, double share,
                               Index steps) {
  Queue queue(device);
  const auto count = static_cast<Index>(samples.size());
  const Field<double> left(device, Extents{count});
  copy_to_device(queue, left.data(), samples.data(), count);
  auto* const decay = offered<DecayOnce>(device.kind(), typeid(Decay));
  for (Index step = 0; step < steps; ++step)
    decay(queue, {left.elements(), share});
  copy_to_host(queue, samples.data(), left.data(), count);
  queue.wait();
  return samples;
}

} // namespace ridge::tiny
