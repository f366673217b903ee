// Systems by name, with their types put away.
#pragma once

#include <ridge/chain/system/kernel.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// A system that evolves.
struct EvolvingSystem {
  std::string name, meaning;
  /// With `by_step`, numbers that can may have a value for each step: what runs it is compiled when
  /// it is asked for, where it has such numbers. Throws UsageError for numbers that it does not
  /// have, or that cannot be.
  std::function<chain::SystemKernel(const chain::NumberValues&, bool by_step)> make;
};

/// All built-in ones, in the order of their headers' names.
[[nodiscard]] const std::vector<std::shared_ptr<const EvolvingSystem>>& evolving_systems();
/// Adds one, when its header is described.
void add_evolving_system(EvolvingSystem system);
/// Null where there is none of that name.
[[nodiscard]] const EvolvingSystem* find_evolving_system(std::string_view name);

/// Throws UsageError for values of numbers that a system does not have, or that cannot be.
void require_numbers(const chain::SystemKernel& kernel, const chain::NumberValues& values);

/// The one of several words that a misspelt one may stand for; empty where half of its letters or
/// more would have to change.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

} // namespace ridge::lab
