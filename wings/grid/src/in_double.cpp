#include <ridge/grid/in_double.hpp>

#include <algorithm>
#include <vector>

namespace ridge::solve::detail {

namespace {

/// Calls `use(offset in the view, offset in a packed array)` for its rows.
template <class T, class Use>
void each_row(const View<T>& view, const Use& use) {
  const Index3 n = view.extents;
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y)
      use(view.at(0, y, z), n.x * (y + n.y * z));
  }
}

} // namespace

Field<double> widened(Queue& queue, const View<const float>& from) {
  const Index3 n = from.extents;
  Field<double> to(queue.device(), Extents{n.x, n.y, n.z}, "a field in double");
  std::vector<float> all(static_cast<std::size_t>(to.count()));
  each_row(from, [&](Index there, Index here) {
    copy_to_host(queue, all.data() + here, from.data + there, n.x);
  });
  queue.wait();
  const std::vector<double> wide(all.begin(), all.end());
  copy_to_device(queue, to.data(), wide.data(), to.count());
  queue.wait();
  return to;
}

void narrow(Queue& queue, const Field<double>& from, const View<float>& to) {
  std::vector<double> wide(static_cast<std::size_t>(from.count()));
  copy_to_host(queue, wide.data(), from.data(), from.count());
  queue.wait();
  std::vector<float> all(wide.size());
  std::transform(wide.begin(), wide.end(), all.begin(),
                 [](double value) { return static_cast<float>(value); });
  each_row(to, [&](Index there, Index here) {
    copy_to_device(queue, to.data + there, all.data() + here, to.extents.x);
  });
  queue.wait();
}

GridOptions rest_of(const GridOptions& options, const GridSolution& first) {
  GridOptions rest = options;
  rest.full = true; // what was found before may be far off
  if (options.most_cycles) rest.most_cycles = std::max(0, *options.most_cycles - first.cycles);
  if (options.progress) {
    rest.progress = [&options, before = first.cycles](int cycle, double residual) {
      return options.progress(before + cycle, residual);
    };
  }
  return rest;
}

GridSolution joined(const GridSolution& first, GridSolution then) {
  const int cycles = first.cycles + then.cycles;
  if (cycles > 0)
    then.cycle_bytes = (first.cycle_bytes * first.cycles + then.cycle_bytes * then.cycles) / cycles;
  then.cycles = cycles;
  then.residuals.erase(then.residuals.begin()); // of where it began
  then.residuals.insert(then.residuals.begin(), first.residuals.begin(), first.residuals.end());
  then.seconds.value += first.seconds.value;
  then.in_double = true;
  return then;
}

} // namespace ridge::solve::detail
