// The menu of a stencil: its schedules, and the facts of a launch under each.
#include <ridge/core/error.hpp>
#include <ridge/model/host.hpp>
#include <ridge/model/layout.hpp>
#include <ridge/pattern/menu_of.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/stencil/rank_part.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::stencil {

namespace {

using model::Facts;

class StencilMenu final : public MenuOf<Schedule> {
public:
  StencilMenu(Traits traits, Index3 n, const Place& place, const std::optional<Strides>& strides)
      : MenuOf(place), traits_(std::move(traits)), n_(n),
        strides_(strides ? *strides : spread(place.device, traits_, n, Strides::packed(n))) {}

  [[nodiscard]] model::Prediction predict(const std::string& schedule) const override {
    const Schedule s = read(schedule).schedule;
    const Prediction p = stencil::predict(traits_, s, n_, description_at(place()));
    return {facts_of(s, p.traffic), p.traffic, p.time};
  }
  /// On a GPU the seconds that the model predicts, on a cpu the bytes moved.
  [[nodiscard]] std::optional<double> cost(const std::string& schedule,
                                           const Extents& size) const override {
    const model::Description* const known = known_description(place().device);
    if (known == nullptr) return std::nullopt;
    const Index3 n = size.xyz();
    const Prediction p = stencil::predict(
        traits_, parse_schedule(schedule, place().device, traits_, n).schedule, n, *known);
    if (p.time) return p.time->seconds.value;
    return p.traffic.fetched + p.traffic.written;
  }
  [[nodiscard]] std::optional<Halo> halo() const override {
    const Offset& r = traits_.radius;
    return Halo{
        reach_of(traits_.footprints), {r.x, r.y, r.z}, traits_.element_bytes * traits_.inputs()};
  }

private:
  void require_work() const override {
    if (!place().described) return;
    const Extents size{n_.x, n_.y, n_.z};
    if (size.count() > Index{1} << 56) {
      throw UsageError(
          fmt::format("--size {}: a field may have up to 2^56 points here", to_text(size)));
    }
    if (interior_points(traits_, n_) == 0) {
      const auto& r = traits_.radius;
      throw UsageError(fmt::format("--size {}: the kernel writes no point; each extent must be "
                                   "larger than twice its radius, {}x{}x{}",
                                   to_text(size), r.x, r.y, r.z));
    }
  }
  /// On a device that is only described, `auto` is the model's choice, and fields alone change
  /// kernel1.
  [[nodiscard]] Named read(const std::string& asked) const override {
    if (!place().is_only_described())
      return parse_schedule(asked, place().device, traits_, n_, strides_);
    const model::Description& device = *place().described;
    const bool automatic =
        asked.find_first_not_of(' ') == std::string::npos || asked.starts_with("auto");
    Named parsed = text::parse_named(
        asked, device.name, Schedule(automatic ? model_choice(traits_, n_, device) : GpuSchedule{}),
        [&] { return known(); });
    if (parsed.name == "default") parsed.name = "model";
    return parsed;
  }
  [[nodiscard]] std::vector<Named> known() const override {
    return named_schedules(place().device);
  }
  [[nodiscard]] std::vector<Schedule> all() const override {
    if (!place().described || !place().described->is_gpu())
      return schedule_space(place().device, traits_);
    const auto space = model_space(traits_, *place().described);
    return {space.begin(), space.end()};
  }
  [[nodiscard]] bool is_possible(const Schedule& schedule) const override {
    const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
    if (cpu != nullptr && cpu->depth > 1 && !traits_.planes) return false;
    try {
      (void)stencil::predict(traits_, schedule, n_, *place().described);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  [[nodiscard]] Facts facts_of(const Schedule& schedule, const model::Traffic& traffic) const {
    Facts f = begin(work_of(traits_, n_));
    f.element_bytes = traits_.element_bytes;
    if (const auto* const gpu = std::get_if<GpuSchedule>(&schedule)) {
      add_gpu(f, *gpu, traffic);
    } else {
      add_cpu(f, std::get<CpuSchedule>(schedule), traffic);
    }
    return f;
  }

  void add_gpu(Facts& f, const GpuSchedule& s, const model::Traffic& traffic) const {
    const model::StencilAccess access = model_access(traits_, s, n_, f.device.kind);
    const model::Needs needs = model::needs_of(access, f.device, traffic);
    double blocks = access.marches ? s.chunks : 1;
    for (const auto& [extent, block] : {std::pair{n_.x, access.block.x},
                                        {ceil_div(n_.y, s.split), access.block.y},
                                        {access.marches ? 1 : n_.z, access.block.z}})
      blocks *= static_cast<double>(ceil_div(extent, std::max<Index>(block, 1)));
    model::lay_blocks(
        f, {blocks, access.threads, access.registers, access.bounds, access.shared_bytes});
    f.asked = traffic.requested; // on a cpu the first cache serves it
    f.launches = s.split;
    f.instructions = needs.instructions;
    f.spilled = traffic.written - f.least_written; // written, and read again
    f.spilled *= 2;
    f.repeated = std::max(0.0, traffic.fetched - f.least_read - f.spilled / 2);
    if (f.in_cache) f.repeated = 0;
    if (access.marches) {
      f.latency_cycles = 0; // copies run ahead
      const model::Copying copying = model::copying_of(access, f.device);
      f.copy_cycles = copying.copy_cycles;
      f.block_cycles = copying.block_cycles;
      if (copying.blocks > 0) f.cache_share = model::copied_share;
      return;
    }
    if (access.waits_between_planes) {
      std::set<int> planes;
      for (const auto& o : traits_.footprints.front())
        planes.insert(o.z);
      f.latency_cycles += static_cast<double>(planes.size() - 1) * f.device.cache_latency_cycles;
    }
    f.thread_bytes = static_cast<double>(s.tile * traits_.element_bytes * traits_.inputs());
    add_sectors(f, s);
  }

  /// Lanes of a warp whose numbers follow each other, and what of their sectors they use.
  void add_sectors(Facts& f, const GpuSchedule& s) const {
    const double sector = f.device.sector_bytes;
    const double run = static_cast<double>(std::min<Index>(s.block.x, n_.x)) *
                       static_cast<double>(traits_.element_bytes);
    f.sector_bytes = std::max(1.0, sector / run);
    if (s.store == Store::plain || std::fmod(run, sector) == 0) return;
    // Past the cache, a block's own part of a row is written by itself.
    const double pieces = f.least_written / run;
    f.partial = pieces * sector;
  }

  void add_cpu(Facts& f, const CpuSchedule& s, const model::Traffic& traffic) const {
    const auto r = traits_.radius;
    const Index rows = n_.y - 2 * r.y;
    f.partial =
        s.store == Store::plain
            ? f.least_written
            : (r.x > 0 ? 2 * f.device.sector_bytes * static_cast<double>(rows * (n_.z - 2 * r.z))
                       : 0);
    f.repeated = std::max(0.0, traffic.fetched - f.least_read - f.partial);
    if (f.in_cache) f.repeated = f.partial = 0;
    const Index planes = n_.z - 2 * r.z;
    const Index parts = (s.rows > 0 ? ceil_div(rows, s.rows) : Index{1} << 20) *
                        (s.planes > 0 ? ceil_div(planes, s.planes) : 1);
    model::lay_threads(f, parts, s.threads, n_.x - 2 * r.x);
    add_sets(f, s);
  }

  /// Rows that a loop along x uses at once, of the set of the L1 that most of their lines at one x
  /// fall in.
  void add_sets(Facts& f, const CpuSchedule& s) const {
    f.set_lines = rows_in_a_set(traits_, strides_);
    if (s.store == Store::plain) ++f.set_lines;
    f.set_ways = model::l1_ways();
    // Windows hold rows of several planes in memory of their own, without such strides.
    if (s.depth == CpuSchedule::deep) f.set_lines = 0;
  }

  Traits traits_;
  Index3 n_;
  Strides strides_;
};

} // namespace

std::unique_ptr<Menu> menu(const Traits& traits, Index3 extents, const Place& place,
                           const std::optional<Strides>& strides) {
  return std::make_unique<StencilMenu>(traits, extents, place, strides);
}

} // namespace ridge::stencil
