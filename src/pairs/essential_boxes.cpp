#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/essential_boxes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace ridge::pairs {

namespace detail {

/// As essential::Box.
template <class S>
struct HostBox {
  std::array<S, box_values> values;

  static HostBox none() {
    constexpr S most = std::numeric_limits<S>::max();
    return {{most, most, most, 0, -most, -most, -most, 0}};
  }
  [[nodiscard]] bool is_empty() const { return values[0] > values[4]; }
  void widen(const HostBox& other) {
    for (std::size_t c = 0; c < 3; ++c) {
      values[c] = std::min(values[c], other.values[c]);
      values[4 + c] = std::max(values[4 + c], other.values[4 + c]);
    }
    values[7] = std::max(values[7], other.values[7]);
  }
  /// Rounded as on every device, so that all choose the same.
  [[nodiscard]] double width() const {
    double squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double extent = static_cast<double>(values[4 + c]) - static_cast<double>(values[c]);
      squared = std::fma(extent, extent, squared);
    }
    return squared;
  }
};

/// The widest first; of equal ones the first node.
struct IsNarrower {
  bool operator()(const std::pair<double, std::size_t>& a,
                  const std::pair<double, std::size_t>& b) const {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  }
};

} // namespace detail

namespace {

template <class T>
Span<T> take(Queue& queue, Field<T>& field, Index count) {
  if (field.count() < count) {
    queue.wait(); // for what still works in the memory before
    field = {};
    field = Field<T>(queue.device(), Extents{count}, "boxes of bodies");
  }
  return {field.data(), count};
}

} // namespace

template <class S>
std::vector<S> widest_divided(const std::vector<S>& of_runs, Index most) {
  const std::size_t runs = of_runs.size() / box_values;
  const auto leaves = std::bit_ceil(runs);
  std::vector<detail::HostBox<S>> boxes(2 * leaves, detail::HostBox<S>::none());
  for (std::size_t r = 0; r < runs; ++r)
    std::copy_n(of_runs.begin() + static_cast<std::ptrdiff_t>(box_values * r), box_values,
                boxes[leaves + r].values.begin());
  for (std::size_t k = leaves; k-- > 1;) {
    boxes[k].widen(boxes[2 * k]);
    boxes[k].widen(boxes[2 * k + 1]);
  }
  std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>,
                      detail::IsNarrower>
      widest;
  std::vector<std::size_t> chosen;
  const auto take = [&](std::size_t k) {
    if (boxes[k].is_empty()) return;
    if (k >= leaves) {
      chosen.push_back(k);
    } else {
      widest.emplace(boxes[k].width(), k);
    }
  };
  take(1);
  while (!widest.empty() && chosen.size() + widest.size() < static_cast<std::size_t>(most)) {
    const std::size_t k = widest.top().second;
    widest.pop();
    take(2 * k);
    take(2 * k + 1);
  }
  for (; !widest.empty(); widest.pop())
    chosen.push_back(widest.top().second);
  // Along the curve: by their first runs.
  const auto first_run = [&](std::size_t k) {
    while (k < leaves)
      k *= 2;
    return k;
  };
  std::sort(chosen.begin(), chosen.end(),
            [&](std::size_t a, std::size_t b) { return first_run(a) < first_run(b); });
  std::vector<S> values;
  for (const std::size_t k : chosen)
    values.insert(values.end(), boxes[k].values.begin(), boxes[k].values.end());
  return values;
}

template std::vector<float> widest_divided(const std::vector<float>& of_runs, Index most);
template std::vector<double> widest_divided(const std::vector<double>& of_runs, Index most);

template <class S>
BoxChooser<S>::BoxChooser(Queue& queue)
    : queue_(queue), sorter_(queue),
      find_(offered<FindBoxes<S>>(queue.device().kind(), typeid(BoxTree<S>))) {}

template <class S>
Span<S> BoxChooser<S>::take_runs(Index runs) {
  call_.leaves = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(runs)));
  call_.boxes = take(queue_, boxes_, 2 * call_.leaves * box_values);
  return {call_.boxes.data + call_.leaves * box_values, call_.leaves * box_values};
}

template <class S>
void BoxChooser<S>::choose(Index most, Span<S> block) {
  if (facts_of(queue_.device().kind()).takes_gpu_schedules) {
    choose_on_device(most, block);
  } else {
    choose_on_host(most, block);
  }
}

template <class S>
void BoxChooser<S>::choose_on_host(Index most, Span<S> block) {
  std::vector<S> of_runs(static_cast<std::size_t>(call_.leaves * box_values));
  copy_to_host(queue_, of_runs.data(), call_.boxes.data + call_.leaves * box_values,
               call_.leaves * box_values);
  queue_.wait();
  const std::vector<S> chosen = widest_divided(of_runs, most);
  std::vector<S> values(box_values);
  values[0] = static_cast<S>(chosen.size() / box_values);
  values.insert(values.end(), chosen.begin(), chosen.end());
  copy_to_device(queue_, block.data, values.data(), static_cast<Index>(values.size()));
  queue_.wait();
}

template <class S>
void BoxChooser<S>::choose_on_device(Index most, Span<S> block) {
  const Index leaves = call_.leaves;
  call_.most = most;
  call_.chosen = block;
  for (std::size_t k = 0; k < 2; ++k) {
    (void)take(queue_, keys_[k], leaves);
    (void)take(queue_, nodes_[k], leaves);
  }
  call_.keys = keys_[0].elements();
  call_.nodes = nodes_[0].elements();
  call_.counts = take(queue_, counts_, leaves + 1);
  call_.opened = take(queue_, opened_, leaves);
  call_.firsts = take(queue_, firsts_, leaves + 1);
  call_.sources = take(queue_, sources_, leaves);
  for (Index level = leaves / 2; level >= 1; level /= 2)
    step(BoxStep::widen, level, 2 * level);
  step(BoxStep::keys, 0, 0);
  if (leaves > 1) {
    spatial::SortBuffers buffers{
        {keys_[0].data(), keys_[1].data()}, {nodes_[0].data(), nodes_[1].data()}, 0, leaves - 1};
    sorter_.sort(buffers, 0, 64);
    call_.sorted = std::as_const(nodes_[static_cast<std::size_t>(buffers.current)]).elements();
    step(BoxStep::count, 0, 0);
    sorter_.scan(counts_.data(), leaves - 1);
    step(BoxStep::open, 0, 0);
  }
  step(BoxStep::choose, 0, 0);
  sorter_.scan(firsts_.data(), leaves);
  step(BoxStep::write, 0, 0);
}

template <class S>
void BoxChooser<S>::widen(Span<const S> blocks, Span<S> wide) {
  call_.blocks = blocks;
  call_.wide = wide;
  step(BoxStep::wide, 0, blocks.size / block_values);
}

template <class S>
Bytes BoxChooser<S>::held() const {
  const auto of = [](const auto& field) {
    return field.count() * static_cast<Index>(sizeof(*field.data()));
  };
  Index sum =
      sorter_.held().value + of(boxes_) + of(counts_) + of(opened_) + of(firsts_) + of(sources_);
  for (std::size_t k = 0; k < 2; ++k)
    sum += of(keys_[k]) + of(nodes_[k]);
  return Bytes{sum};
}

template class BoxChooser<float>;
template class BoxChooser<double>;

} // namespace ridge::pairs
