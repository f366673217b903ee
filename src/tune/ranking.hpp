// In which order schedules are worth measuring.
#pragma once

#include <ridge/tune/search.hpp>

#include <map>
#include <string>
#include <vector>

namespace ridge::tune {

/// The order in which a model would have schedules measured; those that are alike to it, or of
/// which it knows nothing, in the order of how little they differ from the default.
class Ranking {
public:
  /// Both must outlive it.
  Ranking(const Ground& ground, const std::string& standard)
      : ground_(ground), standard_(standard) {}

  /// Infinite where the schedule cannot run, by the model; very large where it knows nothing.
  double cost(const std::string& schedule);
  bool knows(const std::string& schedule);
  /// Leaves out what cannot run.
  void sort(std::vector<std::string>& schedules);
  /// Moves schedules that the model takes for equals back, one farther than the other: they differ
  /// in what it does not know, and are too many to measure before anything else.
  void spread_equals(std::vector<std::string>& sorted);
  /// Drops those at the end of a sorted list that the model holds for slower than its best by
  /// `factor`.
  void drop_hopeless(std::vector<std::string>& sorted, double factor);

private:
  const Ground& ground_;
  const std::string& standard_;
  std::map<std::string, double> known_;
};

} // namespace ridge::tune
