#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/over_ranks.hpp>

#include <array>
#include <vector>

namespace ridge::lattice {

namespace {

constexpr int words = BinnedSum<double>::words;
using Words = std::array<double, words>;

BinnedSum<double> accumulator(const double* from) {
  BinnedSum<double> made;
  for (int k = 0; k < words; ++k)
    made.w[k] = from[k];
  return made;
}

/// What this rank's box adds.
template <class T>
BinnedSum<double> sum_here(Queue& queue, BoxSum<T> s) {
  static_assert(BoxSum<T>::words == words);
  BinnedSum<double> total;
  total.clear();
  const Index3 n = s.x.extents;
  if (n.x * n.y * n.z == 0) return total;
  constexpr Index count = Index{BoxSum<T>::parts} * words;
  s.result = {static_cast<double*>(queue.scratch(Bytes{count * 8})), count};
  using Sum = void(Queue&, const BoxSum<T>&);
  offered<Sum>(queue.device().kind(), typeid(BoxSummer<T>*))(queue, s);
  std::vector<double> parts(count);
  copy_to_host(queue, parts.data(), s.result.data, count);
  queue.wait();
  for (Index at = 0; at < count; at += words)
    total.merge(accumulator(parts.data() + at));
  return total;
}

template <class T>
double over_ranks(comm::Communicator& ranks, Queue& queue, const BoxSum<T>& s) {
  const BinnedSum<double> mine = sum_here(queue, s);
  Words sent;
  std::copy(mine.w, mine.w + words, sent.begin());
  BinnedSum<double> total;
  total.clear();
  for (const Words& part : ranks.gather(sent))
    total.merge(accumulator(part.data()));
  return total.value();
}

} // namespace

template <class T>
double sum(comm::Communicator& ranks, Queue& queue, const View<const T>& x) {
  return over_ranks(ranks, queue, BoxSum<T>{x, x, false, {}});
}
template <class T>
double norm2(comm::Communicator& ranks, Queue& queue, const View<const T>& x) {
  return over_ranks(ranks, queue, BoxSum<T>{x, x, true, {}});
}
template <class T>
double inner_product(comm::Communicator& ranks, Queue& queue, const View<const T>& x,
                     const View<const T>& y) {
  if (!(x.extents == y.extents))
    throw UsageError("an inner product takes two boxes of the same extents");
  return over_ranks(ranks, queue, BoxSum<T>{x, y, true, {}});
}

template double sum(comm::Communicator&, Queue&, const View<const float>&);
template double sum(comm::Communicator&, Queue&, const View<const double>&);
template double norm2(comm::Communicator&, Queue&, const View<const float>&);
template double norm2(comm::Communicator&, Queue&, const View<const double>&);
template double inner_product(comm::Communicator&, Queue&, const View<const float>&,
                              const View<const float>&);
template double inner_product(comm::Communicator&, Queue&, const View<const double>&,
                              const View<const double>&);

} // namespace ridge::lattice
