// How blocks that march keep in step: none starts a step before all have begun the one `drift`
// steps before, so that what two of them share is read from memory once.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/plan.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Where a block is. Only one of its lanes, the leader, counts and waits.
class MarchSteps {
public:
  RIDGE_DEVICE MarchSteps(const MarchPlan& plan, int block, int blocks)
      : pace_(anew(plan.pace.planes)), drift_(anew(plan.pace.drift)),
        ask_at_(pace_ > 1 ? pace_ - 1 : 1), block_(block), blocks_(blocks), first_step_(anew(0)) {}

  [[nodiscard]] RIDGE_DEVICE bool kept() const { return drift_ > 0; }

  /// Before the first plane of unit `u`.
  RIDGE_DEVICE void begin(const MarchPlan& plan, int u) {
    const int left = plan.units.count - (u - block_);
    together_ = static_cast<unsigned>(anew(left < blocks_ ? left : blocks_));
    step_ = first_step_;
    planes_ = anew(0);
  }
  /// Whether a step begins with the next plane.
  [[nodiscard]] RIDGE_DEVICE bool begins_step() const { return kept() && planes_ == 0; }

  /// The leader counts its block in, and waits until all have begun the step `drift` before.
  template <class Lane>
  RIDGE_DEVICE void wait(Lane& lane, const MarchPlan& plan) {
    lane.atomic_add(plan.passed, step_, 1u);
    const int behind = step_ - drift_;
    if (behind < 0) return;
    const unsigned wanted = behind >= first_step_ ? together_ : before_;
    while (seen_ < wanted)
      seen_ = lane.load_relaxed(plan.passed, behind);
  }

  /// After a plane. The leader asks for the counter of the next step a plane before it needs it.
  template <class Lane>
  RIDGE_DEVICE void pass_plane(Lane& lane, const MarchPlan& plan, bool leads) {
    if (!kept()) return;
    ++planes_;
    if (leads && planes_ == ask_at_ && step_ + 1 >= drift_)
      seen_ = lane.load_relaxed(plan.passed, step_ + 1 - drift_);
    if (planes_ == pace_) {
      planes_ = 0;
      ++step_;
    }
  }

  /// After the last plane of a unit. Columns of fewer planes count as having begun the steps that
  /// they do not have.
  template <class Lane>
  RIDGE_DEVICE void end(Lane& lane, const MarchPlan& plan, bool leads) {
    if (kept() && leads) {
      for (step_ += planes_ > 0 ? 1 : 0; step_ < first_step_ + plan.pace.steps; ++step_)
        lane.atomic_add(plan.passed, step_, 1u);
    }
    first_step_ += plan.pace.steps;
    before_ = together_;
    seen_ = 0;
  }

  /// The warp of the last block sets the counters back for the next launch. `me` is the lane's
  /// place in it.
  template <class Lane>
  RIDGE_DEVICE void clear(Lane& lane, const MarchPlan& plan, int me, int warp_width) const {
    const int counters = plan.pace.steps * plan.pace.rounds;
    unsigned done = 0;
    if (me == 0) done = lane.atomic_add(plan.passed, counters, 1u);
    done = lane.shuffle(done, 0);
    if (done != static_cast<unsigned>(blocks_) - 1) return;
    for (int i = me; i <= counters; i += warp_width)
      lane.store(plan.passed, i, 0u);
  }

private:
  // For AMD GPUs in vector registers (anew), of which there are more.
  int pace_, drift_;
  int ask_at_; ///< plane of a step after which the next one's counter is asked for
  int block_, blocks_;
  int first_step_; ///< of the unit
  int step_ = 0;
  int planes_ = 0;        ///< of the step, behind us
  unsigned together_ = 0; ///< blocks that take part in this round
  unsigned before_ = 0;   ///< and in the one before
  unsigned seen_ = 0;     ///< of the counter that the next step looks at
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
