#include "experience.hpp"

#include <ridge/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::tune {

namespace {

/// "tile=4 > tile=8" of schedules that differ in one field, which come with the same fields in the
/// same order; empty of others.
std::string change_of(const std::string& from, const std::string& to) {
  const auto a = text::words(from);
  const auto b = text::words(to);
  std::string change;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    if (!change.empty()) return {};
    change = std::string(a[i]) + " > " + std::string(b[i]);
  }
  return change;
}

} // namespace

int fields_apart(const std::string& a, const std::string& b) {
  const auto of_a = text::words(a);
  const auto of_b = text::words(b);
  int apart = 0;
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i)
    apart += of_a[i] != of_b[i] ? 1 : 0;
  return apart;
}

void Experience::learn(const std::string& schedule, double seconds) {
  for (const auto& [other, time] : measured_) {
    const std::string there = change_of(other, schedule);
    if (there.empty()) continue;
    const double change = std::log(seconds / time);
    for (const auto& [name, value] :
         {std::pair(there, change), std::pair(change_of(schedule, other), -change)}) {
      changes_[name].sum += value;
      ++changes_[name].count;
    }
  }
  measured_.emplace_back(schedule, seconds);
}

std::optional<double> Experience::change(const std::string& from, const std::string& to) const {
  const auto at = changes_.find(change_of(from, to));
  if (at == changes_.end()) return std::nullopt;
  return std::exp(at->second.sum / at->second.count);
}

} // namespace ridge::tune
