#include <ridge/device/backend.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/device/generate.hpp>

namespace ridge {

template <class T>
void fill_random(Queue& queue, const Span<T>& field, std::uint64_t seed) {
  on_kind_of(queue.device(),
             [&]<class Target>(Target) { Generator<T, Target>::random(queue, field, seed); });
}

template void fill_random(Queue&, const Span<float>&, std::uint64_t);
template void fill_random(Queue&, const Span<double>&, std::uint64_t);

void fill_bytes(Queue& queue, void* memory, unsigned char byte, Bytes size) {
  queue.device().backend().fill(queue.native(), memory, byte, static_cast<std::size_t>(size.value));
}

} // namespace ridge
