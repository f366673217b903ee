// Steps of a run, some at a time: as many as the user waits for between two looks.
#pragma once

#include <ridge/comm/communicator.hpp>

#include <chrono>

namespace ridge::app {

/// Ranks take the same steps at a time.
class Stepping {
public:
  /// Counts `step` on to `last`. A look is due at each multiple of `every` and at the last step.
  Stepping(comm::Communicator& ranks, Index& step, Index last, Index every)
      : ranks_(ranks), step_(step), first_(step), last_(last), every_(every) {}

  [[nodiscard]] bool done() const { return step_ >= last_; }
  [[nodiscard]] bool due() const { return step_ % every_ == 0 || step_ == last_; }
  /// The steps to take now: to the next look at the most, and to the next multiple of `beside`
  /// where that is positive.
  [[nodiscard]] Index next(Index beside = 0) const;
  /// Lets `advance(steps)` take them, which waits for the device.
  template <class F>
  void take(Index steps, const F& advance) {
    const auto begin = Clock::now();
    advance(steps);
    step_ += steps;
    learn(steps, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  /// Whether the user of any rank wants to end before the last step. Collective.
  [[nodiscard]] bool is_interrupted() const;

  [[nodiscard]] Index taken() const { return step_ - first_; }
  [[nodiscard]] Index last() const { return last_; }
  /// How much of all is done.
  [[nodiscard]] double part() const {
    return static_cast<double>(taken()) / static_cast<double>(last_ - first_);
  }
  /// That the steps took, of the slowest rank each time.
  [[nodiscard]] double seconds() const { return seconds_; }

private:
  using Clock = std::chrono::steady_clock;
  void learn(Index steps, double took);

  comm::Communicator& ranks_;
  Index& step_;
  Index first_, last_, every_;
  Index batch_ = 1;
  double seconds_ = 0;
};

} // namespace ridge::app
