#include "stepping.hpp"

#include "interrupt.hpp"

#include <algorithm>

namespace ridge::app {

namespace {
/// How long the user waits for progress and after Ctrl-C, in seconds.
constexpr double response = 0.2;
} // namespace

Index Stepping::next(Index beside) const {
  const auto multiple = [&](Index n) { return (step_ / n + 1) * n; };
  Index stop = std::min({last_, multiple(every_), step_ + batch_});
  if (beside > 0) stop = std::min(stop, multiple(beside));
  return stop - step_;
}

void Stepping::learn(Index steps, double took) {
  took = ranks_.greatest(took);
  seconds_ += took;
  if (took < response / 2 && steps == batch_) batch_ *= 2;
  if (took > response) batch_ = std::max<Index>(1, batch_ / 2);
}

bool Stepping::is_interrupted() const {
  return step_ != last_ && interrupt_seen_by(ranks_);
}

} // namespace ridge::app
