// What a search has measured so far, the fastest first.
#pragma once

#include <ridge/tune/search.hpp>

#include "experience.hpp"
#include "finals.hpp"

#include <set>
#include <string>
#include <vector>

namespace ridge::tune {

class Standing {
public:
  /// Of the default schedule `standard`. It and `others` play in the finals wherever they stand,
  /// the `most` fastest beside them.
  explicit Standing(std::string standard, std::size_t most = most_finalists,
                    const std::vector<std::string>& others = {})
      : standard_(std::move(standard)), most_(most), invited_(others.begin(), others.end()) {
    invited_.insert(standard_);
  }

  /// A schedule was tried. Programs hold memory and compiled code: only those that may win are
  /// kept.
  void keep(Trial trial, Stopwatch watch);

  /// Fastest first.
  [[nodiscard]] const std::vector<Entrant>& entrants() const { return entrants_; }
  [[nodiscard]] const Entrant& best() const { return entrants_.front(); }
  [[nodiscard]] const Entrant& standard() const;
  [[nodiscard]] bool has_seen(const std::string& schedule) const {
    return seen_.contains(schedule);
  }
  [[nodiscard]] const Experience& experience() const { return experience_; }
  [[nodiscard]] int measured() const { return measured_; }
  /// In the order in which they were tried.
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }

  /// Those near the best, and who is invited.
  [[nodiscard]] std::vector<Entrant*> finalists();
  /// What was measured in turn replaces the first look; the winner is first, whatever the rest.
  void settle(const std::vector<Entrant*>& finalists, const Finals& played);
  /// The first has wrong results, and leaves.
  void drop_first(const std::string& problem);

private:
  std::string standard_;
  std::size_t most_;
  std::set<std::string> invited_;
  std::vector<Entrant> entrants_;
  std::set<std::string> seen_;
  std::vector<Trial> trials_;
  Experience experience_;
  int measured_ = 0;
};

} // namespace ridge::tune
