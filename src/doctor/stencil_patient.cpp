#include <ridge/core/error.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/stencil/model_access.hpp>

#include "host.hpp"
#include "layout.hpp"
#include "pattern_patient.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::doctor {

namespace {

using stencil::CpuSchedule;
using stencil::GpuSchedule;

class StencilPatient final : public PatternPatient<stencil::Schedule> {
public:
  StencilPatient(stencil::Traits traits, const Examination& e)
      : PatternPatient(e), traits_(std::move(traits)), n_(e.size.xyz()) {
    if (stencil::interior_points(traits_, n_) == 0) {
      const auto& r = traits_.radius;
      throw UsageError("--size " + to_text(e.size) +
                       ": the kernel writes no point; each extent must be larger than twice its "
                       "radius, " +
                       to_text(Extents{r.x, r.y, r.z}));
    }
  }

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    if (examined_.here) {
      return stencil::parse_schedule(asked, examined_.device, traits_, n_, strides());
    }
    // On a device that is only described, `auto` is the model's choice, and fields change kernel1.
    if (asked == "auto")
      return {"model", stencil::model_choice(traits_, n_, examined_.description)};
    return text::parse_named(asked, examined_.description.name, stencil::Schedule(GpuSchedule{}),
                             [&] { return known(); });
  }
  [[nodiscard]] std::vector<Named> known() const override {
    return stencil::named_schedules(examined_.device);
  }
  [[nodiscard]] bool is_possible(const stencil::Schedule& schedule) const override {
    const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
    if (cpu != nullptr && cpu->depth > 1 && !traits_.planes) return false;
    try {
      (void)stencil::predict(traits_, schedule, n_, examined_.description);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  [[nodiscard]] Facts facts_of(const stencil::Schedule& schedule) const override {
    Facts f = begin("stencil", stencil::work_of(traits_, n_));
    f.element_bytes = traits_.element_bytes;
    const model::Traffic traffic =
        stencil::predict(traits_, schedule, n_, examined_.description).traffic;
    if (const auto* const gpu = std::get_if<GpuSchedule>(&schedule)) {
      add_gpu(f, *gpu, traffic);
    } else {
      add_cpu(f, std::get<CpuSchedule>(schedule), traffic);
    }
    return f;
  }

  void add_gpu(Facts& f, const GpuSchedule& s, const model::Traffic& traffic) const {
    const model::StencilAccess access =
        stencil::model_access(traits_, s, n_, examined_.description.kind);
    const model::Needs needs = model::needs_of(access, f.device, traffic);
    double blocks = access.marches ? s.chunks : 1;
    for (const auto& [extent, block] : {std::pair{n_.x, access.block.x},
                                        {ceil_div(n_.y, s.split), access.block.y},
                                        {access.marches ? 1 : n_.z, access.block.z}})
      blocks *= static_cast<double>(ceil_div(extent, std::max<Index>(block, 1)));
    lay_blocks(f, {blocks, access.threads, access.registers, access.bounds, access.shared_bytes});
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
    if (s.store == stencil::Store::plain || std::fmod(run, sector) == 0) return;
    // Past the cache, a block's own part of a row is written by itself.
    const double pieces = f.least_written / run;
    f.partial = pieces * sector;
  }

  void add_cpu(Facts& f, const CpuSchedule& s, const model::Traffic& traffic) const {
    const auto r = traits_.radius;
    const Index rows = n_.y - 2 * r.y;
    f.partial =
        s.store == stencil::Store::plain
            ? f.least_written
            : (r.x > 0 ? 2 * f.device.sector_bytes * static_cast<double>(rows * (n_.z - 2 * r.z))
                       : 0);
    f.repeated = std::max(0.0, traffic.fetched - f.least_read - f.partial);
    if (f.in_cache) f.repeated = f.partial = 0;
    const Index planes = n_.z - 2 * r.z;
    const Index parts = (s.rows > 0 ? ceil_div(rows, s.rows) : Index{1} << 20) *
                        (s.planes > 0 ? ceil_div(planes, s.planes) : 1);
    lay_threads(f, parts, s.threads, n_.x - 2 * r.x);
    add_sets(f, s);
  }

  /// Of Ridge's own fields.
  [[nodiscard]] stencil::Strides strides() const {
    return stencil::spread(examined_.device, traits_, n_, stencil::Strides::packed(n_));
  }

  /// Rows that a loop along x uses at once, of the set of the L1 that most of their lines at one x
  /// fall in.
  void add_sets(Facts& f, const CpuSchedule& s) const {
    f.set_lines = stencil::rows_in_a_set(traits_, strides());
    if (s.store == stencil::Store::plain) ++f.set_lines;
    f.set_ways = l1_ways();
    // Windows hold rows of several planes in memory of their own, without such strides.
    if (s.depth == CpuSchedule::deep) f.set_lines = 0;
  }

  stencil::Traits traits_;
  Index3 n_;
};

} // namespace

std::unique_ptr<Patient> stencil_patient(const stencil::Traits& traits,
                                         const Examination& examination) {
  return std::make_unique<StencilPatient>(traits, examination);
}

} // namespace ridge::doctor
