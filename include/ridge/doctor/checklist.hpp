// The checklist of the memory guide, answered for one launch.
#pragma once

#include <ridge/model/facts.hpp>

#include <string>
#include <vector>

namespace ridge::doctor {

using model::Facts;

struct ChecklistItem {
  std::string name;   ///< "launch width"
  std::string answer; ///< what there is, with figures
  bool good = true;
  std::string advice; ///< what to do where it is not good
};

/// The five questions of "Quick checklist when a kernel is slow", for launches on GPUs. Throws
/// UsageError for a cpu, which has no warps.
[[nodiscard]] std::vector<ChecklistItem> checklist(const Facts& facts);

} // namespace ridge::doctor
