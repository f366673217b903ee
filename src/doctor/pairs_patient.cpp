#include <ridge/core/error.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/pairs/schedule.hpp>

#include "layout.hpp"
#include "pattern_patient.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

using pairs::CpuSchedule;
using pairs::GpuSchedule;

/// Registers of a thread beside bodies and sums.
constexpr int registers_around = 24;
/// Targets of a thread where registers allow them.
constexpr int usual_tile = 8;

pairs::Bodies bodies_of(const Extents& size) {
  if (size.rank() == 1) return {size[0], size[0], true};
  return {size[0], size[1], false};
}

class PairsPatient final : public PatternPatient<pairs::Schedule> {
public:
  PairsPatient(const pairs::Traits& traits, int steps, const Examination& e)
      : PatternPatient(e), traits_(traits), bodies_(bodies_of(e.size)),
        slots_(traits.operations + traits.rsqrts * (1 + steps)) {
    if (slots_ <= 0) slots_ = traits.flops; // where the interaction does not declare operations
  }

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    return pairs::parse_schedule(asked, examined_.device, traits_, bodies_);
  }
  [[nodiscard]] std::vector<Named> known() const override {
    return pairs::named_schedules(examined_.device, traits_, bodies_);
  }
  [[nodiscard]] bool is_possible(const pairs::Schedule& schedule) const override {
    const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
    return gpu == nullptr || gpu->form == pairs::Form::direct || traits_.mutual;
  }

  [[nodiscard]] Facts facts_of(const pairs::Schedule& schedule) const override {
    const Work work = pairs::work_of(traits_, bodies_);
    Facts f = begin("pairs", work);
    f.element_bytes = traits_.computed_bytes;
    const auto interactions = static_cast<double>(work.items);
    if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
      f.flops = 2 * slots_ * interactions; // each takes the slot of a fused multiply-add
      const Index lanes = std::max<Index>(1, examined_.device.facts().simd_bytes / f.element_bytes);
      lay_threads(f, ceil_div(bodies_.targets, lanes * cpu->tile), cpu->threads, bodies_.targets);
      return f;
    }
    const auto& s = std::get<GpuSchedule>(schedule);
    const bool symmetric = s.form == pairs::Form::symmetric;
    // Where the warps of a block divide sources, all of them have the same targets.
    const Index lanes = s.divide == pairs::Divide::sources ? static_cast<Index>(f.device.warp_width)
                                                           : Index{s.block};
    const Index per_block = lanes * s.tile / (symmetric ? 1 : s.ways);
    double blocks = static_cast<double>(ceil_div(bodies_.targets, std::max<Index>(per_block, 1)));
    blocks = symmetric ? blocks * (blocks + 1) / 2 : blocks * s.split;
    const int values = s.tile * (traits_.targets + traits_.sums) + traits_.sources;
    lay_blocks(f, {blocks, s.block, registers_around + values * traits_.computed_bytes / 4});
    // A source's components are read once for all targets of a thread.
    const double reads = static_cast<double>(traits_.sources) / s.tile;
    const double rate = traits_.computed_bytes == 8 ? 2 : 1; // fp64 issues at half the rate
    // An interaction that counts for both bodies takes half as many instructions again.
    f.instructions =
        interactions * (symmetric ? 0.75 : 1) * (slots_ * rate + reads) / f.device.warp_width;
    // A pair computed once, and each source read once for as many targets as usual tiles have.
    const bool once = traits_.mutual && bodies_.same;
    f.least_instructions =
        interactions * (once ? 0.75 : 1) *
        (slots_ * rate + static_cast<double>(traits_.sources) / usual_tile) / f.device.warp_width;
    f.flops = 0; // counted as instructions
    return f;
  }

  pairs::Traits traits_;
  pairs::Bodies bodies_;
  double slots_;
};

} // namespace

std::unique_ptr<Patient> pairs_patient(const pairs::Traits& traits, int steps,
                                       const Examination& examination) {
  return std::make_unique<PairsPatient>(traits, steps, examination);
}

} // namespace ridge::doctor
