// The menu of a chain: its schedules, and the facts of a launch under each.
#include <ridge/chain/executor.hpp>
#include <ridge/chain/menu.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/core/error.hpp>
#include <ridge/model/layout.hpp>
#include <ridge/model/reuse.hpp>
#include <ridge/pattern/menu_of.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::chain {

namespace {

using model::Facts;

/// Registers of a thread beside its values.
constexpr int registers_around = 16;

class ChainMenu final : public MenuOf<Schedule> {
public:
  ChainMenu(Description chain, const Range& n, const Place& place)
      : MenuOf(place), chain_(std::move(chain)), n_(n) {}

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    return parse_schedule(asked, place().device, chain_, n_);
  }
  /// On GPUs also fission as one graph.
  [[nodiscard]] std::vector<Named> known() const override {
    std::vector<Named> named = named_schedules(place().device, chain_, n_);
    if (place().device.is_gpu())
      named.push_back({"fission-graph", read("fission graph=on").schedule});
    return named;
  }
  [[nodiscard]] std::vector<Schedule> all() const override {
    return schedule_space(place().device, chain_, n_);
  }
  [[nodiscard]] bool is_possible(const Schedule& schedule) const override {
    try {
      (void)make_plan(chain_, n_, request_of(schedule));
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  [[nodiscard]] Facts facts_under(const Schedule& schedule) const override {
    Facts f = begin(work_of(chain_, n_));
    f.branches = true;
    f.element_bytes = chain_.element_bytes;
    const Plan plan = make_plan(chain_, n_, request_of(schedule));
    const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
    const bool reads_lines = cpu != nullptr && cpu->store == Store::plain;
    double used = 0; // bytes of all arrays that a launch reads or writes, of all launches
    for (std::size_t a = 0; a < plan.arrays.size(); ++a) {
      const ArrayPlan& array = plan.arrays[a];
      if (array.home == Home::registers) continue;
      const double bytes = bytes_of(static_cast<int>(a));
      const auto [reads, writes] = uses(static_cast<int>(a), plan);
      used += bytes * (reads + writes);
      if (array.home == Home::tile) continue;
      const double gone = lost(bytes, f);
      if (array.home == Home::range) f.staged += gone * bytes * (reads + writes);
      if (array.home == Home::user) f.staged += gone * bytes * std::max(0.0, reads - 1);
      if (reads_lines && !f.in_cache) f.partial += gone * bytes * writes;
    }
    f.asked = used;
    f.launches = static_cast<double>(plan.groups.size()); // on a cpu each starts the threads, too
    if (cpu != nullptr) {
      add_tiles(f, plan);
      model::lay_threads(f, tiles_of(plan), cpu->threads, n_.x);
    } else {
      add_launches(f, std::get<GpuSchedule>(schedule), plan);
    }
    return f;
  }

  [[nodiscard]] double bytes_of(int array) const {
    const Array& a = chain_.arrays[static_cast<std::size_t>(array)];
    const Index x = a.profile ? 1 : n_.x + a.extra.x;
    return static_cast<double>(x * (n_.y + a.extra.y) * (n_.z + a.extra.z) * n_.instances() *
                               chain_.element_bytes);
  }
  /// Launches, or passes over a cpu's tiles, that read an array, and that write it.
  [[nodiscard]] std::pair<double, double> uses(int array, const Plan& plan) const {
    std::pair<double, double> count{0, 0};
    for (const GroupPlan& group : plan.groups) {
      const bool written = chain_.written_in(group.first, group.last, array);
      // What a group itself writes it has at hand when it reads it.
      if (chain_.read_in(group.first, group.last, array) && !written) ++count.first;
      if (written) ++count.second;
    }
    return count;
  }
  /// Of an array that a pass has written, what the last-level cache no longer holds when the next
  /// reads it: that one writes as much meanwhile.
  [[nodiscard]] static double lost(double bytes, const Facts& f) {
    const double cache = f.device.cache_bytes / f.device.cache_parts;
    return cache > 0 ? model::gone(2 * bytes / cache, static_cast<int>(f.device.cache_ways)) : 1;
  }
  /// Temporaries of tiles that a core's L2 does not hold.
  void add_tiles(Facts& f, const Plan& plan) const {
    const double tile = static_cast<double>(plan.tile_elements) * chain_.element_bytes;
    if (tile <= 0) return;
    const double l2 = f.device.unit_cache_bytes;
    const double share = f.device.cache_bytes / std::max(1.0, f.device.units);
    const int ways = static_cast<int>(f.device.cache_ways);
    const double gone = model::gone(tile / std::max(l2, 1.0), ways) *
                        model::gone(tile / std::max(share, 1.0), ways);
    for (std::size_t a = 0; a < plan.arrays.size(); ++a)
      if (plan.arrays[a].home == Home::tile) f.repeated += 2 * gone * bytes_of(static_cast<int>(a));
  }
  [[nodiscard]] Index tiles_of(const Plan& plan) const {
    Index least = n_.items();
    const Index3 taken = plan.extents;
    const Index parts = chain::tiles_of(plan.instances, plan.instance_tile);
    for (const GroupPlan& group : plan.groups) {
      const auto along = [](Index n, Index tile) {
        return chain::tiles_of(n, std::max<Index>(tile, 1));
      };
      least = std::min(least, along(taken.x, group.tile.x) * along(taken.y, group.tile.y) *
                                  along(taken.z, group.tile.z) * parts);
    }
    return least;
  }
  void add_launches(Facts& f, const GpuSchedule& s, const Plan& plan) const {
    if (s.graph == Graph::on) f.launch_share = model::graph_share;
    if (chain_.scans_in(0, chain_.last())) {
      lay_columns(f, s, plan);
    } else if (chain_.has_elements()) {
      lay_elements(f, s);
    } else {
      Index3 items{s.block.x, s.block.y, s.block.z};
      if (chain_.marches_alone()) (chain_.rank > 2 ? items.z : items.y) *= s.steps;
      const auto blocks = static_cast<double>(ceil_div(n_.x, items.x) * ceil_div(n_.y, items.y) *
                                              ceil_div(n_.z, items.z) * n_.instances());
      model::lay_blocks(f, {blocks, static_cast<int>(s.block.count()),
                            registers_around + 2 * chain_.element_bytes / 4});
      f.thread_bytes = chain_.element_bytes;
      // Lanes that march load all that an item reads before they compute with it.
      if (chain_.marches_alone()) f.thread_bytes *= std::max(1.0, inputs() / f.launches);
      f.sector_bytes = std::max(1.0, f.device.sector_bytes / (s.block.x * chain_.element_bytes));
    }
    // Every launch waits for its own waves.
    f.latency_cycles *= f.launches;
    f.thread_bytes *= f.launches;
    add_branches(f);
  }

  /// Of chains that branch, instructions of warps: two for each number that is asked for, one for
  /// two operations, and those around them. A warp goes through a branch that any of its lanes
  /// takes; lanes are taken to be independent.
  void add_branches(Facts& f) const {
    double taken = 0; // operations in branches, were lanes to take them alike, and as they do
    double gone_through = 0;
    for (const OperationInfo& op : chain_.operations) {
      taken += op.branch.flops * op.branch.share;
      gone_through +=
          op.branch.flops * (1 - std::pow(1 - op.branch.share, std::max(f.device.warp_width, 1.0)));
    }
    if (gone_through <= 0) return;
    constexpr double around = 24;
    const auto items = static_cast<double>(n_.items());
    const double width = std::max(f.device.warp_width, 1.0);
    const double numbers = f.asked / chain_.element_bytes;
    f.least_instructions = (2 * numbers + f.flops / 2 + around * items * f.launches) / width;
    f.instructions = f.least_instructions + items * (gone_through - taken) / 2 / width;
  }

  /// Arrays that are read, of one value an item.
  [[nodiscard]] int inputs() const {
    int count = 0;
    for (const Array& a : chain_.arrays)
      count += !a.profile && (a.role == Role::input || a.role == Role::update) ? 1 : 0;
    return std::max(count, 1);
  }
  /// A lane has a column, and fetches as many levels ahead as its registers hold, or where it keeps
  /// much, its part of the shared memory.
  void lay_columns(Facts& f, const GpuSchedule& s, const Plan& plan) const {
    constexpr int most_fetched = 32;
    constexpr int most_levels = 8;
    const bool copies = copies_asynchronously(place().device);
    int fetched = inputs() * std::clamp(most_fetched / inputs(), 1, most_levels);
    int held = fetched; // in registers
    const auto threads = static_cast<int>(s.block.count());
    const Index columns = n_.x * (chain_.rank > 2 ? n_.y : 1) * n_.instances();
    Index shared = 0;
    for (const GroupPlan& g : plan.groups) {
      const PassedGroup passed = chain_.passing_of(g.first, g.last);
      shared = std::max(shared, passed.lane_elements(n_, copies));
      if (!copies || passed.ring_elements == 0) continue;
      fetched = passed.ring_elements;
      held = column_stage * inputs();
    }
    const int words = chain_.element_bytes / 4;
    model::lay_blocks(f, {static_cast<double>(ceil_div(columns, threads)), threads,
                          registers_around + words * held, most_block_threads,
                          shared * threads * chain_.element_bytes});
    f.thread_bytes = fetched * chain_.element_bytes;
  }
  /// A lane has a row of an element.
  void lay_elements(Facts& f, const GpuSchedule& s) const {
    const int values = chain_.dimensions[0].points * inputs();
    const auto threads = static_cast<int>(s.block.count());
    const int words = chain_.element_bytes / 4;
    model::lay_blocks(f, {static_cast<double>(ceil_div(n_.y * n_.z * n_.instances(), threads)),
                          threads, registers_around + words * values, most_block_threads});
    f.thread_bytes = values * chain_.element_bytes;
  }

  Description chain_;
  Range n_;
};

} // namespace

std::unique_ptr<Menu> menu(const Description& chain, const Range& range, const Place& place) {
  return std::make_unique<ChainMenu>(chain, range, place);
}

} // namespace ridge::chain
