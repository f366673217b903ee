#include <ridge/device/field.hpp>
#include <ridge/pairs/lists/count.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include <vector>

namespace ridge::pairs {

template <class T>
Index count_interactions(const Lists<T>& lists) {
  using P = std::conditional_t<std::is_same_v<T, float>, Fp32, Fp64>;
  Queue& queue = lists.queue();
  const Index bodies = lists.positions()[0].size;
  const Field<T> counts(queue.device(), Extents{bodies}, "counts of near bodies");
  const double cutoff = lists.options().cutoff;
  const auto call =
      among_themselves<CountNear, P>({cutoff * cutoff}, lists.positions(), {counts.elements()});
  const Program program(queue, within(lists, call), "count");
  program.run();
  std::vector<T> host(static_cast<std::size_t>(bodies));
  copy_to_host(queue, host.data(), static_cast<const T*>(counts.data()), bodies);
  queue.wait();
  double all = 0;
  for (const T count : host)
    all += static_cast<double>(count);
  return static_cast<Index>(all);
}

template Index count_interactions<float>(const Lists<float>&);
template Index count_interactions<double>(const Lists<double>&);

} // namespace ridge::pairs
