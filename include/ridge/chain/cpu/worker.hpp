// Threads of the cpu and their tiles.
#pragma once

#include <ridge/chain/cpu/items.hpp>
#include <ridge/chain/variants.hpp>
#include <ridge/core/choose.hpp>
#include <ridge/device/cpu/pause.hpp>

#include <algorithm>
#include <array>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

#if defined(NDEBUG)
constexpr bool checks_reach = false;
#else
constexpr bool checks_reach = true;
#endif

template <class C, class M>
using RunBox = void (*)(const C&, const M&, const Box&, const Box&);

/// The function of a run; null where it is not compiled here.
template <class C, class M>
RunBox<C, M> function_of(const RunPlan& run) {
  using List = RunList<C>;
  RunBox<C, M> found = nullptr;
  choose_from<List>(OperationRange{run.first, run.last}, [&](auto i) {
    constexpr OperationRange r = List::values[i];
    found = &run_box<r.first, r.last, C, typename M::Number, M::checked>;
  });
  return found;
}

/// The functions of a group's runs.
template <class C, class M>
struct Functions {
  std::array<RunBox<C, M>, operations_of<C>> of{};

  /// False where one is not compiled here.
  [[nodiscard]] bool find(const GroupPlan& group) {
    for (std::size_t i = 0; i < group.runs.size(); ++i) {
      of[i] = function_of<C, M>(group.runs[i]);
      if (of[i] == nullptr) return false;
    }
    return true;
  }
};

/// One thread's share of a group: its tiles, one after the other.
template <class C, class T>
class Worker {
public:
  using M = Memory<C, T, checks_reach>;

  Worker(const Call<C, T>& call, const GroupPlan& group, const Functions<C, M>& functions,
         const M& memory, int thread, int threads)
      : call_(call), plan_(*call.plan), group_(group), functions_(functions), thread_(thread),
        threads_(threads), memory_(memory) {
    if constexpr (outer_of<C>() > 0) memory_.instance = call.windows.first;
  }

  void run() {
    // Threads share out the last dimension, or another that has more tiles where it has too few.
    int shared = plan_.march;
    for (int d = 2; d >= 0; --d) {
      if (tiles(shared) < threads_ && tiles(d) > tiles(shared)) shared = d;
    }
    if constexpr (outer_of<C>() > 0) {
      const Index parts = tiles_of(plan_.instances, plan_.instance_tile);
      const bool by_instances = parts > 1 && (parts >= threads_ || parts > tiles(shared));
      const auto own = by_instances ? ridge::cpu::share_of(parts, thread_, threads_)
                                    : ridge::cpu::Range{0, parts};
      for (Index part = own.begin; part < own.end; ++part) {
        first_instance_ = part * plan_.instance_tile;
        last_instance_ = std::min(plan_.instances, first_instance_ + plan_.instance_tile) - 1;
        run_instances(by_instances ? -1 : shared);
      }
    } else {
      run_instances(shared);
    }
  }

private:
  static constexpr Index items_of_piece = 1 << 15;

  /// Runs this thread's tiles along dimension `shared` of some instances; all of them for -1.
  void run_instances(int shared) {
    const auto mine = [&](int d) {
      return d == shared ? ridge::cpu::share_of(tiles(d), thread_, threads_)
                         : ridge::cpu::Range{0, tiles(d)};
    };
    const int m = plan_.march;
    const int inner = m == 0 ? 1 : 0;
    const int outer = 3 - m - inner;
    Index tile[3];
    for (tile[outer] = mine(outer).begin; tile[outer] < mine(outer).end; ++tile[outer]) {
      for (tile[inner] = mine(inner).begin; tile[inner] < mine(inner).end; ++tile[inner]) {
        const auto march = mine(m);
        for (tile[m] = march.begin; tile[m] < march.end; ++tile[m]) {
          if (is_given_up()) return;
          run_tile(tile, march);
        }
      }
    }
  }

  /// Asked before each tile, of which many are short.
  [[nodiscard]] bool is_given_up() {
    items_ += tile_size(0) * tile_size(1) * tile_size(2);
    if (items_ < items_of_piece) return false;
    items_ = 0;
    return !ridge::cpu::goes_on();
  }

  [[nodiscard]] Index extent(int d) const {
    return d == 0 ? plan_.extents.x : d == 1 ? plan_.extents.y : plan_.extents.z;
  }
  [[nodiscard]] Index tile_size(int d) const {
    return d == 0 ? group_.tile.x : d == 1 ? group_.tile.y : group_.tile.z;
  }
  [[nodiscard]] Index tiles(int d) const { return tiles_of(extent(d), tile_size(d)); }

  /// Moves the windows of the tile's own arrays to this tile, and all to an instance.
  void move_windows(const Box& tile, Index instance) {
    memory_.carry = call_.tile_memory + thread_ * plan_.tile_elements + group_.carry_offset;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const ArrayPlan& a = plan_.arrays[static_cast<std::size_t>(i)];
      if (a.home != Home::tile || &plan_.groups[static_cast<std::size_t>(a.group)] != &group_) {
        if constexpr (outer_of<C>() > 0) {
          const Window<T>& w = call_.windows.of[i];
          if (w.data != nullptr) memory_.windows.of[i].data = w.data + instance * w.instance;
        }
        continue;
      }
      T* const begin = call_.tile_memory + thread_ * plan_.tile_elements + a.offset +
                       (instance - first_instance_) * a.each();
      memory_.windows.of[i].data = begin - (a.part_x ? tile.begin[0] - a.before.x : 0);
    }
    if constexpr (outer_of<C>() > 0) memory_.instance.number = instance;
  }

  /// `march` are the tiles that this thread computes one behind the other.
  void run_tile(const Index (&tile)[3], const ridge::cpu::Range& march) {
    const int m = plan_.march;
    Box box_of_tile;
    for (int d = 0; d < 3; ++d) {
      box_of_tile.begin[d] = tile[d] * tile_size(d);
      box_of_tile.end[d] = std::min(extent(d), box_of_tile.begin[d] + tile_size(d));
    }
    move_windows(box_of_tile, first_instance_);
    for (std::size_t r = 0; r < group_.runs.size(); ++r) {
      const RunPlan& run = group_.runs[r];
      const Domain& domain = Uses<C>::domain(run.first);
      Box own;
      for (int d = 0; d < 3; ++d) {
        own_items(extent(d), domain.begin.along(d), domain.end.along(d), box_of_tile.begin[d],
                  box_of_tile.end[d], own.begin[d], own.end[d]);
      }
      Box box = own;
      for (int d = 0; d < 3; ++d) {
        if (run.low.along(d) == 0 && run.high.along(d) == 0) continue;
        grown_items(extent(d), domain.begin.along(d), domain.end.along(d),
                    dimension_of<C>(d).edge == Edge::periodic, run.low.along(d), run.high.along(d),
                    box.begin[d], box.end[d]);
      }
      if (group_.rolls) {
        // Items that it computes ahead of a tile are its own as well, up to the end of the march.
        own_items(extent(m), domain.begin.along(m), domain.end.along(m), march.begin * tile_size(m),
                  std::min(extent(m), march.end * tile_size(m)), own.begin[m], own.end[m]);
        if (tile[m] != march.begin) box.begin[m] = std::max(box.begin[m], done_[r]);
        done_[r] = std::max(box.end[m], box.begin[m]);
      }
      if (box.empty()) continue;
      functions_.of[r](call_.chain, memory_, box, own);
      for (Index i = first_instance_ + 1; i <= last_instance_; ++i) {
        move_windows(box_of_tile, i);
        functions_.of[r](call_.chain, memory_, box, own);
      }
      if (last_instance_ > first_instance_) move_windows(box_of_tile, first_instance_);
    }
  }

  const Call<C, T>& call_;
  const Plan& plan_;
  const GroupPlan& group_;
  const Functions<C, M>& functions_;
  int thread_, threads_;
  M memory_;
  std::array<Index, operations_of<C>> done_{}; ///< of each run, along the march
  Index first_instance_ = 0, last_instance_ = 0;
  Index items_ = 0; ///< of tiles since it was asked whether to go on
};

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
