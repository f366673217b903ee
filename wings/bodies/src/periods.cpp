#include "periods.hpp"

#include <cmath>
#include <numbers>

namespace ridge::nbody {

void PeriodMeter::look(double time, const Bodies& bodies) {
  constexpr double turn = 2 * std::numbers::pi;
  const bool first = paths_.empty();
  paths_.resize(bodies.mass.size());
  if (first) begin_ = time;
  for (std::size_t i = 1; i < paths_.size(); ++i) {
    Path& path = paths_[i];
    const double longitude = std::atan2(bodies.position[1][i] - bodies.position[1][0],
                                        bodies.position[0][i] - bodies.position[0][0]);
    if (!first) {
      const double step = std::remainder(longitude - path.longitude, turn);
      path.turned += step;
      const auto whole = static_cast<Index>(std::abs(path.turned) / turn);
      if (whole > path.turns) {
        const double beyond = std::abs(path.turned) - static_cast<double>(whole) * turn;
        path.turned_at = time - (time - last_) * beyond / std::abs(step);
        path.turns = whole;
      }
    }
    path.longitude = longitude;
  }
  last_ = time;
}

double PeriodMeter::period(Index i) const {
  const Path& path = paths_.at(static_cast<std::size_t>(i));
  return path.turns > 0 ? (path.turned_at - begin_) / static_cast<double>(path.turns) : 0;
}

Index PeriodMeter::turns(Index i) const {
  return paths_.at(static_cast<std::size_t>(i)).turns;
}

} // namespace ridge::nbody
