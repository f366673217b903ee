// Systems by name, with their types put away.
#pragma once

#include <ridge/chain/system/kernel.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::lab {

/// Numbers of a system, by the names of its members.
using SystemNumbers = std::vector<std::pair<std::string, double>>;

/// A system that evolves.
struct EvolvingSystem {
  std::string name, meaning;
  /// Throws UsageError for numbers that it does not have, or that cannot be.
  std::function<chain::SystemKernel(const SystemNumbers&)> make;
};

/// All built-in ones, in the order of their headers' names.
[[nodiscard]] const std::vector<std::shared_ptr<const EvolvingSystem>>& evolving_systems();
/// Null where there is none of that name.
[[nodiscard]] const EvolvingSystem* find_evolving_system(std::string_view name);

} // namespace ridge::lab
