// Programs: a kernel, a schedule, a device and fields, bound once and run as often as asked.
//
//   ridge::Program program(queue, ridge::stencil::Call<Heat, double>{heat, {a.view()}, b.view()});
//   for (int step = 0; step < steps; ++step) program.run();
//   const ridge::Record record = program.record();
//
// Binding checks the call, takes the default schedule where none is given, finds or compiles the
// executor and accounts the work. What run() does beside the device's own launch takes less than a
// microsecond and allocates nothing.
#pragma once

#include <ridge/launch/demand.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ridge {

/// A pattern's answers for its calls, one specialisation for each type of call:
///
///   using Schedule = std::variant<CpuSchedule, GpuSchedule>;
///   static Schedule default_schedule(const Device&, const Call&);
///   Pattern(Queue&, const Call&, const Schedule&);  checks, and takes what memory the launch needs
///                                                   beside the fields
///   const auto& call() const;                       what executors take
///   Record record(const Device&, const Schedule&, std::string_view kernel) const;
///   launch::Demand demand(const Device&, const Schedule&) const;
///                                                   how it is compiled where it was not ahead;
///                                                   throws UsageError where it cannot be
template <class Call>
struct Pattern;

namespace launch {
/// Throws UsageError unless the schedule, the `held`-th of its variant, is one for the device: the
/// first is the cpu's, the second that of GPUs.
void check_kind(const Device& device, std::size_t held, const std::string& schedule_text);

template <class Schedule>
void check_kind(const Device& device, const Schedule& schedule) {
  if ((schedule.index() == 0) != (device.kind() == DeviceKind::cpu))
    check_kind(device, schedule.index(), to_text(schedule));
}

/// The schedule that a variant of schedules holds.
template <class... Schedules>
[[nodiscard]] const void* held_by(const std::variant<Schedules...>& schedule) {
  return std::visit([](const auto& held) -> const void* { return &held; }, schedule);
}
} // namespace launch

class Program {
public:
  /// Throws UsageError when the fields do not fit each other, or the schedule not the device;
  /// Failure when there is too little memory or no compiler for what was not compiled ahead. The
  /// queue and the fields must outlive the program.
  template <class Call>
  Program(Queue& queue, const Call& call, const typename Pattern<Call>::Schedule& schedule,
          std::string_view kernel = "user")
      : Program(queue, Kept<Call>::made(queue, call, schedule, kernel)) {}
  /// Under the default schedule of the device, the kernel and the extents.
  template <class Call>
  Program(Queue& queue, const Call& call, std::string_view kernel = "user")
      : Program(queue, call, Pattern<Call>::default_schedule(queue.device(), call), kernel) {}

  /// A launch that a kernel source has bound itself; `describe` makes its record when asked.
  Program(Queue& queue, Bound bound, std::function<Record()> describe);

  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  ~Program();

  /// Gives one launch to the queue.
  void run() const { binding_.bound.run(); }

  /// The record: what runs, under which schedule, and what it must at least do; not timed.
  [[nodiscard]] Record record() const;

  [[nodiscard]] Queue& queue() const { return *queue_; }

private:
  /// Things that executors are bound to and records tell of, as far as they do not depend on the
  /// call's type: there are hundreds of types.
  struct Launched {
    Launched(const Device& on, std::string_view name);
    Launched(const Launched&) = delete;
    Launched& operator=(const Launched&) = delete;
    virtual ~Launched();
    [[nodiscard]] virtual Record record() const = 0;
    [[nodiscard]] virtual launch::Demand demand() const = 0;
    Device device;
    std::string kernel;
  };
  /// A launch about to be bound; a Program owns `launched` from then on.
  struct Unbound {
    Launched* launched;
    const std::type_info& call_type;
    const void *call, *schedule;
  };
  template <class Call>
  struct Kept final : Launched {
    using Schedule = typename Pattern<Call>::Schedule;
    [[nodiscard]] static Unbound made(Queue& queue, const Call& call, const Schedule& schedule,
                                      std::string_view name) {
      launch::check_kind(queue.device(), schedule);
      auto* const kept = new Kept(queue, call, schedule, name);
      const auto& executed = kept->pattern.call();
      return {kept, typeid(executed), &executed, launch::held_by(kept->schedule)};
    }
    Kept(Queue& queue, const Call& call, const Schedule& s, std::string_view name)
        : Launched(queue.device(), name), schedule(s), pattern(queue, call, s) {}
    [[nodiscard]] Record record() const override {
      return pattern.record(device, schedule, kernel);
    }
    [[nodiscard]] launch::Demand demand() const override {
      return pattern.demand(device, schedule);
    }
    Schedule schedule;
    Pattern<Call> pattern;
  };
  Program(Queue& queue, const Unbound& made);

  Queue* queue_;
  std::unique_ptr<Launched> launched_; // outlives what is bound to it
  launch::Binding binding_;
};

namespace launch {
/// The launch that was compiled ahead for the call under the schedule; empty where nothing was.
[[nodiscard]] Bound bind_ahead(Queue& queue, const std::type_info& call_type, const void* call,
                               const void* schedule);

/// Whether the call is compiled ahead for the schedule. Throws as Program does.
template <class Call>
[[nodiscard]] bool is_ahead(Queue& queue, const Call& call,
                            const typename Pattern<Call>::Schedule& schedule) {
  const Pattern<Call> pattern(queue, call, schedule);
  const auto& executed = pattern.call();
  return bool{bind_ahead(queue, typeid(executed), &executed, held_by(schedule))};
}

/// Launches once; returns the record, untimed.
template <class Call>
Record once(Queue& queue, const Call& call, const typename Pattern<Call>::Schedule& schedule,
            std::string_view kernel) {
  const Program program(queue, call, schedule, kernel);
  program.run();
  return program.record();
}
} // namespace launch

} // namespace ridge
