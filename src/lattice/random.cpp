#include <ridge/device/offer.hpp>
#include <ridge/lattice/random.hpp>

namespace ridge::lattice {

template <class T>
void fill_random(Queue& queue, const RandomCall<T>& call) {
  offered<RandomFill<T>>(queue.device().kind(), typeid(RandomCall<T>))(queue, call);
}

template void fill_random(Queue&, const RandomCall<float>&);
template void fill_random(Queue&, const RandomCall<double>&);

} // namespace ridge::lattice
