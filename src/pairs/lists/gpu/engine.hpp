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
    data.share = options.share == 0 ? 2 : options.share;
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
    const auto rows = rows_.of(device, warps + 1, "rows of lists");
    clear(rows);
    FindNear<Share> search{grid,
                           count_,
                           detail::reach_of(options_, grid),
                           Span<const unsigned>{begins_.of(device, Index{grid.all} + 1, "")},
                           Span<const float>{placed_.of(device, 4 * this->data_.slots, "")},
                           rows,
                           {},
                           static_cast<unsigned>(this->data_.slots)};
    const LaunchShape shape{{static_cast<int>(ceil_div(warps * width, Index{threads})), 1, 1},
                            {threads, 1, 1},
                            FindNear<Share>::shared_bytes(threads, width)};
    launch_body(queue_, shape, search);
    scan(queue_, rows, sums_);
    const Index all = read(rows.data + warps);
    const Index entries = all * width * 4;
    search.entries = entries_.of(device, std::max<Index>(entries, 4), "lists of near pairs", true);
    if (entries > 0) launch_body(queue_, shape, search);
    this->data_.rows = rows;
    this->data_.entries = {search.entries.data, entries};
    this->data_.computed = entries * Share + warps * width * Share * (Share - 1);
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
  Grown<unsigned> begins_, taken_, slots_, rows_, entries_, sums_;
  Grown<float> placed_;
  Grown<T> bounds_;
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
