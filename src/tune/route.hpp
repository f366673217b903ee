// What a search measures next.
#pragma once

#include <ridge/tune/search.hpp>

#include "ranking.hpp"
#include "standing.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ridge::tune {

/// What a model holds for so much slower than its best is not measured.
inline constexpr double hopeless = 1.5;

class Route {
public:
  /// All must outlive it.
  Route(const Ground& ground, const std::string& standard, Order order);

  /// At most `room` schedules that were not seen: what lies around the best and needs no compiling;
  /// then, compiled together, what else lies there and the next of the ranking. None: there is
  /// nothing left.
  [[nodiscard]] std::vector<std::string> next(const Standing& standing, std::size_t room);

  /// What the model holds for the fastest of the space; empty where it knows nothing.
  [[nodiscard]] const std::string& ranked_first() const { return ranked_first_; }

private:
  [[nodiscard]] std::vector<std::string> surroundings(const Standing& standing);
  [[nodiscard]] double promise_of(const Standing& standing, const std::string& centre,
                                  const std::string& schedule);

  const Ground& ground_;
  Order order_;
  Ranking ranking_;
  std::string ranked_first_;
  std::deque<std::string> ranked_; ///< the space as it is to be measured
  std::map<std::string, std::vector<std::string>> around_;
};

} // namespace ridge::tune
