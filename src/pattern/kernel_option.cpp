#include <ridge/core/error.hpp>
#include <ridge/pattern/kernel_option.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ridge {

namespace {

/// Made when first used, by whichever static initialiser comes first.
std::vector<KernelOption>& option_table() {
  static auto* const all = new std::vector<KernelOption>;
  return *all;
}

} // namespace

bool OptionValues::has(const std::string& name) const {
  const auto at = all.find(name);
  return at != all.end() &&
         std::visit([](const auto& held) { return held.has_value(); }, at->second);
}

std::string KernelOption::name() const {
  const std::string_view all_names(names);
  return std::string(all_names.substr(2, std::min(all_names.find(','), all_names.size()) - 2));
}

KernelOptionsOf::KernelOptionsOf(std::string_view pattern, std::vector<KernelOption> rows,
                                 CheckOptions check) {
  for (KernelOption& row : rows) {
    row.pattern = pattern;
    row.check = check;
    option_table().push_back(std::move(row));
  }
  std::stable_sort(option_table().begin(), option_table().end(),
                   [](const auto& a, const auto& b) { return a.pattern < b.pattern; });
}

std::vector<KernelOption> kernel_options(KernelOption::Command command) {
  std::vector<KernelOption> taken;
  std::copy_if(option_table().begin(), option_table().end(), std::back_inserter(taken),
               [&](const KernelOption& row) { return (row.commands & command) != 0; });
  return taken;
}

OptionValues options_of_kernel(const OptionValues& given, KernelOption::Command command,
                               std::string_view pattern, std::string_view kernel) {
  OptionValues taken;
  const std::vector<KernelOption> rows = kernel_options(command);
  for (const KernelOption& row : rows) {
    if (row.pattern == pattern && given.has(row.name()))
      taken.all[row.name()] = given.all.at(row.name());
  }
  for (const KernelOption& row : rows) {
    if (!given.has(row.name())) continue;
    if (!taken.has(row.name()) && *row.refusal != '\0')
      throw UsageError(fmt::format(fmt::runtime(row.refusal), kernel));
    if (row.pattern == pattern && row.check != nullptr) row.check(taken);
  }
  return taken;
}

} // namespace ridge
