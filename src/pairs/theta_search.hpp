// The theta of a tree for an error that is asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace ridge::pairs {

/// Tries thetas until the error of one is 0.85 to 0.95 of what was asked for: later sums, which
/// know other costs, may be off by a little more. Among few bodies errors jump, and no theta may
/// have such a one: then the largest that was tried and held.
class ThetaSearch {
public:
  ThetaSearch(double theta, int order) : theta_(theta), power_(1.0 / (order + 1)) {}

  /// The one to try now. 0: all pairs, the last resort.
  [[nodiscard]] double theta() const { return theta_; }
  static constexpr double widest = 1.5;

  /// Takes the error of theta() over the one that was asked for. Whether there is another to try.
  [[nodiscard]] bool goes_on(double used) {
    if (theta_ == 0 || settled_) return false;
    const bool holds = used <= most;
    const Trial trial{theta_, std::isfinite(used) ? std::max(used, 1e-3) : 1e6};
    if (holds) learn_power(trial);
    (holds ? held_ : lost_) = trial;
    if (!held_) {
      theta_ *= std::clamp(std::pow(least / trial.used, power_), 0.4, 0.95);
      if (theta_ < 0.02 || ++losses_ == 13) theta_ = 0;
      return true;
    }
    if (holds && (used >= least || theta_ >= widest)) return false;
    const bool is_near = lost_ && lost_->theta < 1.02 * held_->theta;
    if (is_near || ++refinements_ > 5) {
      settled_ = true;
      theta_ = held_->theta;
      return !holds; // for its sums
    }
    theta_ = lost_ ? between(*held_, *lost_) : wider(*held_);
    return true;
  }

private:
  struct Trial {
    double theta, used;
  };
  static constexpr double least = 0.85, most = 0.95, aim = 0.9;

  /// From two thetas that held, how theta grows with the error.
  void learn_power(const Trial& t) {
    if (!held_ || held_->theta >= t.theta || held_->used >= t.used) return;
    const double found = std::log(t.theta / held_->theta) / std::log(t.used / held_->used);
    power_ = std::clamp(found, 0.1, 1.0);
  }
  [[nodiscard]] double wider(const Trial& held) const {
    const double factor = std::pow(aim / held.used, power_);
    return std::min(widest, held.theta * std::clamp(factor, 1.01, 2.0));
  }
  /// Along a straight line of logarithms.
  [[nodiscard]] static double between(const Trial& held, const Trial& lost) {
    const double share = std::log(aim / held.used) / std::log(lost.used / held.used);
    return held.theta * std::pow(lost.theta / held.theta, std::clamp(share, 0.2, 0.8));
  }

  double theta_, power_; ///< theta grows as the error to this power
  std::optional<Trial> held_, lost_;
  int losses_ = 0, refinements_ = 0;
  bool settled_ = false;
};

} // namespace ridge::pairs
