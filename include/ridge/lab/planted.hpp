// Launches with one planted cause each, and the same without: what the doctor is tested with.
#pragma once

#include <ridge/doctor/diagnosis.hpp>
#include <ridge/model/facts.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lab {

struct Planted {
  std::string cause; ///< what is planted
  std::string what;  ///< the launch, in words
  std::function<model::Facts()> sick, healthy;
  /// Lists and trees: what runs recorded, in place of facts.
  std::function<Record()> sick_record = {}, healthy_record = {};
  std::vector<Record> tried = {}; ///< under other schedules

  [[nodiscard]] std::optional<double> evidence(const doctor::Cause& named, bool planted) const;
  [[nodiscard]] std::vector<doctor::Diagnosis> diagnoses(bool planted) const;
};

/// One for each cause, on described devices: none of them need be here.
[[nodiscard]] std::vector<Planted> planted_launches();

/// The doctor's answers to them.
struct Confusion {
  std::string planted, what;
  std::string device;                  ///< a described one, as it is called
  std::string named_first;             ///< empty: none
  double gain = 1;                     ///< that it promises
  std::vector<std::string> also;       ///< named behind
  std::vector<std::string> on_healthy; ///< named where nothing is planted
};
[[nodiscard]] std::vector<Confusion> confusion_table();

} // namespace ridge::lab
