#include "ranking.hpp"

#include <ridge/core/error.hpp>

#include "experience.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ridge::tune {

namespace {
constexpr double unknown = std::numeric_limits<double>::max() / 2;
}

double Ranking::cost(const std::string& schedule) {
  if (const auto at = known_.find(schedule); at != known_.end()) return at->second;
  double cost = unknown;
  try {
    if (ground_.cost) cost = ground_.cost(schedule).value_or(unknown);
  } catch (const Error&) {
    cost = std::numeric_limits<double>::infinity();
  }
  return known_.emplace(schedule, cost).first->second;
}

bool Ranking::knows(const std::string& schedule) {
  return cost(schedule) < unknown;
}

void Ranking::sort(std::vector<std::string>& schedules) {
  using Ranked = std::pair<std::pair<double, int>, std::string>;
  std::vector<Ranked> ranked;
  for (std::string& s : schedules) {
    if (const double c = cost(s); std::isfinite(c))
      ranked.push_back({{c, fields_apart(s, standard_)}, std::move(s)});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
  schedules.clear();
  for (Ranked& r : ranked)
    schedules.push_back(std::move(r.second));
}

void Ranking::spread_equals(std::vector<std::string>& sorted) {
  constexpr double equal = 1.001;
  constexpr double each = 0.01; // of the cost: so much farther back is each of them
  std::vector<std::pair<double, std::string>> places;
  double first = 0; // of a run of equals
  int before = 0;
  for (std::string& s : sorted) {
    const double c = cost(s);
    before = c <= equal * first ? before + 1 : 0;
    if (before == 0) first = c;
    places.emplace_back(c < unknown ? c * (1 + each * before) : c, std::move(s));
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = std::move(places[i].second);
}

void Ranking::drop_hopeless(std::vector<std::string>& sorted, double factor) {
  if (sorted.empty()) return;
  const double most = factor * cost(sorted.front());
  while (cost(sorted.back()) > most)
    sorted.pop_back();
}

} // namespace ridge::tune
