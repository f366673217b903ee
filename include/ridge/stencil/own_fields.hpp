// Fields of random numbers for benchmarks, also of those that are stored in 16 bits.
#pragma once

#include <ridge/core/halves.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/stencil/case.hpp>
#include <ridge/stencil/strides.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge::stencil {

/// A field's numbers of 16 bits: rounded ones, or halves of numbers in fp32.
enum class Numbers { rounded, high, low };

/// Fills a field with numbers of [-1, 1): those of the device, or of a period that no row has.
template <class T>
void fill_numbers(Queue& queue, const Span<T>& field, int input, Numbers numbers) {
  const auto seed = static_cast<std::uint64_t>(input) + 1;
  if constexpr (is_stored<T>) {
    constexpr Index period = 262139;
    std::vector<T> all;
    for (Index i = 0; i < std::min(period, field.size); ++i) {
      const auto number = static_cast<float>(random_value(seed, i));
      all.push_back(numbers == Numbers::rounded ? rounded_to<T>(number)
                                                : half_of<T>(number, numbers == Numbers::high));
    }
    for (Index at = 0; at < field.size; at += period)
      copy_to_device(queue, field.data + at, all.data(), std::min(period, field.size - at));
    queue.wait();
  } else {
    fill_random(queue, field, seed);
  }
}

/// An application of a kernel to random fields, on a queue of their own, rows and planes as far
/// apart as the device likes. Inputs whose bits `wide` has are halves of numbers, as those of
/// Stored<K, wide>.
template <class T>
struct [[gnu::visibility("hidden")]] OwnFields {
  OwnFields(const std::string& name, std::shared_ptr<const CheckedKernel<T>> kernel,
            const Device& device, Index3 extents, unsigned wide)
      : queue(device) {
    const Traits& traits = kernel->traits();
    const Strides strides = spread(device, traits, extents, Strides::packed(extents));
    const Extents held{strides.plane * extents.z};
    const auto view = [&](const Field<T>& field) {
      return View<T>(field.data(), extents, strides.row, strides.plane);
    };
    const auto add = [&](int i, Numbers numbers) {
      inputs.emplace_back(device, held, "input " + std::to_string(i) + " of " + name);
      fill_numbers(queue, inputs.back().elements(), i, numbers);
      call.in.push_back(view(inputs.back()));
    };
    const int count = traits.inputs() - std::popcount(wide);
    for (int i = 0; i < count; ++i)
      add(i, (wide >> i & 1U) != 0 ? Numbers::high : Numbers::rounded);
    for (int i = 0; i < count; ++i) {
      if ((wide >> i & 1U) != 0) add(i, Numbers::low);
    }
    output = Field<T>(device, held, "the output of " + name);
    call.out = view(output);
    call.kernel = std::move(kernel);
  }

  Queue queue;
  std::vector<Field<T>> inputs;
  Field<T> output;
  AnyCall<T> call;
};

} // namespace ridge::stencil
