// Filling fields on their device.
#pragma once

#include <ridge/device/field.hpp>

#include <cstdint>

namespace ridge {

/// Sets element i to `random_value(seed, i)`: the same numbers on every device. T is float or
/// double.
template <class T>
void fill_random(Queue& queue, const Span<T>& field, std::uint64_t seed);

/// Sets every byte: 0xff makes every float and double a NaN, which shows what was never written.
void fill_bytes(Queue& queue, void* memory, unsigned char byte, Bytes size);

/// Names what each kind's module offers for fill_random: `void(Queue&, const Span<T>&,
/// std::uint64_t)`.
template <class T>
struct RandomFiller;

} // namespace ridge
