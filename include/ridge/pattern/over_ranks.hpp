// The case over ranks of a call that reads what other ranks hold.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/pattern/call_case.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ridge {

/// The case of one rank on what this one holds, with the launches of all. A pattern fills `Held`:
///
///   Held(name, given...);            memory of this rank, and a queue `own_queue` for it
///   Call call() const;               on that memory
///   Reference<Call> reference() const;
///   void fill();                     inputs that this rank owns; what is others' is poisoned
///   Check came();                    compares what came from others with what they hold
///   bool computes() const;           whether this rank has results
///   bool takes_schedules() const;    whether there is a launch to schedule
///   std::unique_ptr<comm::Step> step(const std::optional<Schedule>&, const std::string& name);
///   const comm::Grid& grid() const;
///
/// `Schedule` is a type of it, and `dimensions` the number of the size's.
template <class Call, class Held>
class [[gnu::visibility("hidden")]] OverRanks final : private Held, public CallCase<Call> {
  using One = CallCase<Call>;
  using typename Held::Schedule;

public:
  template <class... Given>
  explicit OverRanks(const std::string& name, const Given&... given)
      : Held(name, given...), One(name, Held::own_queue, Held::call(), Held::reference()) {}

  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    std::optional<Schedule> schedule;
    if (s.text != "auto" && Held::takes_schedules()) schedule = this->template held<Schedule>(s);
    step_.reset(); // its memory first
    step_ = Held::step(schedule, this->name_);
    return this->program_of_ranks();
  }
  void poison() override {
    Held::fill();
    One::poison();
  }
  [[nodiscard]] Check check() override {
    this->queue_.wait();
    const Check came = Held::came();
    return came.ok && Held::computes() ? One::check() : came;
  }
  [[nodiscard]] comm::Step* ranks() override { return step_.get(); }
  [[nodiscard]] Extents share() const override {
    return comm::greatest_share(Held::grid(), Held::dimensions);
  }

private:
  std::unique_ptr<comm::Step> step_;
};

} // namespace ridge
