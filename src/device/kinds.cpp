#include "kinds.hpp"

#include <algorithm>
#include <array>

namespace ridge {

namespace {

/// In the order of DeviceKind.
constexpr std::array all_kinds{
#define RIDGE_KIND_ROW(kind, Target, MACRO) &rows::kind,
    RIDGE_FOR_EACH_KIND(RIDGE_KIND_ROW)
#undef RIDGE_KIND_ROW
};

} // namespace

std::span<const KindFacts* const> kinds() {
  return all_kinds;
}

const KindFacts& facts_of(DeviceKind kind) {
  return *all_kinds[static_cast<std::size_t>(kind)];
}

std::vector<const KindFacts*> listed_kinds() {
  std::vector<const KindFacts*> listed(all_kinds.begin(), all_kinds.end());
  std::stable_partition(listed.begin(), listed.end(),
                        [](const KindFacts* kind) { return kind->is_gpu(); });
  return listed;
}

bool is_from(std::string_view architecture, const char* least) {
  return least != nullptr && (architecture.size() > 5 || architecture >= least);
}

std::string forms_of(const KindFacts& kind) {
  const std::string name(kind.name);
  if (kind.numbering == Numbering::none) return name;
  if (kind.numbering == Numbering::counted) return name + ":N";
  std::string forms;
  for (const int number : kind.numbers())
    forms += (forms.empty() ? "" : " or ") + name + ":" + std::to_string(number);
  return forms;
}

std::string device_forms() {
  std::vector<const KindFacts*> listed(all_kinds.begin(), all_kinds.end());
  std::stable_partition(listed.begin(), listed.end(),
                        [](const KindFacts* kind) { return !kind->is_emulated; });
  std::string forms;
  for (const KindFacts* const kind : listed)
    forms += (forms.empty() ? "" : ", ") + forms_of(*kind);
  return forms;
}

} // namespace ridge
