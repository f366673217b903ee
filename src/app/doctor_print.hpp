// What `ridge doctor` prints.
#pragma once

#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/proof.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// One launch that was examined.
struct Visit {
  std::string kernel, device, device_name;
  Extents size;
  std::string precision;
  doctor::Prescription schedule;
  std::optional<Record> record; ///< where it ran
  doctor::Findings findings;
  std::vector<std::optional<lab::Proof>> proofs; ///< of each diagnosis, where they were asked for
};
void print_visit(const Visit& visit, bool json);
/// The record of a launch that ran with its diagnoses, as JSON for `ridge report`.
[[nodiscard]] std::string record_text(const Visit& visit);

void print_explanation(const doctor::Cause& cause);
/// All causes, and the confusion table.
void print_causes(bool json);
void print_checklist(const doctor::Facts& facts, bool json);

} // namespace ridge::app
