// Random numbers for fields of benchmarks, also for those that are stored in 16 bits.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/queue.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ridge::lab {

/// Fills a field with numbers of [-1, 1): those of the device, or of a period that no row has.
template <class T>
void fill_numbers(Queue& queue, const Span<T>& field, std::uint64_t seed) {
  if constexpr (is_stored<T>) {
    constexpr Index period = 262139;
    std::vector<T> numbers(static_cast<std::size_t>(std::min(period, field.size)));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = rounded_to<T>(static_cast<float>(random_value(seed, static_cast<Index>(i))));
    }
    for (Index at = 0; at < field.size; at += period)
      copy_to_device(queue, field.data + at, numbers.data(), std::min(period, field.size - at));
    queue.wait();
  } else {
    fill_random(queue, field, seed);
  }
}

} // namespace ridge::lab
