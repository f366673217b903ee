// A run with snapshots: it takes steps, some at a time, and ends in good order after Ctrl-C.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/record/record.hpp>

#include "progress.hpp"

#include <functional>
#include <initializer_list>
#include <string>

namespace ridge::app {

/// Ranks take the same steps at a time: as many as the user waits for between two looks.
class Run {
public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

protected:
  explicit Run(comm::Communicator& ranks) : ranks_(ranks) {}
  virtual ~Run() = default;

  /// Counts on from `step` to `last`. A snapshot is due at each multiple of `every` and at the end.
  void plan(Index step, Index last, Index every);
  /// Takes all steps and keeps the snapshots that are due. Collective.
  void integrate();
  /// Calls `add`, which writes a snapshot; what fails says the step, and then what `kept` says.
  void write(const std::function<void()>& add, const std::function<std::string()>& kept) const;

  /// Takes `most` steps, or about as many where others are launched together, and waits for the
  /// device. Returns how many.
  virtual Index advance(Index most) = 0;
  /// After each time.
  virtual void passed() {}
  /// Before a state is kept.
  virtual void look() {}
  /// Tells of the state that was looked at, and writes it.
  virtual void keep() = 0;
  /// True where the steps to be taken can be given up, and `keep` then writes the state before.
  [[nodiscard]] virtual bool remembers() { return false; }
  /// True where a step takes so long that Ctrl-C does not wait for its end.
  [[nodiscard]] bool is_slow() const { return took_ > 0.3; }
  /// Where a run that is interrupted goes on: "run.h5 keeps it". Empty where nothing is written.
  [[nodiscard]] virtual std::string kept_in() const = 0;
  /// After Ctrl-C: keeps what there is, so that a restart goes on from here. Throws Interrupted.
  virtual void stop(bool kept_already);

  [[nodiscard]] virtual bool is_over() const { return step_ >= last_; }
  [[nodiscard]] virtual bool is_due() const { return step_ % every_ == 0 || is_over(); }
  /// Steps end at its multiples, too, where it is positive.
  [[nodiscard]] virtual Index beside() const { return 0; }
  [[nodiscard]] virtual std::string doing() const;
  /// How much of all is done.
  [[nodiscard]] virtual double part() const;

  [[nodiscard]] Index step() const { return step_; }
  [[nodiscard]] Index last() const { return last_; }
  [[nodiscard]] Index taken() const { return step_ - first_; }
  /// That the steps took, of the slowest rank each time.
  [[nodiscard]] double seconds() const { return seconds_; }

  comm::Communicator& ranks_;
  Progress progress_;

private:
  void take();
  [[noreturn]] void end();

  Index step_ = 0, first_ = 0, last_ = 0, every_ = 1;
  Index batch_ = 1;
  double seconds_ = 0, took_ = 0; ///< of all steps, of those taken last
  Index kept_ = 0;                ///< the step of the last snapshot
};

/// The time of each of `count` in so many seconds, and the rate of `amount` that each has. Nothing
/// where nothing was timed.
void set_rate(Record& record, Index count, double seconds, double amount, const char* unit);

/// An option that a run that goes on cannot take.
struct RestartOption {
  bool is_given;
  const char* name;
};
/// A restart is the same run: nothing that its fields depend on may be given anew. Throws
/// UsageError for the first that is; `start` is what another run may begin from.
void require_none_given(std::initializer_list<RestartOption> options, const std::string& start);

} // namespace ridge::app
