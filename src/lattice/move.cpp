#include <ridge/core/error.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/lattice/move.hpp>

namespace ridge::lattice {

template <class T>
void cshift(Queue& queue, const ShiftCall<T>& call) {
  if (call.x.data == call.z.data) {
    throw UsageError("cshift of a field into itself: give it another field for the result");
  }
  on_kind_of(queue.device(), [&]<class Target>(Target) { Mover<T, Target>::shift(queue, call); });
}

template <class T>
void fill_random(Queue& queue, const RandomCall<T>& call) {
  on_kind_of(queue.device(), [&]<class Target>(Target) { Mover<T, Target>::random(queue, call); });
}

template void cshift(Queue&, const ShiftCall<float>&);
template void cshift(Queue&, const ShiftCall<double>&);
template void fill_random(Queue&, const RandomCall<float>&);
template void fill_random(Queue&, const RandomCall<double>&);

} // namespace ridge::lattice
