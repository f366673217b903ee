// Building lists of near pairs on GPUs.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>

#include "find.hpp"
#include "scan.hpp"
#include "sort.hpp"

#include <cmath>
#include <functional>
#include <vector>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

template <class T>
class Engine final : public ListEngine<T> {
public:
  Engine(Queue& queue, const Positions<T>& positions, const ListOptions& options)
      : queue_(queue), positions_(positions), options_(options), count_(positions[0].size),
        halt_(queue.device(), Extents{ListHalt::words}, "halt of lists") {
    // Fewer are as fast or faster with one for a thread, on an H100.
    constexpr Index many = Index{1} << 22;
    const int share = options.share != 0 ? options.share : count_ < many ? 1 : 2;
    if (share != 1 && share != 2)
      throw UsageError("share: one or two bodies of a GPU's thread have one list");
    const int width = queue.device().facts().warp_width;
    this->data_ = detail::data_for(options, count_, share, share * width);
    if (count_ < few_lists * share) this->data_.ways = 4;
    for (auto& values : built_)
      values = Field<T>(queue.device(), Extents{count_}, "positions of lists");
    clear(halt_.elements());
  }

  [[nodiscard]] bool has_moved() override {
    const double limit = options_.skin / 2;
    launch_items(
        queue_, count_,
        FindMoved<T>{positions_, built(), static_cast<T>(limit * limit), halt_.elements()});
    const unsigned moved = read(halt_.data() + ListHalt::moved);
    if (moved != 0) clear({halt_.data(), 1});
    return moved != 0;
  }
  [[nodiscard]] Span<unsigned> halt(bool halts) override {
    this->data_.halt = halts ? halt_.elements() : Span<unsigned>{};
    return halt_.elements();
  }

  void build_of(const Positions<T>& positions) override {
    const Grid grid = grid_of(bounds_of(positions));
    if (!build_at_once(grid, positions)) build_in_steps(grid, positions);
    ListData& data = this->data_;
    ++data.builds;
    data.bytes = cells_.bytes() + slots_.bytes() + placed_.bytes() + entries_.bytes() +
                 rows_.bytes() + 3 * count_ * static_cast<Index>(sizeof(T));
  }

  [[nodiscard]] bool builds_without_host() const override {
    return capacity_ != 0 && most_rows_ != 0 && is_closed();
  }
  void give_build_if_moved(const std::function<void()>& sorted) override {
    give_build(grid_of({}), positions_, true, sorted);
  }

  [[nodiscard]] Positions<T> built() const override {
    return {built_[0].elements(), built_[1].elements(), built_[2].elements()};
  }

private:
  struct State {
    unsigned bad = 0, overflow = 0, slots = 0;
  };
  [[nodiscard]] State read_state() {
    std::array<unsigned, BuildState::words> words{};
    copy_to_host(queue_, words.data(), static_cast<const unsigned*>(state_.data), state_.size);
    queue_.wait();
    return {words[BuildState::bad], words[BuildState::overflow], words[BuildState::slots]};
  }
  [[nodiscard]] unsigned read(const unsigned* from) {
    unsigned value = 0;
    copy_to_host(queue_, &value, from, 1);
    queue_.wait();
    return value;
  }

  [[nodiscard]] Grid grid_of(const detail::Bounds& bounds) const {
    return detail::grid_for(options_, count_, bounds);
  }

  void give_build(const Grid& grid, const Positions<T>& positions, bool only_if_moved,
                  const std::function<void()>& sorted) {
    count(grid, positions, only_if_moved);
    sort(grid, positions);
    sorted();
    find_in_rows(grid);
  }

  /// With the memory that was enough before, all of it is given to the queue at once, the second
  /// time as a graph. Returns whether it is enough again.
  [[nodiscard]] bool build_at_once(const Grid& grid, const Positions<T>& positions) {
    if (capacity_ == 0 || most_rows_ == 0) return false;
    const auto build = [this, grid, positions] { give_build(grid, positions, false, [] {}); };
    if (is_closed() && positions[0].data == positions_[0].data) {
      at_once_.run(queue_, true, build);
    } else {
      build();
    }
    const State now = read_state();
    if (now.bad != 0) detail::refuse_positions<T>(queue_, positions, options_);
    return now.overflow == 0 && Index{now.slots} <= capacity_;
  }

  /// The host hears how many slots and rows there are, and takes memory for them.
  void build_in_steps(const Grid& grid, const Positions<T>& positions) {
    at_once_ = {};
    count(grid, positions, false);
    const Index slots = read(begins_.data + grid.all);
    if (read_state().bad != 0) detail::refuse_positions<T>(queue_, positions, options_);
    detail::require_countable(slots + slots / 16, "bodies and images");
    if (slots > capacity_ || 2 * slots < capacity_) capacity_ = slots + slots / 16 + 1;
    sort(grid, positions);
    this->data_.share == 1 ? find_and_count<1>(grid) : find_and_count<2>(grid);
  }

  /// All axes have lengths: cells are the same every time.
  [[nodiscard]] bool is_closed() const {
    return options_.box.length[0] > 0 && options_.box.length[1] > 0 && options_.box.length[2] > 0;
  }

  /// Of bodies along open axes.
  [[nodiscard]] detail::Bounds bounds_of(const Positions<T>& positions) {
    detail::Bounds bounds{};
    if (is_closed()) return bounds;
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

  /// Bodies and images of each cell, and where its slots begin.
  void count(const Grid& grid, const Positions<T>& positions, bool only_if_moved) {
    const Index cells = grid.all;
    const auto all =
        cells_.of(queue_.device(), 2 * cells + 1 + BuildState::words, "cells of lists");
    clear(all);
    begins_ = {all.data, cells + 1};
    state_ = {all.data + 2 * cells + 1, BuildState::words};
    launch_items(
        queue_, count_,
        CountInCells<T>{grid,
                        positions,
                        begins_,
                        state_,
                        halt_.elements(),
                        only_if_moved,
                        {built_[0].elements(), built_[1].elements(), built_[2].elements()}});
    scan(queue_, begins_, sums_);
  }

  /// Bodies and images along the curve of cells, in slots for `capacity_`; they are counted.
  void sort(const Grid& grid, const Positions<T>& positions) {
    const Device& device = queue_.device();
    const Span<unsigned> taken{begins_.data + begins_.size, Index{grid.all}};
    const auto all = slots_.of(device, 5 * capacity_, "slots of lists");
    const auto part = [&](Index n) { return Span<unsigned>{all.data + n * capacity_, capacity_}; };
    const Span<unsigned> body = part(0);
    const Span<unsigned> shift = part(1);
    launch_items(queue_, count_,
                 TakeSlots<T>{grid, positions, begins_, state_, taken, part(2), part(3), part(4)});
    const auto placed = placed_.of(device, 4 * capacity_, "positions of slots");
    launch_items(queue_, capacity_,
                 RankInCells<T>{grid, positions, begins_, part(2), part(3), part(4), body, shift,
                                state_, halt_.elements(), placed});
    this->data_.far = detail::far_from(grid, options_);
    this->data_.slots = capacity_;
    this->data_.body = body;
    this->data_.shift = shift;
  }

  template <int Share>
  struct Finding {
    FindNear<Share> search;
    LaunchShape shape;
    Index parts;           ///< of warps' lists
    Span<unsigned> begins; ///< of their rows, one more
  };
  template <int Share>
  [[nodiscard]] Finding<Share> finding(const Grid& grid) {
    const Device& device = queue_.device();
    const int width = device.facts().warp_width;
    const int threads = FindNear<Share>::max_threads;
    const ListData& data = this->data_;
    const Index parts = data.ways * ceil_div(data.end_slot - data.first_slot, Index{width} * Share);
    const auto rows = rows_.of(device, 3 * parts + 1, "rows of lists");
    return {{grid,
             data.first_slot,
             data.end_slot,
             detail::reach_of(options_, grid),
             begins_,
             Span<const float>{placed_.of(device, 4 * capacity_, "")},
             {},
             {rows.data + parts + 1, parts},
             {},
             static_cast<unsigned>(capacity_),
             most_rows_,
             data.ways,
             state_,
             halt_.elements(),
             {rows.data + 2 * parts + 1, parts}},
            {{static_cast<int>(std::max<Index>(1, ceil_div(parts * width, Index{threads}))), 1, 1},
             {threads, 1, 1},
             FindNear<Share>::shared_bytes(threads, width)},
            parts,
            {rows.data, parts + 1}};
  }

  /// Lists in as many rows for each warp as were enough before.
  void find_in_rows(const Grid& grid) {
    this->data_.share == 1 ? find_in_rows(finding<1>(grid)) : find_in_rows(finding<2>(grid));
  }
  template <int Share>
  void find_in_rows(Finding<Share> f) {
    const int width = queue_.device().facts().warp_width;
    f.search.most_rows = most_rows_;
    f.search.entries =
        entries_.of(queue_.device(), f.parts * most_rows_ * width * 4, "lists of near pairs");
    launch_body(queue_, f.shape, f.search);
    ListData& data = this->data_;
    data.row_begins = {};
    data.row_counts = f.search.row_counts;
    data.may_meet = f.search.may_meet;
    data.entries = f.search.entries;
  }

  template <int Share>
  void find_and_count(const Grid& grid) {
    const Device& device = queue_.device();
    const int width = device.facts().warp_width;
    Finding<Share> f = finding<Share>(grid);
    f.search.most_rows = ~0U;
    launch_body(queue_, f.shape, f.search);
    const Index all = count_rows<Share>(f.search.row_counts, f.begins);
    ListData& data = this->data_;
    data.computed = all * width * 4 * Share + f.parts / data.ways * width * Share * (Share - 1);
    if (most_rows_ > 0) return find_in_rows(f);
    f.search.row_begins = {f.begins.data, f.parts};
    f.search.entries =
        entries_.of(device, std::max<Index>(all * width * 4, 4), "lists of near pairs");
    if (all > 0) launch_body(queue_, f.shape, f.search);
    data.row_begins = f.search.row_begins;
    data.row_counts = f.search.row_counts;
    data.may_meet = f.search.may_meet;
    data.entries = {f.search.entries.data, all * width * 4};
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
    // All lists of a lattice have 78; once it has melted, the longest of 26000 has 87.
    const Index lists = std::max<Index>(counts.size, 1); // none of a rank without bodies
    const Index spare = std::max<Index>(most + most / 16 + 1, all * 13 / 10 / lists);
    const Index most_room = (this->data_.ways > 1 ? 8 : 3) * all; // twice as many rows as that
    most_rows_ = 2 * spare * counts.size <= most_room ? static_cast<unsigned>(spare) : 0;
    return all;
  }

  void clear(const Span<unsigned>& values) {
    fill_bytes(queue_, values.data, 0, Bytes{values.size * static_cast<Index>(sizeof(unsigned))});
  }

  Queue& queue_;
  Positions<T> positions_;
  ListOptions options_;
  Index count_;
  Field<unsigned> halt_;
  std::array<Field<T>, 3> built_;
  Index capacity_ = 0;     ///< slots that there is memory for
  unsigned most_rows_ = 0; ///< for each warp, when lists are not counted first; 0: they are
  Grown<unsigned> cells_, slots_, rows_, entries_, sums_;
  Span<unsigned> begins_; ///< of cells
  Span<unsigned> state_;  ///< BuildState
  Grown<float> placed_;
  Grown<T> bounds_;
  Repeated at_once_;
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
