// Schedules of sweeps: the default one, those that are compared, and all.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/pass_variants.hpp>
#include <ridge/stencil/sweeps.hpp>

#include "cpu_default.hpp"
#include "pass_default.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::stencil {

std::string to_text(const SweepsSchedule& schedule) {
  return schedule.pass ? to_text(*schedule.pass) : "sweeps=1 " + to_text(schedule.single);
}

namespace {

constexpr int most_compared = 8;

/// That of single sweeps over fields as a launch sees them.
Schedule default_single(const Device& device, const Traits& traits, const ShellLayout& layout) {
  return default_schedule(device, traits, layout.extents, true, layout.strides);
}

/// On a cpu, where passes pay: of three sweeps, which were the fastest or within a twentieth of it,
/// of waves eight, unless the one more field that they need is more than half of what is free.
std::optional<PassSchedule> default_cpu_pass(const Device& device, const Traits& traits,
                                             const Boundaries& boundaries, Index3 n) {
  const int threads = ridge::cpu::default_threads();
  if (const auto eight = pass_of_waves(device.facts(), traits, n, threads)) {
    const PassSchedule pass = settled(*eight, device, traits, n);
    const Index fields = 4 * n.x * n.y * n.z * traits.element_bytes;
    const bool fits = 2 * fields <= device.free_memory().value;
    if (fits && is_pass_ahead(device, traits, pass, false)) return pass;
  }
  if (!passes_pay(traits, n, threads)) return {};
  const PassSchedule three = settled(with_sweeps(plain_pass(device.kind()), 3), device, traits, n);
  const bool moving = shell_changes(boundaries, traits.radius);
  if (moving || !is_pass_ahead(device, traits, three, moving)) return {};
  return three;
}

/// The most sweeps in one pass; 0 where there are none.
int most_sweeps(const Device& device, const Traits& traits, int levels,
                const Boundaries& boundaries) {
  if (!round_alike(traits, boundaries) || has_inflow_values(boundaries)) return 0;
  if (!facts_of(device).takes_gpu_schedules) return most_compared;
  if (!can_copy_asynchronously(device)) return 0;
  bool stars = is_star(traits.footprints[0], traits.radius.z);
  if (traits.inputs() > 1) stars = stars && is_star(traits.footprints[1], 0);
  return most_gpu_pass_sweeps(traits.inputs(), levels, traits.radius, stars,
                              static_cast<int>(traits.element_bytes));
}

/// The passes that are faster than single sweeps wherever they were measured
/// (docs/design/sweeps.md): on GPUs of the compute capabilities with a bulk copy engine, for fields
/// of a million points and more that are no narrower than a tile, where they are compiled ahead, or
/// single sweeps are not: on demand a pass takes nvcc 7 to 13 seconds (docs/design/launches.md),
/// which no first call should wait for unasked.
std::optional<PassSchedule> default_pass(const Device& device, const Traits& traits,
                                         const Boundaries& boundaries, Index3 n, int levels) {
  if (has_inflow_values(boundaries)) return {};
  constexpr Index fewest_points = Index{1} << 20;
  constexpr Index narrowest = 64; // a tile is as wide, and half as high
  const bool narrow = traits.element_bytes < 4;
  if (!facts_of(device).takes_gpu_schedules)
    return narrow ? std::nullopt : default_cpu_pass(device, traits, boundaries, n);
  if (!device.is_gpu() || !can_march(device)) return {};
  if (n.x * n.y * n.z < fewest_points || std::min(n.x, n.y) < narrowest) return {};
  const bool moving = shell_changes(boundaries, traits.radius);
  const int sweeps = pass_sweeps(traits, moving, n);
  const PassSchedule pass =
      settled(with_sweeps(plain_pass(device.kind()), sweeps), device, traits, n);
  // Single sweeps of fields in 16 bits are compiled on demand, too.
  const bool here = narrow ? sweeps <= most_sweeps(device, traits, levels, boundaries)
                           : is_pass_ahead(device, traits, pass, moving);
  if (!here) return {};
  const bool asks = moving || narrow;
  if (asks && !pass_pays(std::get<GpuPassSchedule>(pass), traits, boundaries, moving, n,
                         device.facts().units))
    return {};
  return pass;
}

} // namespace

SweepsSchedule default_sweeps(const Device& device, const Traits& traits,
                              const Boundaries& boundaries, Index3 extents, int ranks, int levels) {
  const ShellLayout layout = shell_layout(device, traits, boundaries, extents);
  SweepsSchedule made{default_single(device, traits, layout)};
  if (ranks == 1) made.pass = default_pass(device, traits, boundaries, layout.extents, levels);
  return made;
}

SweepsSchedule parse_sweeps(std::string_view line, const Device& device, const Traits& traits,
                            const Boundaries& boundaries, Index3 extents, int ranks, int levels) {
  const ShellLayout layout = shell_layout(device, traits, boundaries, extents);
  const Index3 whole = layout.extents;
  std::string rest;
  bool several = false;
  bool single = false;
  for (const std::string_view word : text::words(line)) {
    single = single || word == "sweeps=1";
    several = several || (word.starts_with("sweeps=") && word != "sweeps=1");
    if (word != "sweeps=1") rest += std::string(word) + " ";
  }
  if (!single && !several && (rest.empty() || rest == "auto "))
    return default_sweeps(device, traits, boundaries, extents, ranks, levels);
  if (!several) return {parse_schedule(rest, device, traits, whole, layout.strides).schedule};
  if (single) throw UsageError("schedule field 'sweeps' is given twice");
  const PassSchedule pass = facts_of(device).takes_gpu_schedules
                                ? PassSchedule(text::parse<GpuPassSchedule>(rest))
                                : PassSchedule(text::parse<CpuPassSchedule>(rest));
  return {default_single(device, traits, layout), settled(pass, device, traits, whole)};
}

std::vector<text::Named<SweepsSchedule>> compared_sweeps(const Device& device, const Traits& traits,
                                                         int levels, const Boundaries& boundaries,
                                                         Index3 extents) {
  const ShellLayout layout = shell_layout(device, traits, boundaries, extents);
  const Index3 whole = layout.extents;
  std::vector<text::Named<SweepsSchedule>> all;
  for (const NamedSchedule& named : named_schedules(device))
    all.push_back({named.name, {named.schedule}});
  const SweepsSchedule chosen = default_sweeps(device, traits, boundaries, extents, 1, levels);
  all.push_back({"default", chosen});
  if (chosen.pass) all.push_back({"single sweeps", {chosen.single}});
  const PassSchedule plain = plain_pass(device.kind());
  for (const int sweeps : {2, 3, 4, most_compared}) {
    if (sweeps > most_sweeps(device, traits, levels, boundaries)) continue;
    const PassSchedule pass = settled(with_sweeps(plain, sweeps), device, traits, whole);
    if (pass == chosen.pass) continue;
    try {
      detail::require_pass(traits, levels, whole, sweeps);
    } catch (const UsageError&) {
      continue;
    }
    all.push_back(
        {fmt::format("{} in one pass", sweeps), {default_single(device, traits, layout), pass}});
  }
  return all;
}

namespace {

template <class S>
void add_passes(std::vector<SweepsSchedule>& all, const Device& device, const Traits& traits,
                int levels, const Boundaries& boundaries, const ShellLayout& layout) {
  const Schedule single = default_single(device, traits, layout);
  for (const S& s : text::space<S>()) {
    if (s.sweeps < levels || s.sweeps > most_sweeps(device, traits, levels, boundaries)) continue;
    try {
      detail::require_pass(traits, levels, layout.extents, s.sweeps);
      const PassSchedule pass = settled(s, device, traits, layout.extents);
      const bool is_new = std::none_of(all.begin(), all.end(), [&](const SweepsSchedule& known) {
        return known.pass && *known.pass == pass;
      });
      if (is_new) all.push_back({single, pass});
    } catch (const UsageError&) { // too few points, or no room for its planes
    }
  }
}

} // namespace

std::vector<SweepsSchedule> sweeps_space(const Device& device, const Traits& traits, int levels,
                                         const Boundaries& boundaries, Index3 extents) {
  const ShellLayout layout = shell_layout(device, traits, boundaries, extents);
  std::vector<SweepsSchedule> all;
  if (facts_of(device).takes_gpu_schedules) {
    add_passes<GpuPassSchedule>(all, device, traits, levels, boundaries, layout);
  } else {
    add_passes<CpuPassSchedule>(all, device, traits, levels, boundaries, layout);
  }
  for (const Schedule& single : schedule_space(device, traits))
    all.push_back({single});
  return all;
}

} // namespace ridge::stencil
