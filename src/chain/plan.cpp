#include <ridge/chain/plan.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>

#include "../core/refuse.hpp"
#include "fold.hpp"
#include "homes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ridge::chain {

namespace {

using comm::along;
int& along(Offset& o, int d) {
  return d == 0 ? o.x : d == 1 ? o.y : o.z;
}

class Planner {
public:
  Planner(const Description& d, const Range& n, const PlanRequest& request)
      : d_(d), request_(request) {
    plan_.extents = n;
    plan_.whole = n;
    plan_.arrays.resize(d.arrays.size());
    joined_ = d.joined_runs();
    joined_ends_ = d.joined_ends();
  }

  Plan make() {
    check_extents();
    find_tile();
    place_instances();
    const Index3 n = plan_.extents;
    plan_.march = n.z > 1 ? 2 : n.y > 1 ? 1 : 0;
    check_fuse();
    make_groups();
    for (GroupPlan& group : plan_.groups)
      grow(group);
    find_homes(d_, request_.gpu, plan_);
    return std::move(plan_);
  }

private:
  [[nodiscard]] const OperationInfo& operation(int k) const {
    return d_.operations[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] const Array& array(int a) const { return d_.arrays[static_cast<std::size_t>(a)]; }
  [[nodiscard]] int arrays() const { return static_cast<int>(d_.arrays.size()); }
  [[nodiscard]] Index extent(int d) const { return along(plan_.extents, d); }
  [[nodiscard]] bool tiled(const GroupPlan& group, int d) const {
    return along(group.tile, d) < extent(d);
  }
  [[nodiscard]] const Dimension& dimension(int d) const {
    return d_.dimensions[static_cast<std::size_t>(d)];
  }

  void check_extents() const {
    for (int d = 0; d < 3; ++d) {
      const Index n = extent(d);
      if (const int points = dimension(d).points; points > 0 && n != points) {
        throw UsageError(fmt::format("chain '{}': {} items along {}; its elements have {} points",
                                     d_.name, n, axis_name(d), points));
      }
      refuse_if(d >= d_.rank && n > 1 && d_.scans_in(0, d_.last()),
                "chain '{}': {} items along {}; it has columns along {}, and one item along what "
                "lies beyond",
                d_.name, n, axis_name(d), axis_name(d_.column_dimension()));
      Index least = 1;
      for (const OperationInfo& op : d_.operations) {
        least = std::max<Index>(least, 1 + op.domain.begin.along(d) - op.domain.end.along(d));
        if (dimension(d).edge != Edge::periodic) continue;
        for (const Access& a : op.accesses)
          least = std::max<Index>(least, std::max(-a.reach.low.along(d), a.reach.high.along(d)));
      }
      refuse_if(n < least, "chain '{}': {} items along {} are too few; it needs {}", d_.name, n,
                axis_name(d), least);
      refuse_if(
          d >= d_.rank && n > 1 && d_.outer > 0,
          "chain '{}': {} items along {}; it has {} dimensions and {} outer: give those as such",
          d_.name, n, axis_name(d), d_.rank, d_.outer);
    }
    check_outer(d_, plan_.whole);
  }
  /// Merges the outer dimensions with the last one where tiles of that are such again; else they
  /// stay a loop of their own.
  void place_instances() {
    const Index count = plan_.whole.instances();
    const Index together = instances_of_tile(plan_.whole, request_.tile);
    const int d = d_.column_dimension();
    for (int k = 0; k < most_outer; ++k)
      plan_.first.outer[k] = plan_.whole.outer[k];
    Index& n = along(plan_.extents, d);
    Index& tile = along(tile_, d);
    const bool all_of_it = tile == n;
    if (count > 1 && d_.merges_outer() && (together == 1 || all_of_it || request_.gpu)) {
      refuse_if(
          n > std::numeric_limits<std::int32_t>::max() / count && request_.gpu,
          "chain '{}': {} items along {} and the dimensions around it; a GPU's launch takes 2^31",
          d_.name, n * count, axis_name(d));
      plan_.first.wrap = n;
      if (all_of_it) tile *= together;
      n *= count;
      return;
    }
    plan_.instances = count;
    plan_.instance_tile = request_.gpu ? 1 : together;
  }

  void find_tile() {
    for (int d = 0; d < 3; ++d) {
      const Index asked = request_.tile.along(d);
      const Index n = extent(d);
      refuse_if(asked > n,
                "tile={}: {} items along {} are more than the {} there are; give 1 to {} or all",
                to_text(request_.tile), asked, axis_name(d), n, n);
      along(tile_, d) = asked == 0 || !dimension(d).independent ? n : asked;
    }
  }

  void check_fuse() const {
    const int largest = request_.fuse.largest();
    const int count = static_cast<int>(d_.operations.size());
    refuse_if(largest > count, "fuse={}: chain '{}' has {} operation{}, not {}",
              to_text(request_.fuse), d_.name, count, count == 1 ? "" : "s", largest);
  }

  /// The operations of [first, last] that cannot run in one group: the first that must begin a new
  /// one, and why; 0 when all can.
  [[nodiscard]] int split(int first, int last, std::string& why) const {
    GroupPlan trial = group_of(first, last);
    grow(trial);
    const PassedGroup passed = d_.passing_of(first, last);
    if (const int k = split_scans(trial, passed, why); k != 0) return k;
    if (request_.gpu && plan_.instances > 1 && trial.runs.size() > 1 &&
        passed.passing != Passing::columns) {
      why = "launches over several instances pass values item by item alone";
      return trial.runs[1].first;
    }
    if (request_.gpu && d_.has_elements() && trial.runs.size() > 1) {
      why = "lanes have a row of an element each, and operations read other elements";
      return trial.runs[1].first;
    }
    if (request_.gpu && passed.seam && extent(passed.along) < passed.overlap) {
      why = fmt::format("lanes of a block would overlap by {} of the {} items along {}",
                        passed.overlap, extent(passed.along), axis_name(passed.along));
      return last;
    }
    if (const int apart = beyond_given_ends(first, last, why); apart != 0) return apart;
    for (const RunPlan& run : trial.runs) {
      for (int k = run.first; k <= run.last; ++k) {
        for (const Access& a : operation(k).accesses) {
          if (a.writes || d_.local_to(first, last, a.array) ||
              !d_.written_in(first, last, a.array) || !crosses(trial, run, a.reach))
            continue;
          int writer = first;
          while (!operation(writer).writes(a.array))
            ++writer;
          why = fmt::format("tiles overlap in what '{}' reads of '{}', which '{}' writes for "
                            "others than this group",
                            operation(k).name, array(a.array).name, operation(writer).name);
          return std::max({k, writer, first + 1});
        }
      }
      for (int d = 0; d < 3; ++d) {
        const int needed = std::max(run.low.along(d), run.high.along(d));
        if (dimension(d).edge == Edge::periodic && needed > 0 &&
            needed + farthest(run, d) > extent(d)) {
          why = fmt::format("tiles would overlap by {} of the {} items along {}, which is periodic",
                            needed, extent(d), axis_name(d));
          return last;
        }
        if (needed > 0 && has_seam(trial, d)) {
          why = fmt::format(
              "tiles would overlap along {}, where not all goes on beyond the end as at the begin",
              axis_name(d));
          return last;
        }
        if (needed <= dimension(d).halo) continue;
        why = fmt::format("tiles would overlap by {} along {}, beyond the halo of {}", needed,
                          axis_name(d), dimension(d).halo);
        return last; // fewer operations, less overlap
      }
    }
    return 0;
  }

  /// The same for what scans.
  [[nodiscard]] int split_scans(const GroupPlan& group, const PassedGroup& passed,
                                std::string& why) const {
    if (group.first == group.last || !d_.scans_in(group.first, group.last)) return 0;
    const int columns = d_.column_dimension();
    int k = group.first;
    while (operation(k).scan == Scan::none)
      ++k;
    if (tiled(group, columns)) {
      why = fmt::format("{} scans along {}, which tiles of {} items would cut",
                        k == group.first ? "that" : "it", axis_name(columns),
                        along(group.tile, columns));
      return std::max(k, group.first + 1);
    }
    if (request_.gpu && passed.passing != Passing::columns) {
      why = fmt::format("lanes have a column along {} each, and operations read across columns, or "
                        "have other domains",
                        axis_name(columns));
      return group.last;
    }
    return 0;
  }

  /// As `split`, for operations between which somebody sets what lies beyond given ends.
  [[nodiscard]] int beyond_given_ends(int first, int last, std::string& why) const {
    for (int k = first; k <= last; ++k) {
      for (const Access& a : operation(k).accesses) {
        for (int d = 0; d < 3 && !a.writes; ++d) {
          if (dimension(d).edge != Edge::given ||
              (a.reach.low.along(d) == 0 && a.reach.high.along(d) == 0))
            continue;
          for (int writer = first; writer <= last; ++writer) {
            if (writer == k || !operation(writer).writes(a.array)) continue;
            why = fmt::format(
                "'{}' reads neighbours of '{}', which '{}' writes, and {} has given ends",
                operation(k).name, array(a.array).name, operation(writer).name, axis_name(d));
            return std::max(k, writer);
          }
        }
      }
    }
    return 0;
  }

  /// Whether what tiles of a group would compute beyond the end of a periodic dimension is not what
  /// lies at its begin: from points that only some arrays have there, or that only some operations
  /// compute. Lanes of a block know better.
  [[nodiscard]] bool has_seam(const GroupPlan& group, int d) const {
    if (dimension(d).edge != Edge::periodic) return false;
    const PassedGroup passed = d_.passing_of(group.first, group.last);
    if (request_.gpu && passed.passing == Passing::block && passed.along == d) return false;
    bool differ = false;
    bool chained = false;
    for (const RunPlan& run : group.runs) {
      for (int k = run.first; k <= run.last; ++k) {
        const OperationInfo& op = operation(k);
        differ = differ || op.domain.begin.along(d) != 0 || op.domain.end.along(d) != 0;
        if (run.low.along(d) == 0 && run.high.along(d) == 0) continue;
        for (const Access& a : op.accesses) {
          if (a.writes) continue;
          if (array(a.array).extra.along(d) != 0) return true;
          chained = chained || (d_.written_in(group.first, k - 1, a.array) &&
                                (a.reach.low.along(d) != 0 || a.reach.high.along(d) != 0));
        }
      }
    }
    return differ && chained;
  }

  /// How far the operations of a run read along a dimension.
  [[nodiscard]] int farthest(const RunPlan& run, int d) const {
    int most = 0;
    for (int k = run.first; k <= run.last; ++k) {
      for (const Access& a : operation(k).accesses)
        most = std::max({most, -a.reach.low.along(d), a.reach.high.along(d)});
    }
    return most;
  }

  /// Whether a read of this reach, by a run that computes beyond its tile, leaves the tile.
  [[nodiscard]] bool crosses(const GroupPlan& group, const RunPlan& run, const Reach& reach) const {
    for (int d = 0; d < 3; ++d) {
      if (tiled(group, d) && (run.low.along(d) - reach.low.along(d) > 0 ||
                              run.high.along(d) + reach.high.along(d) > 0))
        return true;
    }
    return false;
  }

  /// Executors of the cpu are compiled for runs, which groups share: those that are joined
  /// everywhere. Kernels of GPUs are compiled for groups, and join what a group's operations allow.
  [[nodiscard]] int run_end(int k, int last) const {
    if (!request_.join) return k;
    if (request_.gpu) return std::min(joined_ends_[static_cast<std::size_t>(k)], last);
    int end = k;
    for (const OperationRange& j : joined_)
      if (j.first == k && j.last <= last) end = std::max(end, j.last);
    return end;
  }

  [[nodiscard]] GroupPlan group_of(int first, int last) const {
    GroupPlan group;
    group.first = first;
    group.last = last;
    group.tile = tile_;
    // Columns are never cut: lanes of GPUs have whole ones, and of a cpu's groups see split().
    if (d_.scans_in(first, last) && (request_.gpu || first == last))
      along(group.tile, d_.column_dimension()) = extent(d_.column_dimension());
    for (int k = first; k <= last;) {
      const int end = run_end(k, last);
      group.runs.push_back({k, end, {}, {}});
      k = end + 1;
    }
    return group;
  }

  void make_groups() {
    const int count = static_cast<int>(d_.operations.size());
    int split_in = -1; // the last operation of an asked group that was split
    for (int first = 0; first < count;) {
      int last = first;
      while (last + 1 < count && request_.fuse.joins(last))
        ++last;
      const int asked = last;
      std::string why;
      for (int k = split(first, last, why); k != 0; k = split(first, last, why)) {
        last = k - 1;
        split_in = asked;
        plan_.note += fmt::format("{}'{}' runs apart from '{}': {}", plan_.note.empty() ? "" : "; ",
                                  operation(k).name, operation(k - 1).name, why);
      }
      add_group(first, last, split_in != asked);
      first = last + 1;
    }
  }

  /// Of a group that had to be split GPUs run each run apart: kernels that are there already.
  void add_group(int first, int last, bool as_asked) {
    const GroupPlan group = group_of(first, last);
    const bool listed = std::find(d_.groups.begin(), d_.groups.end(),
                                  OperationRange{first, last}) != d_.groups.end();
    if (!request_.gpu || group.runs.size() == 1 || as_asked || listed) {
      plan_.groups.push_back(group);
      return;
    }
    for (const RunPlan& run : group.runs)
      plan_.groups.push_back(group_of(run.first, run.last));
  }

  /// How far runs compute beyond their tiles: as far as later runs read of temporaries.
  void grow(GroupPlan& group) const {
    for (auto run = group.runs.rbegin(); run != group.runs.rend(); ++run) {
      run->low = run->high = {};
      for (auto later = group.runs.rbegin(); later != run; ++later) {
        for (int a = 0; a < arrays(); ++a) {
          if (!d_.local_to(group.first, group.last, a) || !d_.written_in(run->first, run->last, a))
            continue;
          for (int k = later->first; k <= later->last; ++k) {
            if (!operation(k).reads(a)) continue;
            const Reach reach = operation(k).reach(a);
            for (int d = 0; d < 3; ++d) {
              if (!tiled(group, d)) continue;
              int& low = along(run->low, d);
              int& high = along(run->high, d);
              // Of a periodic dimension also what lies beyond its ends is needed.
              const bool periodic = dimension(d).edge == Edge::periodic;
              const int before = periodic ? -operation(k).domain.begin.along(d) : 0;
              const int behind = periodic ? operation(k).domain.end.along(d) : 0;
              low = std::max(low, std::max(later->low.along(d), before) - reach.low.along(d));
              high = std::max(high, std::max(later->high.along(d), behind) + reach.high.along(d));
            }
          }
        }
      }
    }
    const int m = plan_.march;
    group.rolls = m > 0 && tiled(group, m) && group.runs.size() > 1;
    for (int a = 0; a < arrays(); ++a) {
      if (!d_.local_to(group.first, group.last, a)) continue;
      int writers = 0;
      for (int k = group.first; k <= group.last; ++k)
        writers += operation(k).writes(a) ? 1 : 0;
      if (writers > 1) group.rolls = false; // old values would be overwritten
    }
    // Nor may a run that is ahead write what runs behind it still read.
    for (const RunPlan& run : group.runs) {
      if (run.low.along(m) == 0 && run.high.along(m) == 0) continue;
      for (int a = 0; a < arrays(); ++a) {
        if (d_.written_in(run.first, run.last, a) && !d_.local_to(group.first, group.last, a) &&
            d_.read_in(group.first, group.last, a))
          group.rolls = false;
      }
    }
  }

  const Description& d_;
  const PlanRequest& request_;
  Plan plan_;
  Index3 tile_;
  std::vector<OperationRange> joined_;
  std::vector<int> joined_ends_;
};

} // namespace

Plan make_plan(const Description& description, const Range& range, const PlanRequest& request) {
  return Planner(description, range, request).make();
}

} // namespace ridge::chain
