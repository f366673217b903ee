#include <ridge/chain/schedule.hpp>
#include <ridge/device/kind.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
}

PlanRequest request_of(const Schedule& schedule) {
  if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
    return {cpu->fuse, cpu->join == Join::points, cpu->tile, false};
  }
  const auto& gpu = std::get<GpuSchedule>(schedule);
  return {gpu.fuse, true, gpu.tile, true};
}

NamedSchedule parse_schedule(std::string_view text, const Device& device, const Description& chain,
                             const Range& extents) {
  const NamedSchedule chosen =
      text::parse_named(text, ridge::to_text(device.id()), default_schedule(device, chain, extents),
                        [&] { return named_schedules(device, chain, extents); });
  (void)make_plan(chain, extents, request_of(chosen.schedule)); // says now what is not possible
  return chosen;
}

namespace {

/// Groupings: all, none, those the chain lists, and on the cpu the second and third operation.
std::vector<Fuse> fuses(const Description& d, bool gpu) {
  std::vector<Fuse> all{fuse_none, fuse_all};
  const auto add = [&](int first, int last) {
    Fuse fuse = fuse_none;
    for (int k = first; k < last; ++k)
      fuse.joints |= std::uint64_t{1} << k;
    if (std::find(all.begin(), all.end(), fuse) == all.end()) all.push_back(fuse);
  };
  for (const auto& g : d.groups)
    add(g.first, g.last);
  if (!gpu && d.operations.size() > 2) add(1, 2);
  return all;
}

std::vector<TileShape> tiles(const Range& n) {
  std::vector<TileShape> all;
  for (const TileShape& t : {TileShape{}, TileShape{1, 1, 1}, TileShape{7, 2, 3},
                             TileShape{64, 1, 1}, TileShape{0, 5, 1}}) {
    const TileShape fitting{std::min(t.x, n.x), std::min(t.y, n.y), std::min(t.z, n.z)};
    if (std::find(all.begin(), all.end(), fitting) == all.end()) all.push_back(fitting);
  }
  if (n.instances() > 1) { // some instances, and all of one
    constexpr Index unsaid = TileShape::unsaid;
    all.push_back(
        {0, 0, std::min<Index>(2, n.z), {std::min<Index>(2, n.outer[0]), unsaid, unsaid}});
    all.push_back({0, 0, 0, {1, unsaid, unsaid}});
  }
  return all;
}

} // namespace

std::vector<Schedule> schedule_space(const Device& device, const Description& chain,
                                     const Range& extents) {
  std::vector<Schedule> all;
  const bool gpu = facts_of(device).takes_gpu_schedules;
  for (const Fuse& fuse : fuses(chain, gpu)) {
    for (const TileShape& tile : tiles(extents)) {
      if (!gpu) {
        for (const Join join : {Join::none, Join::points}) {
          for (const Store store : {Store::plain, Store::nontemporal})
            all.emplace_back(CpuSchedule{fuse, tile, join, store, 1, 0});
          all.emplace_back(CpuSchedule{fuse, tile, join, Store::nontemporal, 4, 0});
        }
      } else {
        for (const int steps : {1, 3}) {
          for (const BlockShape block : {BlockShape{{64, 1, 1}}, BlockShape{{16, 4, 1}}})
            all.emplace_back(GpuSchedule{fuse, block, tile, steps, Graph::off});
        }
      }
    }
  }
  return all;
}

} // namespace ridge::chain
