// Lists of near pairs whose skin is too wide, or too narrow.
#include "../causes.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::doctor {

namespace {

/// What a step over lists takes: sums, the look whether bodies moved, and its share of a build.
struct Step {
  double cutoff = 0, skin = 0;
  double sums = 0, look = 0, build = 0; ///< seconds
  double around = 0; ///< how much farther than cutoff and skin pairs are computed: groups have one
                     ///< list

  /// With another skin. Both sums and builds visit what is within reach.
  [[nodiscard]] double seconds(double other) const {
    const double wider = (cutoff + other + around) / (cutoff + skin + around);
    return (sums + build / steps(other)) * wider * wider * wider + look;
  }
  /// That lists last: a body moves half of the skin. Bodies of a melt, 0.12 of the cutoff, take
  /// seven (docs/near_pairs.md).
  [[nodiscard]] double steps(double other) const {
    return std::max(1.0, 7 / 0.12 * other / cutoff);
  }
  [[nodiscard]] double best() const {
    double found = skin;
    for (double other = cutoff / 50; other <= cutoff; other *= 1.05)
      if (seconds(other) < seconds(found)) found = other;
    return found;
  }
};

std::optional<Step> step_of(const Record& record) {
  const auto cutoff = number_of(record, "cutoff");
  const auto skin = number_of(record, "skin");
  const auto asked = number_of(record, "asked");
  const auto computed = number_of(record, "computed");
  const auto build = number_of(record, "build_seconds");
  const bool is_of_lists = cutoff && skin && asked && computed && build && record.timing;
  if (!is_of_lists || *asked <= 0) return {};
  Step step{*cutoff, *skin, record.timing->median.value};
  step.build = *build;
  step.look = number_of(record, "look_seconds").value_or(0);
  step.around = std::max(0.0, *cutoff * std::cbrt(*computed / *asked) - *cutoff - *skin);
  return step;
}

std::optional<double> skin_of(const Record& record) {
  const auto step = step_of(record);
  if (!step) return {};
  return step->skin / step->cutoff;
}

Cure other_skin(const Record& sick, const std::vector<Record>& /*tried*/) {
  const Step step = *step_of(sick);
  const double best = step.best();
  const double outside = 1 - *number_of(sick, "asked") / *number_of(sick, "computed");
  return {step.seconds(step.skin) / step.seconds(best),
          fmt::format("--skin {:.2g}: of the pairs computed {:.0f} % are outside of the cutoff; "
                      "lists would be built every {:.1f} steps of a melt, now {:.1f}",
                      best, 100 * outside, step.steps(best), step.steps(step.skin))};
}

constexpr std::string_view about_skins =
    "Lists hold pairs up to cutoff and skin, and are built anew when a body has moved half of the "
    "skin. A wide skin computes pairs that are outside of the cutoff in each step, as the cube of "
    "its reach; a narrow one builds lists more often. The best skin is where both cost the same: "
    "0.12 of the cutoff for a melt, more where a build takes many steps' time. What is predicted "
    "is a step of a run, its share of a build included, not one sum.";
Cause of_skins() {
  Cause c = recorded_cause();
  c.unit = "of the cutoff is skin";
  c.recorded = &skin_of;
  c.cure = &other_skin;
  c.background = about_skins;
  c.source = "docs/near_pairs.md; targets of lists: cutoff 2.5, skin 0.3";
  return c;
}

} // namespace

Cause loose_lists() {
  Cause c = of_skins();
  c.name = "loose-lists";
  c.title = "lists hold many pairs that are outside of the cutoff";
  c.threshold = 0.3;
  c.action = "give a smaller --skin, or ListOptions a smaller skin";
  return c;
}

Cause tight_lists() {
  Cause c = of_skins();
  c.name = "tight-lists";
  c.title = "lists are built nearly every step";
  c.threshold = 0.06;
  c.above = false;
  c.action = "give a larger --skin, or ListOptions a larger skin";
  return c;
}

} // namespace ridge::doctor
