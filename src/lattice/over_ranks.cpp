#include <ridge/core/error.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/over_ranks.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include <vector>

namespace ridge::lattice {

namespace {

constexpr int words = BinnedSum<double>::words;

BinnedSum<double> accumulator(const double* from) {
  BinnedSum<double> made;
  for (int k = 0; k < words; ++k)
    made.w[k] = from[k];
  return made;
}

/// What this rank adds: the partial sums that the device's module makes.
template <class Summer, class Call>
BinnedSum<double> sum_here(Queue& queue, Call call) {
  static_assert(BoxSum<double>::words == words);
  constexpr Index count = Index{BoxSum<double>::parts} * words;
  call.result = {static_cast<double*>(queue.scratch(Bytes{count * 8})), count};
  using Sum = void(Queue&, const Call&);
  offered<Sum>(queue.device().kind(), typeid(Summer*))(queue, call);
  std::vector<double> parts(count);
  copy_to_host(queue, parts.data(), call.result.data, count);
  queue.wait();
  BinnedSum<double> total;
  total.clear();
  for (Index at = 0; at < count; at += words)
    total.merge(accumulator(parts.data() + at));
  return total;
}

/// Of sums of this rank those of all, in one message of each.
std::vector<double> over_ranks(comm::Communicator& ranks,
                               const std::vector<BinnedSum<double>>& mine) {
  std::vector<double> sent;
  for (const BinnedSum<double>& sum : mine)
    sent.insert(sent.end(), sum.w, sum.w + words);
  std::vector<double> all(sent.size() * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(sent.data(), sent.size() * sizeof(double), all.data());
  std::vector<double> values;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    BinnedSum<double> total;
    total.clear();
    for (std::size_t at = i * words; at < all.size(); at += sent.size())
      total.merge(accumulator(all.data() + at));
    values.push_back(total.value());
  }
  return values;
}

template <class T>
double over_ranks(comm::Communicator& ranks, Queue& queue, const BoxSum<T>& s) {
  BinnedSum<double> mine;
  mine.clear();
  const Index3 n = s.x.extents;
  if (n.x * n.y * n.z > 0) mine = sum_here<BoxSummer<T>>(queue, s);
  return over_ranks(ranks, {mine})[0];
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

template <class T>
std::vector<double> detail::site_sums(comm::Communicator& ranks, Queue& queue,
                                      const std::vector<SiteSum<T>>& sums) {
  std::vector<BinnedSum<double>> mine;
  for (const SiteSum<T>& sum : sums)
    mine.push_back(sum_here<SiteSummer<T>>(queue, sum));
  return over_ranks(ranks, mine);
}

template std::vector<double> detail::site_sums(comm::Communicator&, Queue&,
                                               const std::vector<SiteSum<float>>&);
template std::vector<double> detail::site_sums(comm::Communicator&, Queue&,
                                               const std::vector<SiteSum<double>>&);
template double sum(comm::Communicator&, Queue&, const View<const float>&);
template double sum(comm::Communicator&, Queue&, const View<const double>&);
template double norm2(comm::Communicator&, Queue&, const View<const float>&);
template double norm2(comm::Communicator&, Queue&, const View<const double>&);
template double inner_product(comm::Communicator&, Queue&, const View<const float>&,
                              const View<const float>&);
template double inner_product(comm::Communicator&, Queue&, const View<const double>&,
                              const View<const double>&);

} // namespace ridge::lattice
