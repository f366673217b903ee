#include "stored_fields.hpp"

#include <ridge/core/stored.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ridge::app {

namespace {

constexpr Index piece = Index{1} << 22; ///< numbers that are converted at once, on the host

/// Calls f(begin, count, numbers, stored) for each piece, with memory for it in both forms.
template <class S, class F>
void in_pieces(Index count, const F& f) {
  std::vector<float> numbers(static_cast<std::size_t>(std::min(piece, count)));
  std::vector<S> stored(numbers.size());
  for (Index begin = 0; begin < count; begin += piece)
    f(begin, std::min(piece, count - begin), numbers.data(), stored.data());
}

template <class S>
Index narrow(Queue& queue, const float* from, S* to, Index count, Index& infinite) {
  Index beyond = 0;
  in_pieces<S>(count, [&](Index begin, Index n, float* numbers, S* stored) {
    copy_to_host(queue, numbers, from + begin, n);
    queue.wait();
    for (Index i = 0; i < n; ++i) {
      stored[i] = rounded_to<S>(numbers[i]);
      if (std::isinf(widened(stored[i]))) ++(std::isinf(numbers[i]) ? infinite : beyond);
    }
    copy_to_device(queue, to + begin, stored, n);
    queue.wait();
  });
  infinite += beyond;
  return beyond;
}

template <class S>
Index widen_all(Queue& queue, const S* from, float* to, Index count) {
  Index infinite = 0;
  in_pieces<S>(count, [&](Index begin, Index n, float* numbers, S* stored) {
    copy_to_host(queue, stored, from + begin, n);
    queue.wait();
    for (Index i = 0; i < n; ++i) {
      numbers[i] = widened(stored[i]);
      infinite += std::isinf(numbers[i]) ? 1 : 0;
    }
    copy_to_device(queue, to + begin, numbers, n);
    queue.wait();
  });
  return infinite;
}

} // namespace

Index narrow_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                     Index count) {
  Index infinite = 0;
  const auto* const numbers = static_cast<const float*>(from);
  return storage == "fp16" ? narrow(queue, numbers, static_cast<Fp16*>(to), count, infinite)
                           : narrow(queue, numbers, static_cast<Bf16*>(to), count, infinite);
}

void widen_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                   Index count) {
  auto* const numbers = static_cast<float*>(to);
  storage == "fp16" ? widen_all(queue, static_cast<const Fp16*>(from), numbers, count)
                    : widen_all(queue, static_cast<const Bf16*>(from), numbers, count);
}

StoredFields::StoredFields(Queue& queue, std::string storage, Index count)
    : queue_(queue), storage_(std::move(storage)), count_(count) {
  const Bytes bytes{count * static_cast<Index>(sizeof(Fp16))};
  in_ = Memory(queue.device(), bytes, "the input in 16 bits");
  out_ = Memory(queue.device(), bytes, "the output in 16 bits");
  fill_bytes(queue, out_.data(), 0, bytes);
}

void StoredFields::take(const void* numbers) {
  const auto* const from = static_cast<const float*>(numbers);
  const Index beyond =
      storage_ == "fp16" ? narrow(queue_, from, static_cast<Fp16*>(in_.data()), count_, infinite_)
                         : narrow(queue_, from, static_cast<Bf16*>(in_.data()), count_, infinite_);
  if (beyond > 0) {
    fmt::print(stderr,
               "ridge: {} values of the input are beyond the range of {} and count as infinite\n",
               beyond, storage_);
  }
}

void StoredFields::give(void* numbers) {
  auto* const to = static_cast<float*>(numbers);
  const Index infinite = storage_ == "fp16"
                             ? widen_all(queue_, static_cast<const Fp16*>(out_.data()), to, count_)
                             : widen_all(queue_, static_cast<const Bf16*>(out_.data()), to, count_);
  if (infinite > 0 && infinite_ == 0) {
    fmt::print(stderr, "ridge: {} values of the result are beyond the range of {}, infinite\n",
               infinite, storage_);
  }
}

} // namespace ridge::app
