#include "homes.hpp"

#include <ridge/comm/grid.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace ridge::chain {

namespace {

/// Between temporaries, so that their items do not fall on the same sets of the cache.
constexpr Index gap_elements = 16;
constexpr Index range_grain = 64;

using comm::along;

class Homes {
public:
  Homes(const Description& d, bool gpu, Plan& plan) : d_(d), gpu_(gpu), plan_(plan) {}

  void find() {
    for (int a = 0; a < arrays(); ++a) {
      ArrayPlan& planned = plan_.arrays[static_cast<std::size_t>(a)];
      for (int d = 0; d < 3; ++d)
        along(planned.held, d) = extent(d) + array(a).extra.along(d);
      if (array(a).profile) planned.held.x = 1;
      if (array(a).role != Role::temporary) continue;
      const GroupPlan* const group = home_of(a);
      if (group == nullptr) {
        planned.home = Home::range;
        planned.copies = plan_.instances;
        // Rows begin with a cache line each: which items are computed as packs, and with it last
        // bits, does not depend on the rows before them.
        if (extent(1) > 1 || extent(2) > 1) planned.held.x = in_whole_lines(planned.held.x);
        continue;
      }
      for (const RunPlan& run : group->runs) {
        if (d_.local_to(run.first, run.last, a) && (run.first < run.last))
          planned.home = Home::registers;
      }
      if (planned.home == Home::registers) {
        planned.held = {};
        continue;
      }
      if (group->runs.size() == 1 && group->runs[0].first == group->runs[0].last) {
        planned.home = Home::registers; // written and read by one operation: never kept
        planned.held = {};
        continue;
      }
      if (gpu_ && d_.passing_of(group->first, group->last).passing != Passing::memory) {
        planned.home = Home::registers;
        planned.held = {};
        continue;
      }
      const auto g = static_cast<std::size_t>(group - plan_.groups.data());
      planned.home = Home::tile;
      planned.copies = plan_.instance_tile;
      planned.group = static_cast<int>(g);
      hold_tile(a, *group, planned);
    }
    for (std::size_t g = 0; g < plan_.groups.size(); ++g)
      share_tile(static_cast<int>(g));
    share_range();
  }

private:
  [[nodiscard]] const Array& array(int a) const { return d_.arrays[static_cast<std::size_t>(a)]; }
  [[nodiscard]] int arrays() const { return static_cast<int>(d_.arrays.size()); }
  [[nodiscard]] Index extent(int d) const { return along(plan_.extents, d); }

  [[nodiscard]] const GroupPlan* home_of(int a) const {
    for (const GroupPlan& group : plan_.groups)
      if (d_.local_to(group.first, group.last, a)) return &group;
    return nullptr;
  }

  /// Between which of the runs of a group, or of the groups, a temporary is needed.
  struct Life {
    std::size_t begin, end;
  };
  template <class Steps>
  [[nodiscard]] Life life_of(int a, const Steps& steps) const {
    Life life{steps.size(), 0};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool written = d_.written_in(steps[i].first, steps[i].last, a);
      if (written) life.begin = std::min(life.begin, i);
      if (written || d_.read_in(steps[i].first, steps[i].last, a)) life.end = i;
    }
    return life;
  }

  /// Gives temporaries their pieces of one memory, in which one may follow another that is no
  /// longer needed. Returns the elements used.
  template <class Steps>
  [[nodiscard]] Index share(std::vector<int> members, const Steps& steps, bool reuse, Index grain) {
    struct Piece {
      Index offset, elements;
      std::size_t free_after;
    };
    std::vector<Piece> pieces;
    Index used = 0;
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
      return life_of(a, steps).begin < life_of(b, steps).begin;
    });
    for (const int a : members) {
      ArrayPlan& planned = plan_.arrays[static_cast<std::size_t>(a)];
      const Life life = life_of(a, steps);
      const Index needed = (planned.elements() + grain - 1) / grain * grain + gap_elements;
      const auto reusable = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return reuse && p.free_after < life.begin && p.elements >= needed;
      });
      if (reusable != pieces.end()) {
        planned.offset = reusable->offset;
        reusable->free_after = life.end;
        continue;
      }
      planned.offset = used;
      pieces.push_back({used, needed, life.end});
      used += needed;
    }
    return used;
  }

  /// Where tiles roll, all are needed until the end.
  void share_tile(int g) {
    const GroupPlan& group = plan_.groups[static_cast<std::size_t>(g)];
    std::vector<int> members;
    for (int a = 0; a < arrays(); ++a) {
      const ArrayPlan& planned = plan_.arrays[static_cast<std::size_t>(a)];
      if (planned.home == Home::tile && planned.group == g) members.push_back(a);
    }
    const Index temporaries = share(std::move(members), group.runs, !group.rolls, line_elements);
    plan_.groups[static_cast<std::size_t>(g)].carry_offset = temporaries;
    plan_.tile_elements = std::max(plan_.tile_elements, temporaries + carry_elements(group));
  }
  /// On the cpu: what runs of a group hand on from item to item of the columns of a tile.
  [[nodiscard]] Index carry_elements(const GroupPlan& group) const {
    Index most = 0;
    for (const RunPlan& run : group.runs) {
      Index values = 0;
      for (int k = run.first; k <= run.last; ++k)
        values += d_.operations[static_cast<std::size_t>(k)].carried;
      if (values == 0 || gpu_) continue;
      const auto columns = [&](int d) {
        const Domain& domain = d_.operations[static_cast<std::size_t>(run.first)].domain;
        const int more = std::max(0, domain.end.along(d) - domain.begin.along(d));
        return along(group.tile, d) + run.low.along(d) + run.high.along(d) + more;
      };
      const Index rows = d_.column_dimension() == 1 ? 1 : columns(1);
      most = std::max(most, values * in_whole_lines(columns(0)) * rows);
    }
    return most;
  }
  void share_range() {
    std::vector<int> members;
    for (int a = 0; a < arrays(); ++a)
      if (plan_.arrays[static_cast<std::size_t>(a)].home == Home::range) members.push_back(a);
    plan_.range_elements = share(std::move(members), plan_.groups, true, range_grain);
  }

  void hold_tile(int a, const GroupPlan& group, ArrayPlan& planned) const {
    for (int d = 0; d < 3; ++d) {
      if (along(group.tile, d) >= extent(d)) continue;
      Index low = 0;
      Index high = 0;
      for (const RunPlan& run : group.runs) {
        if (!d_.written_in(run.first, run.last, a)) continue;
        low = std::max<Index>(low, run.low.along(d));
        high = std::max<Index>(high, run.high.along(d));
      }
      const Index extra = array(a).extra.along(d);
      const Index span = low + along(group.tile, d) + high + extra;
      (d == 0 ? planned.part_x : d == 1 ? planned.part_y : planned.part_z) = true;
      if (d == 0) {
        planned.before.x = in_whole_lines(low);
        planned.held.x = planned.before.x + in_whole_lines(span - low);
      } else {
        along(planned.before, d) = low;
        along(planned.held, d) =
            static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(span)));
      }
    }
    if (!planned.part_x) planned.held.x = in_whole_lines(planned.held.x);
  }

  const Description& d_;
  bool gpu_;
  Plan& plan_;
};

} // namespace

void find_homes(const Description& description, bool gpu, Plan& plan) {
  Homes(description, gpu, plan).find();
}

} // namespace ridge::chain
