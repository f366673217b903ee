#include <ridge/device/backend.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>

namespace ridge {

template <class T>
void fill_random(Queue& queue, const Span<T>& field, std::uint64_t seed) {
  using Fill = void(Queue&, const Span<T>&, std::uint64_t);
  offered<Fill>(queue.device().kind(), typeid(RandomFiller<T>*))(queue, field, seed);
}

template void fill_random(Queue&, const Span<float>&, std::uint64_t);
template void fill_random(Queue&, const Span<double>&, std::uint64_t);

void fill_bytes(Queue& queue, void* memory, unsigned char byte, Bytes size) {
  queue.device().backend().fill(queue.native(), memory, byte, static_cast<std::size_t>(size.value));
}

} // namespace ridge
