// One launch at the doctor's: run, examined, and its cures proved where that is asked for.
#pragma once

#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/proof.hpp>
#include <ridge/pattern/case.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lab {

/// One launch that was examined.
struct Visit {
  std::string kernel, device, device_name;
  Extents size;
  std::string precision;
  NamedText schedule;
  std::optional<Record> record; ///< where it ran
  doctor::Findings findings;
  std::vector<std::optional<Proof>> proofs; ///< of each diagnosis, where they were asked for
  std::optional<Proof> of_advice = {};      ///< what the advice brings, likewise
};

/// Puts ceilings that a place's description has from a data sheet, or not at all, as they are here
/// and now.
/// `between` may throw to stop.
void measure_ceilings(Place& place, RoofSource& roof, const std::function<void()>& between);

/// Runs the launch of a visit and keeps its record. Throws Failure where its results are wrong.
void run_visit(Visit& visit, Case& running, const BenchRequest& request, RoofSource& roof);

/// Diagnoses a visit of lists or trees by its record, and by those of launches under schedules that
/// differ in a field.
void examine_record(Visit& visit, Case& running, const std::function<void()>& between);

/// Runs the cure of each diagnosis in turn with the launch; none where no schedule cures it.
void prove_visit(Visit& visit, Case& running, const std::function<void()>& between);

/// Runs what the advice of a visit says in turn with the launch; `running` is of many steps.
void prove_advice(Visit& visit, Case& running, const std::function<void()>& between);

/// The diagnoses as `ridge doctor --json` prints them: an array.
[[nodiscard]] std::string visit_json(const Visit& visit);

/// The record of a launch that ran with its diagnoses, as JSON for `ridge report`.
[[nodiscard]] std::string record_text(const Visit& visit);

} // namespace ridge::lab
