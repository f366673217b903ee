// Measuring how long bodies take around the first.
#pragma once

#include "bodies.hpp"

namespace ridge::nbody {

/// Follows each body's longitude around body 0 in the x-y plane. Bodies must move less than half a
/// turn from one look to the next; periods are the more exact the shorter that is.
class PeriodMeter {
public:
  void look(double time, const Bodies& bodies);

  /// Mean time of a turn over all whole turns of body `i`; 0 when it has not made one.
  [[nodiscard]] double period(Index i) const;
  [[nodiscard]] Index turns(Index i) const;

private:
  struct Path {
    double longitude = 0; ///< at the last look, within a turn
    double turned = 0;    ///< since the first look, radians
    Index turns = 0;
    double turned_at = 0; ///< when the last whole turn was complete
  };
  double begin_ = 0, last_ = 0;
  std::vector<Path> paths_;
};

} // namespace ridge::nbody
