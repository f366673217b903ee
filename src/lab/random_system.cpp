#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/kernels/chain_system.hpp>

#include <algorithm>

namespace ridge::lab {

RandomNumbers::RandomNumbers(double centre, double amplitude, int array)
    : centre_(centre), amplitude_(amplitude), first_(array * Index{7919}) {}

const std::vector<double>& RandomNumbers::numbers() {
  static const std::vector<double> all = [] {
    std::vector<double> made(static_cast<std::size_t>(period));
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = random_value(1, static_cast<std::int64_t>(i));
    return made;
  }();
  return all;
}

void RandomNumbers::fill(Queue& queue, void* memory, Index elements, int element_bytes) const {
  const auto put = [&]<class T>(T) {
    std::vector<T> values(static_cast<std::size_t>(std::min(period, elements)));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(at(static_cast<Index>(i)));
    for (Index begin = 0; begin < elements; begin += period) {
      copy_to_device(queue, static_cast<T*>(memory) + begin, values.data(),
                     std::min(period, elements - begin));
    }
    queue.wait();
  };
  if (element_bytes == 4) {
    put(float{});
  } else {
    put(double{});
  }
}

} // namespace ridge::lab
