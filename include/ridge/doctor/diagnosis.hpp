// Diagnoses: which causes hold for a launch, what each costs, and the cure.
#pragma once

#include <ridge/doctor/cause.hpp>
#include <ridge/pattern/menu.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::doctor {

struct Diagnosis {
  const Cause* cause = nullptr;
  double evidence = 0;
  double predicted_gain = 1; ///< time now over time then
  double gain_alone = 1;     ///< were this cause gone and nothing else changed
  std::string fix;           ///< for people: what to do
  std::string schedule;      ///< the cured one; empty where no schedule helps
};

/// A change that need not be small.
struct Best {
  std::string fix; ///< empty: none is faster
  double predicted_gain = 1;
};

/// A launch, and what is wrong with it: the worst first.
struct Findings {
  Facts facts;
  model::Time time;
  std::vector<Diagnosis> diagnoses;
  Best best; ///< of the schedules with names, the fastest, whatever the cause
  std::optional<Advice> advice;

  /// Lists and trees are not.
  [[nodiscard]] bool is_modelled() const { return time.seconds.value > 0; }
  /// Whether a schedule with a name is much faster, and no cause says why.
  [[nodiscard]] bool is_unexplained() const;
};

/// How many times as fast another schedule is that asks for a cause.
inline constexpr double much_faster = 1.2;

/// A cause counts where its evidence passes its threshold and the cure saves at least this share
/// of the time.
inline constexpr double least_saving = 0.03;

/// Examines a launch under a schedule. `record`: what was measured of it, where it ran. The cure of
/// a cause is the schedule without it that the model takes for the fastest: one with a name only
/// where it saves that much beside the best that differs in one field.
[[nodiscard]] Findings diagnose(const Menu& menu, const std::string& schedule,
                                const Record* record = nullptr);

/// Diagnoses of a launch of which only facts are known: the causes, and what their cures bring at
/// most.
[[nodiscard]] std::vector<Diagnosis> diagnose(const Facts& facts);

/// Whether causes know the launch by its record: lists and trees.
[[nodiscard]] bool is_recorded(const Record& record);
/// Whether what other schedules do is worth finding out.
[[nodiscard]] bool has_schedules_to_try(const Record& record);
/// Examines such a launch, which was timed; `tried`: what launches under other schedules recorded.
[[nodiscard]] std::vector<Diagnosis> diagnose(const Record& record,
                                              const std::vector<Record>& tried);

} // namespace ridge::doctor
