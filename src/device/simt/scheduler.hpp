// Runs blocks on one host thread: one fiber for every lane that waits, and one more.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/device/simt/launch.hpp>

#include "fiber.hpp"
#include "phases.hpp"

#include <array>
#include <exception>
#include <memory>
#include <vector>

namespace ridge::simt {

/// An asynchronous copy that has not arrived.
struct PendingCopy {
  const void* from;
  int to_offset;
  int bytes;
  Index index; ///< of the first element in its shared array
  long long group;
};

/// The copies of one lane, oldest first, and the number of the group it has not closed.
struct LaneCopies {
  std::vector<PendingCopy> pending;
  long long open_group = 0;
};

/// How many host threads blocks are spread over.
[[nodiscard]] int host_threads();

class Scheduler {
public:
  Scheduler();
  ~Scheduler();

  /// Its lifetime is that of a launch on this host thread.
  class Session {
  public:
    /// Throws Failure within a lane of another launch.
    Session(Scheduler& scheduler, const LaunchShape& shape, const Kernel& kernel, int warp_width)
        : scheduler_(scheduler) {
      scheduler.begin(shape, kernel, warp_width);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { scheduler_.busy_ = false; }

  private:
    Scheduler& scheduler_;
  };

  /// In a session. Throws what a lane threw, or a Fault.
  void run_block(Dim3 index);

  // For lanes.
  void wait_at_barrier(const LaneContext& lane);
  void meet(const LaneContext& lane, Collective kind, int bytes);
  void begin_phases(const LaneContext& lane, PhasePlace at, int arrivals);
  /// Returns the record of the lane's accesses from now on.
  [[nodiscard]] AccessRecord arrive_at_phase(const LaneContext& lane, PhasePlace at, int bytes);
  void wait_for_phase(const LaneContext& lane, PhasePlace at, int parity);
  /// Returns the number of the flight that a bulk copy joins.
  [[nodiscard]] int join_flight(const LaneContext& lane, PhasePlace at);
  void bulk_copy(const LaneContext& lane, PhasePlace at, const PendingBulk& copy, Index index);
  [[nodiscard]] const Flight& flight(int number) const { return phases_.order.flight(number); }
  [[nodiscard]] LaneCopies& copies(int rank) { return copies_[static_cast<std::size_t>(rank)]; }
  /// Copies of the block that have not arrived, over all lanes.
  int pending_copies = 0;

private:
  enum class State : std::uint8_t { running, ended, waiting };
  struct LaneStatus {
    State state = State::running;
    Collective at = Collective::none;
  };

  void begin(const LaunchShape& shape, const Kernel& kernel, int warp_width);

  static void enter_fiber(boost::context::detail::transfer_t from);
  void live(Fiber& fiber);
  void run_lanes();
  void wait(const LaneContext& lane, Collective at, FiberQueue& queue);
  void wake(FiberQueue& queue);
  void yield(Fiber& fiber);
  Fiber& take_idle();
  void reset_block(Dim3 index);
  void settle();
  void abandon(FiberQueue& queue);
  void make_stop();

  // Phase barriers, in phases.cpp.
  [[nodiscard]] PhaseState* find_phases(int offset);
  [[nodiscard]] PhaseState& phases_at(const LaneContext& lane, PhasePlace at);
  void end_phase(const LaneContext& lane, PhaseState& state, bool polled);

  // Diagnosis, in divergence.cpp.
  [[nodiscard]] bool waits(int rank, Collective at) const;
  [[nodiscard]] Fault divergence() const;
  [[nodiscard]] Fault divergent(int rank, Collective at, int absent) const;
  [[nodiscard]] Fault deadlock() const;
  [[nodiscard]] std::string waits_for(const PhaseState& state) const;
  [[nodiscard]] Fault unfinished_copy() const;
  [[nodiscard]] std::exception_ptr unseen_copies() const;
  [[noreturn]] void fault_mixed(const LaneContext& lane, Collective kind) const;

  const Kernel* kernel_ = nullptr;
  Block block_;
  std::unique_ptr<Warp[]> warps_;
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> shared_;
  std::size_t shared_room_ = 0;

  Context main_; ///< run_block, on the host thread's own stack
  StackPool stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* running_ = nullptr;
  FiberQueue ready_, idle_, at_barrier_;

  int next_rank_ = 0; ///< of the next lane to start
  Dim3 next_thread_;
  int ended_ = 0;
  int arrived_ = 0; ///< at the barrier
  std::array<LaneStatus, max_block_threads> status_;
  std::vector<LaneCopies> copies_;
  Phases phases_;

  std::exception_ptr failure_;
  bool abandoning_ = false; ///< waiting lanes unwind when they are switched to
  bool stopping_ = false;   ///< idle fibers return for good
  bool busy_ = false;
};

} // namespace ridge::simt
