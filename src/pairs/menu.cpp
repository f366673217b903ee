// The menu of an interaction: its schedules, and the facts of a launch under each.
#include <ridge/model/layout.hpp>
#include <ridge/pairs/menu.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>
#include <ridge/pattern/menu_of.hpp>
#include <ridge/record/operations.hpp>

#include <algorithm>

namespace ridge::pairs {

namespace {

using model::Facts;

/// Registers of a thread beside bodies and sums.
constexpr int registers_around = 24;
/// Targets of a thread where registers allow them.
constexpr int usual_tile = 8;

class PairsMenu final : public MenuOf<Schedule> {
public:
  PairsMenu(const Traits& traits, const Bodies& bodies, const ridge::Place& place)
      : MenuOf(place), traits_(traits), bodies_(bodies) {}

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    return parse_schedule(asked, place().device, traits_, bodies_);
  }
  [[nodiscard]] std::vector<Named> known() const override {
    return named_schedules(place().device, traits_, bodies_);
  }
  [[nodiscard]] std::vector<Schedule> all() const override {
    return schedule_space(place().device, traits_, bodies_);
  }
  [[nodiscard]] bool is_possible(const Schedule& schedule) const override {
    const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
    return gpu == nullptr || gpu->form == Form::direct || traits_.mutual;
  }

  [[nodiscard]] Facts facts_under(const Schedule& schedule) const override {
    const double slots = slots_of_one();
    const Work work = work_of(traits_, bodies_);
    Facts f = begin(work);
    f.element_bytes = traits_.computed_bytes;
    const auto interactions = static_cast<double>(work.items);
    if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
      f.flops = 2 * slots * interactions; // each takes the slot of a fused multiply-add
      const Index lanes = std::max<Index>(1, place().device.facts().simd_bytes / f.element_bytes);
      model::lay_threads(f, ceil_div(bodies_.targets, lanes * cpu->tile), cpu->threads,
                         bodies_.targets);
      return f;
    }
    const auto& s = std::get<GpuSchedule>(schedule);
    const bool symmetric = s.form == Form::symmetric;
    // Where the warps of a block divide sources, all of them have the same targets.
    const Index lanes =
        s.divide == Divide::sources ? static_cast<Index>(f.device.warp_width) : Index{s.block};
    const Index per_block = lanes * s.tile / (symmetric ? 1 : s.ways);
    double blocks = static_cast<double>(ceil_div(bodies_.targets, std::max<Index>(per_block, 1)));
    blocks = symmetric ? blocks * (blocks + 1) / 2 : blocks * s.split;
    const int values = s.tile * (traits_.targets + traits_.sums) + traits_.sources;
    model::lay_blocks(f, {blocks, s.block, registers_around + values * traits_.computed_bytes / 4});
    // A source's components are read once for all targets of a thread.
    const double reads = static_cast<double>(traits_.sources) / s.tile;
    const double rate = traits_.computed_bytes == 8 ? 2 : 1; // fp64 issues at half the rate
    // An interaction that counts for both bodies takes half as many instructions again.
    f.instructions =
        interactions * (symmetric ? 0.75 : 1) * (slots * rate + reads) / f.device.warp_width;
    // A pair computed once, and each source read once for as many targets as usual tiles have.
    const bool once = traits_.mutual && bodies_.same;
    f.least_instructions = interactions * (once ? 0.75 : 1) *
                           (slots * rate + static_cast<double>(traits_.sources) / usual_tile) /
                           f.device.warp_width;
    f.flops = 0; // counted as instructions
    return f;
  }

  /// Operations of an interaction as vector units issue them.
  [[nodiscard]] double slots_of_one() const {
    const int steps = rsqrt_steps(place().device, traits_); // that follow each reciprocal root
    const double slots = traits_.operations + traits_.rsqrts * (1 + steps);
    // Where the interaction does not declare operations.
    return slots > 0 ? slots : known_or_none(traits_.flops);
  }

  Traits traits_;
  Bodies bodies_;
};

} // namespace

std::unique_ptr<Menu> menu(const Traits& traits, const Bodies& bodies, const ridge::Place& place) {
  return std::make_unique<PairsMenu>(traits, bodies, place);
}

} // namespace ridge::pairs
