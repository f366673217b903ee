// Building lists of near pairs on GPUs.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>

#include "find.hpp"
#include "scan.hpp"
#include "sort.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

template <class T>
class Engine final : public ListEngine<T> {
public:
  Engine(Queue& queue, const Positions<T>& positions, const ListOptions& options)
      : queue_(queue), positions_(positions), options_(options), count_(positions[0].size),
        flag_(queue.device(), Extents{1}, "flag of lists") {
    ListData& data = this->data_;
    // Fewer are as fast or faster with one for a thread, on an H100.
    constexpr Index many = Index{1} << 22;
    data.share = options.share != 0 ? options.share : count_ < many ? 1 : 2;
    if (data.share != 1 && data.share != 2)
      throw UsageError("share: one or two bodies of a GPU's thread have one list");
    data.bodies = count_;
    data.cutoff = options.cutoff;
    data.length = options.box.length;
    for (auto& values : built_)
      values = Field<T>(queue.device(), Extents{count_}, "positions of lists");
    fill_bytes(queue_, flag_.data(), 0, Bytes{sizeof(unsigned)});
  }

  [[nodiscard]] bool has_moved() override {
    const double limit = options_.skin / 2;
    launch_items(
        queue_, count_,
        FindMoved<T>{positions_, built(), static_cast<T>(limit * limit), flag_.elements()});
    return read_flag() != 0;
  }

  void build() override {
    build_from(positions_);
    for (std::size_t a = 0; a < 3; ++a)
      copy_bytes_on_device(queue_, built_[a].data(), positions_[a].data,
                           Bytes{count_ * static_cast<Index>(sizeof(T))});
  }
  void build_of(const Positions<T>& positions) override {
    build_from(positions);
    for (std::size_t a = 0; a < 3; ++a)
      copy_bytes_on_device(queue_, built_[a].data(), positions[a].data,
                           Bytes{count_ * static_cast<Index>(sizeof(T))});
  }

  [[nodiscard]] Positions<T> built() const override {
    return {built_[0].elements(), built_[1].elements(), built_[2].elements()};
  }

private:
  [[nodiscard]] unsigned read_flag() {
    const unsigned value = read(flag_.data());
    if (value != 0) fill_bytes(queue_, flag_.data(), 0, Bytes{sizeof(unsigned)});
    return value;
  }
  [[nodiscard]] unsigned read(const unsigned* from) {
    unsigned value = 0;
    copy_to_host(queue_, &value, from, 1);
    queue_.wait();
    return value;
  }

  void build_from(const Positions<T>& positions) {
    const Grid grid = detail::grid_for(options_, count_, bounds_of(positions));
    sort(grid, positions);
    if (this->data_.share == 1) {
      find<1>(grid);
    } else {
      find<2>(grid);
    }
    ListData& data = this->data_;
    ++data.builds;
    data.bytes = begins_.bytes() + slots_.bytes() + placed_.bytes() + entries_.bytes() +
                 rows_.bytes() + 3 * count_ * static_cast<Index>(sizeof(T));
  }

  /// Of bodies along open axes.
  [[nodiscard]] detail::Bounds bounds_of(const Positions<T>& positions) {
    detail::Bounds bounds{};
    if (options_.box.length[0] > 0 && options_.box.length[1] > 0 && options_.box.length[2] > 0)
      return bounds;
    constexpr int blocks = FindBounds<T>::blocks;
    const Span<T> found = bounds_.of(queue_.device(), 6 * blocks, "bounds of bodies");
    launch_body(queue_,
                {{blocks, 1, 1}, {item_threads, 1, 1}, item_threads * static_cast<int>(sizeof(T))},
                FindBounds<T>{positions, found});
    std::vector<T> host(6 * blocks);
    copy_to_host(queue_, host.data(), static_cast<const T*>(found.data), found.size);
    queue_.wait();
    for (std::size_t a = 0; a < 3; ++a) {
      double low = host[a];
      double high = host[3 + a];
      for (std::size_t b = 1; b < blocks; ++b) {
        low = std::min<double>(low, host[6 * b + a]);
        high = std::max<double>(high, host[6 * b + 3 + a]);
      }
      if (!std::isfinite(low) || !std::isfinite(high))
        detail::refuse_positions<T>(queue_, positions, options_);
      bounds.low[a] = low;
      bounds.high[a] = high;
    }
    return bounds;
  }

  /// Bodies and images along the curve of cells.
  void sort(const Grid& grid, const Positions<T>& positions) {
    const Device& device = queue_.device();
    const Index cells = grid.all;
    const auto begins = begins_.of(device, cells + 1, "cells of lists");
    clear(begins);
    launch_items(queue_, count_, CountInCells<T>{grid, positions, begins, flag_.elements()});
    scan(queue_, begins, sums_);
    const Index slots = read(begins.data + cells);
    if (read_flag() != 0) detail::refuse_positions<T>(queue_, positions, options_);
    detail::require_countable(slots, "bodies and images");
    const auto taken = taken_.of(device, cells, "cells of lists");
    clear(taken);
    const auto all = slots_.of(device, 5 * slots, "slots of lists", true);
    const auto part = [&](Index n) { return Span<unsigned>{all.data + n * slots, slots}; };
    const Span<unsigned> body = part(0);
    const Span<unsigned> shift = part(1);
    launch_items(queue_, count_,
                 TakeSlots<T>{grid, positions, begins, taken, part(2), part(3), part(4)});
    launch_items(queue_, slots, RankInCells{begins, part(2), part(3), part(4), body, shift});
    const auto placed = placed_.of(device, 4 * slots, "positions of slots", true);
    launch_items(queue_, slots, PlaceSlots<T>{grid, positions, body, shift, placed});
    this->data_.slots = slots;
    this->data_.body = body;
    this->data_.shift = shift;
  }

  template <int Share>
  void find(const Grid& grid) {
    const Device& device = queue_.device();
    const int width = device.facts().warp_width;
    const int threads = FindNear<Share>::max_threads;
    const Index warps = ceil_div(count_, Index{width} * Share);
    const auto rows = rows_.of(device, 2 * warps + 1, "rows of lists");
    const Span<unsigned> counts{rows.data + warps + 1, warps};
    FindNear<Share> search{grid,
                           count_,
                           detail::reach_of(options_, grid),
                           Span<const unsigned>{begins_.of(device, Index{grid.all} + 1, "")},
                           Span<const float>{placed_.of(device, 4 * this->data_.slots, "")},
                           {},
                           counts,
                           {},
                           static_cast<unsigned>(this->data_.slots),
                           most_rows_,
                           flag_.elements()};
    const LaunchShape shape{{static_cast<int>(ceil_div(warps * width, Index{threads})), 1, 1},
                            {threads, 1, 1},
                            FindNear<Share>::shared_bytes(threads, width)};
    ListData& data = this->data_;
    if (most_rows_ > 0) { // as many rows for each warp as were enough before
      const Index entries = warps * most_rows_ * width * 4;
      search.entries = entries_.of(device, entries, "lists of near pairs");
      launch_body(queue_, shape, search);
      if (read_flag() == 0) {
        data.row_begins = {};
        data.row_counts = counts;
        data.entries = search.entries;
        return;
      }
    }
    search.entries = {};
    search.most_rows = ~0U;
    launch_body(queue_, shape, search);
    const Index all = count_rows<Share>(counts, {rows.data, warps + 1});
    search.row_begins = {rows.data, warps};
    search.entries =
        entries_.of(device, std::max<Index>(all * width * 4, 4), "lists of near pairs");
    if (all > 0) launch_body(queue_, shape, search);
    data.row_begins = {rows.data, warps};
    data.row_counts = counts;
    data.entries = {search.entries.data, all * width * 4};
    data.computed = all * width * 4 * Share + warps * width * Share * (Share - 1);
  }

  /// Where each warp's rows begin; returns how many there are. The next lists are written without
  /// being counted first where that takes little more memory.
  template <int Share>
  [[nodiscard]] Index count_rows(const Span<unsigned>& counts, const Span<unsigned>& begins) {
    std::vector<unsigned> host(static_cast<std::size_t>(counts.size));
    copy_to_host(queue_, host.data(), static_cast<const unsigned*>(counts.data), counts.size);
    queue_.wait();
    Index all = 0;
    unsigned most = 0;
    for (unsigned& count : host) {
      const unsigned mine = count;
      count = static_cast<unsigned>(all);
      all += mine;
      most = std::max(most, mine);
    }
    detail::require_countable(all, "rows");
    host.push_back(static_cast<unsigned>(all));
    copy_to_device(queue_, begins.data, host.data(), begins.size);
    queue_.wait();
    const Index spare = most + most / 16 + 1;
    most_rows_ = 2 * spare * counts.size <= 3 * all ? static_cast<unsigned>(spare) : 0;
    return all;
  }

  void clear(const Span<unsigned>& values) {
    fill_bytes(queue_, values.data, 0, Bytes{values.size * static_cast<Index>(sizeof(unsigned))});
  }

  Queue& queue_;
  Positions<T> positions_;
  ListOptions options_;
  Index count_;
  Field<unsigned> flag_;
  std::array<Field<T>, 3> built_;
  unsigned most_rows_ = 0; ///< for each warp, when lists are not counted first; 0: they are
  Grown<unsigned> begins_, taken_, slots_, rows_, entries_, sums_;
  Grown<float> placed_;
  Grown<T> bounds_;
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
