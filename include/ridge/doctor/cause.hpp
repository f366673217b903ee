// The causes of slowness that the doctor knows, each a number against a threshold.
#pragma once

#include <ridge/model/facts.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::doctor {

using model::Facts, model::time_of, model::graph_share;

/// A remedy for a cause that a record shows.
struct Cure {
  double gain = 1;           ///< time now over time then
  std::string fix;           ///< for people
  std::string schedule = {}; ///< that has it; empty where no schedule helps
};

struct Cause {
  std::string_view name;  ///< "cache-overflow"
  std::string_view title; ///< "what is used again is no longer in the cache"
  std::string_view unit;  ///< of the evidence: "of the least bytes read"
  double threshold = 0;
  bool above = true; ///< found where the evidence is above the threshold, else below
  /// Nothing where the cause cannot be: on this kind of device, of this pattern.
  std::optional<double> (*evidence)(const Facts&);
  /// Whether a change cures it; null: where it is not found any more.
  bool (*cures)(const Facts& sick, const Facts& changed) = nullptr;
  /// The launch without the cause: what a cure can bring at most.
  Facts (*healed)(Facts);
  /// Lists, trees, cycles of multigrid, and launches that take longer than modelled: what they do
  /// is known once it is done. The evidence of a record that has it, and the cure, knowing what
  /// launches under other schedules recorded. `evidence` says nothing then.
  std::optional<double> (*recorded)(const Record&) = nullptr;
  Cure (*cure)(const Record& sick, const std::vector<Record>& tried) = nullptr;
  bool tries = false;      ///< the cure is one of the schedules that were tried
  std::string_view action; ///< what to do where no schedule helps
  std::string_view background;
  std::string_view source;

  [[nodiscard]] bool found(double value) const {
    return above ? value > threshold : value < threshold;
  }
  [[nodiscard]] bool is_cured(const Facts& sick, const Facts& changed) const {
    if (cures != nullptr) return cures(sick, changed);
    const auto left = evidence(changed);
    return !left || !found(*left);
  }
};

/// All 25, in the order in which equal gains are told.
[[nodiscard]] const std::vector<Cause>& causes();

/// Throws UsageError that lists them.
[[nodiscard]] const Cause& find_cause(std::string_view name);

} // namespace ridge::doctor
