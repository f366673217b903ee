// Building lists of near pairs on the cpu.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/lists/engine.hpp>

#include "../grown.hpp"
#include "find.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME {

/// A slot before its place is known.
struct Unsorted {
  unsigned cell, body, shift;
};

/// Memory that lists of threads grow in. The system promises more than it has, and would end the
/// process later.
class Room {
public:
  explicit Room(const Device& device) : device_(device) {}

  /// For so many entries more. What a list had before it grew is not given back: there is a copy of
  /// all lists at the end.
  void take(std::size_t entries) {
    const std::lock_guard lock(guard_);
    if (!free_) free_ = device_.free_memory();
    taken_.value += static_cast<Index>(entries * sizeof(unsigned));
    if (taken_.value <= free_->value) return;
    throw Failure("lists of near pairs need at least " + to_text(taken_) + " on " +
                  to_text(device_.id()) + ", where " + to_text(*free_) +
                  " are free; give a smaller cutoff, or bodies that crowd less");
  }

private:
  const Device& device_;
  std::mutex guard_;
  std::optional<Bytes> free_; ///< before
  Bytes taken_{0};
};

template <class T>
class Engine final : public ListEngine<T> {
public:
  Engine(Queue& queue, const Positions<T>& positions, const ListOptions& options)
      : queue_(queue), positions_(positions), options_(options), count_(positions[0].size) {
    constexpr int lanes = simd_bytes / static_cast<int>(sizeof(T));
    const int share = options.share == 0 ? lanes : options.share;
    if (share < 1 || share > 16 || (share & (share - 1)) != 0)
      throw UsageError("share: 1, 2, 4, 8 or 16 bodies have one list");
    this->data_ = detail::data_for(options, count_, share, share);
    for (auto& values : built_)
      values = Field<T>(queue.device(), Extents{count_}, "positions of lists");
  }

  [[nodiscard]] bool has_moved() override {
    const auto limit = static_cast<T>(options_.skin * options_.skin / 4);
    std::atomic<bool> moved = false;
    const ListData& data = this->data_;
    const unsigned* const body = options_.parts > 1 ? data.body.data + data.first_slot : nullptr;
    cpu::run(threads(), [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(data.end_slot - data.first_slot, thread, team, 64);
      T most = 0;
      bool odd = false;
      for (Index n = mine.begin; n < mine.end; ++n) {
        const Index i = body == nullptr ? n : Index{body[n]};
        T squared = 0;
        for (std::size_t a = 0; a < 3; ++a) {
          const T d = positions_[a].data[i] - built_[a].data()[i];
          squared += d * d;
        }
        most = squared > most ? squared : most;
        odd |= !(squared <= limit); // also NaN
      }
      if (odd) moved = true;
    });
    return moved;
  }

  void build_of(const Positions<T>& positions) override {
    const Grid grid = detail::grid_for(options_, count_, bounds_of(positions));
    sort(grid, positions);
    find(grid);
    for (std::size_t a = 0; a < 3; ++a)
      std::copy_n(positions[a].data, count_, built_[a].data());
    ListData& data = this->data_;
    ++data.builds;
    data.bytes = begins_.bytes() + row_begins_.bytes() + row_placed_.bytes() + row_slots_.bytes() +
                 body_.bytes() + shift_.bytes() + placed_.bytes() + first_.bytes() +
                 entries_.bytes() + 3 * count_ * static_cast<Index>(sizeof(T));
  }

  [[nodiscard]] Positions<T> built() const override {
    return {built_[0].elements(), built_[1].elements(), built_[2].elements()};
  }

private:
  /// Waking threads takes longer than a few bodies do.
  [[nodiscard]] int threads() const { return count_ < 4096 ? 1 : cpu::default_threads(); }

  [[nodiscard]] detail::Bounds bounds_of(const Positions<T>& positions) {
    detail::Bounds bounds{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (options_.box.length[a] > 0) continue;
      const auto [least, most] = std::minmax_element(positions[a].data, positions[a].data + count_);
      if (!std::isfinite(*least) || !std::isfinite(*most))
        detail::refuse_positions<T>(queue_, positions, options_);
      bounds.low[a] = *least;
      bounds.high[a] = *most;
    }
    return bounds;
  }

  /// By cells, in two steps: into parts of the cells, each kept in order, then within each part.
  void sort(const Grid& grid, const Positions<T>& positions) {
    const int team = threads();
    const Index parts = team == 1 ? 1 : 8 * Index{team};
    const Index cells = grid.all;
    const Index cells_each = ceil_div(cells, parts);
    const auto for_each = [&](int thread, const auto& take) {
      const cpu::Range mine = cpu::share_of(count_, thread, team);
      for (Index i = mine.begin; i < mine.end; ++i) {
        const T at[3] = {positions[0].data[i], positions[1].data[i], positions[2].data[i]};
        const Place place = grid.place(at);
        if (!place.is_good) return false;
        grid.for_each_image(place, [&](unsigned cell, unsigned shift) {
          take(Unsorted{cell, static_cast<unsigned>(i), shift});
        });
      }
      return true;
    };
    // Counts of each thread in each part, and then where its first goes.
    std::vector<Index> to(static_cast<std::size_t>(parts * team));
    const auto at = [&](Index part, int thread) -> Index& {
      return to[static_cast<std::size_t>(part * team + thread)];
    };
    std::atomic<bool> all_good = true;
    cpu::run(team, [&](int thread, int) {
      std::vector<Index> counts(static_cast<std::size_t>(parts));
      if (!for_each(thread, [&](const Unsorted& slot) {
            ++counts[static_cast<std::size_t>(slot.cell / cells_each)];
          }))
        all_good = false;
      for (Index part = 0; part < parts; ++part)
        at(part, thread) = counts[static_cast<std::size_t>(part)];
    });
    if (!all_good) detail::refuse_positions<T>(queue_, positions, options_);
    Index slots = 0;
    for (Index& count : to) {
      const Index here = count;
      count = slots;
      slots += here;
    }
    detail::require_countable(slots, "bodies and images");
    const Device& device = queue_.device();
    const auto unsorted = unsorted_.of(device, slots, "slots of lists", true);
    cpu::run(team, [&](int thread, int) {
      std::vector<Index> next(static_cast<std::size_t>(parts));
      for (Index part = 0; part < parts; ++part)
        next[static_cast<std::size_t>(part)] = at(part, thread);
      for_each(thread, [&](const Unsorted& slot) {
        unsorted.data[next[static_cast<std::size_t>(slot.cell / cells_each)]++] = slot;
      });
    });
    const auto begins = begins_.of(device, cells + 1, "cells of lists");
    const auto body = body_.of(device, slots, "slots of lists", true);
    const auto shift = shift_.of(device, slots, "slots of lists", true);
    const auto placed =
        placed_.of(device, 4 * (slots + Finder::padding), "positions of slots", true);
    stride_ = slots + Finder::padding;
    cpu::run(team, [&](int thread, int) {
      for (Index part = thread; part < parts; part += team) {
        const Index first_cell = std::min(part * cells_each, cells);
        const Index last_cell = std::min(first_cell + cells_each, cells);
        const Index begin = at(part, 0);
        const Index end = part + 1 < parts ? at(part + 1, 0) : slots;
        sort_part(unsorted.data, begin, end, begins.data, first_cell, last_cell, body.data,
                  shift.data);
        for (Index slot = begin; slot < end; ++slot)
          place_slot(grid, positions, body.data[slot], shift.data[slot], placed.data + slot);
      }
    });
    begins.data[cells] = static_cast<unsigned>(slots);
    for (Index slot = slots; slot < stride_; ++slot) { // read with the last ones, never near
      for (int a = 0; a < 3; ++a)
        placed.data[slot + a * stride_] = 1e18F;
    }
    put_in_rows(grid, begins.data, placed.data, slots);
    this->data_.slots = slots;
    this->data_.body = body;
    this->data_.shift = shift;
  }

  static void sort_part(const Unsorted* unsorted, Index begin, Index end, unsigned* begins,
                        Index first_cell, Index last_cell, unsigned* body, unsigned* shift) {
    std::fill(begins + first_cell, begins + last_cell, 0U);
    for (Index slot = begin; slot < end; ++slot)
      ++begins[unsorted[slot].cell];
    auto next = static_cast<unsigned>(begin);
    for (Index cell = first_cell; cell < last_cell; ++cell) {
      next += begins[cell];
      begins[cell] = next; // where the cell ends
    }
    for (Index slot = end - 1; slot >= begin; --slot) {
      const unsigned to = --begins[unsorted[slot].cell];
      body[to] = unsorted[slot].body;
      shift[to] = unsorted[slot].shift;
    }
  }

  /// The search goes along rows of cells: a cell's number along the curve takes longer to find than
  /// its bodies to be looked at.
  void put_in_rows(const Grid& grid, const unsigned* begins, const float* placed, Index slots) {
    const Index row_cells = grid.cells[0] + 2 * grid.halo[0];
    const Index rows_y = grid.cells[1] + 2 * grid.halo[1];
    const Index rows = rows_y * (grid.cells[2] + 2 * grid.halo[2]);
    const Device& device = queue_.device();
    const Index padded = slots + Finder::padding;
    unsigned* const row_begins =
        row_begins_.of(device, rows * row_cells + 1, "cells of lists", true).data;
    float* const row_placed = row_placed_.of(device, 3 * padded, "positions of slots", true).data;
    unsigned* const row_slots = row_slots_.of(device, padded, "slots of lists", true).data;
    const auto for_each_cell = [&](Index row, const auto& take) {
      const int y = static_cast<int>(row % rows_y) - grid.halo[1];
      const int z = static_cast<int>(row / rows_y) - grid.halo[2];
      for (int x = -grid.halo[0]; x < grid.cells[0] + grid.halo[0]; ++x) {
        const unsigned cell = grid.number_of(x, y, z);
        take(begins[cell], begins[cell + 1]);
      }
    };
    row_firsts_.resize(static_cast<std::size_t>(rows));
    cpu::run(threads(), [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(rows, thread, team);
      for (Index row = mine.begin; row < mine.end; ++row) {
        unsigned all = 0;
        for_each_cell(row, [&](unsigned begin, unsigned end) { all += end - begin; });
        row_firsts_[static_cast<std::size_t>(row)] = all;
      }
    });
    std::exclusive_scan(row_firsts_.begin(), row_firsts_.end(), row_firsts_.begin(), 0U);
    cpu::run(threads(), [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(rows, thread, team);
      for (Index row = mine.begin; row < mine.end; ++row) {
        unsigned to = row_firsts_[static_cast<std::size_t>(row)];
        unsigned* cell_begin = row_begins + row * row_cells;
        for_each_cell(row, [&](unsigned begin, unsigned end) {
          *cell_begin++ = to;
          for (unsigned slot = begin; slot < end; ++slot, ++to) {
            row_slots[to] = slot;
            for (int a = 0; a < 3; ++a)
              row_placed[to + a * stride_] = placed[slot + a * stride_];
          }
        });
      }
    });
    row_begins[rows * row_cells] = static_cast<unsigned>(slots);
    for (Index n = slots; n < padded; ++n) { // read with the last ones, never taken
      row_slots[n] = 0;
      for (int a = 0; a < 3; ++a)
        row_placed[n + a * stride_] = 1e18F;
    }
  }

  void place_slot(const Grid& grid, const Positions<T>& positions, unsigned body, unsigned shift,
                  float* to) const {
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const T moved = positions[axis].data[body] - static_cast<T>(grid.low[a]) +
                      static_cast<T>(shift_of(shift, a)) * static_cast<T>(grid.length[a]);
      to[a * stride_] = static_cast<float>(moved);
    }
  }

  /// Each thread's share of the groups in memory of its own, then one after the other.
  void find(const Grid& grid) {
    const int team = threads();
    ListData& data = this->data_;
    const Index first_group = data.first_slot / data.share;
    const Index groups = ceil_div(data.end_slot - data.first_slot, Index{data.share});
    const Device& device = queue_.device();
    const auto first = first_.of(device, groups + 1, "lists of near pairs");
    const Finder finder{grid,
                        count_,
                        data.share,
                        detail::reach_of(options_, grid),
                        placed_.of(device, 4 * stride_, "").data,
                        stride_,
                        row_begins_.of(device, 0, "").data,
                        row_placed_.of(device, 0, "").data,
                        row_slots_.of(device, 0, "").data};
    found_.resize(static_cast<std::size_t>(team));
    Room room(device);
    cpu::run(team, [&](int thread, int) {
      auto& mine = found_[static_cast<std::size_t>(thread)];
      mine.clear();
      const auto make_room = [&](std::size_t entries) {
        if (entries <= mine.capacity()) return;
        const std::size_t wanted = std::max(entries, 2 * mine.capacity());
        room.take(wanted);
        mine.reserve(wanted);
      };
      Finder::Candidates near;
      cpu::in_pieces(cpu::share_of(groups, thread, team), 512, [&](const cpu::Range& piece) {
        for (Index group = piece.begin; group < piece.end; ++group) {
          first.data[group] = static_cast<Index>(mine.size());
          finder.find(first_group + group, near, mine, make_room);
        }
      });
    });
    Index all = 0;
    std::vector<Index> begin;
    for (const auto& mine : found_) {
      begin.push_back(all);
      all += static_cast<Index>(mine.size());
    }
    const auto entries = entries_.of(device, std::max<Index>(all, 1), "lists of near pairs", true);
    cpu::run(team, [&](int thread, int) {
      const auto& mine = found_[static_cast<std::size_t>(thread)];
      const Index to = begin[static_cast<std::size_t>(thread)];
      std::copy(mine.begin(), mine.end(), entries.data + to);
      const cpu::Range share = cpu::share_of(groups, thread, team);
      for (Index group = share.begin; group < share.end; ++group)
        first.data[group] += to;
    });
    first.data[groups] = all;
    data.first = first;
    data.entries = {entries.data, all};
    data.computed = all * data.share + groups * data.share * (data.share - 1);
  }

  Queue& queue_;
  Positions<T> positions_;
  ListOptions options_;
  Index count_;
  Index stride_ = 0; ///< between the coordinates of a slot
  std::array<Field<T>, 3> built_;
  Grown<unsigned> begins_, body_, shift_, entries_, row_begins_, row_slots_;
  std::vector<unsigned> row_firsts_; ///< where rows begin
  Grown<Index> first_;
  Grown<Unsorted> unsorted_;
  Grown<float> placed_, row_placed_; ///< x of all slots, then y, z
  std::vector<std::vector<unsigned>> found_;
};

} // namespace ridge::pairs::cpu_pairs::inline RIDGE_TARGET_NAME
