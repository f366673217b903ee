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

/// What a pattern says of its calls, one specialisation for each type of call:
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

/// Binds with what is compiled ahead, else on demand. `demand` is asked only then.
[[nodiscard]] Binding bind(Queue& queue, const std::type_info& call_type, const void* call,
                           const void* schedule, const std::function<Demand()>& demand);
} // namespace launch

class Program {
public:
  /// Throws UsageError when the fields do not fit each other, or the schedule not the device;
  /// Failure when there is too little memory or no compiler for what was not compiled ahead. The
  /// queue and the fields must outlive the program.
  template <class Call>
  Program(Queue& queue, const Call& call, const typename Pattern<Call>::Schedule& schedule,
          std::string_view kernel = "user")
      : queue_(&queue) {
    struct Kept final : Launched {
      Kept(Queue& q, const Call& c, const typename Pattern<Call>::Schedule& s, std::string_view k)
          : device(q.device()), schedule(s), kernel(k), pattern(q, c, s) {}
      [[nodiscard]] Record record() const override {
        return pattern.record(device, schedule, kernel);
      }
      Device device;
      typename Pattern<Call>::Schedule schedule;
      std::string kernel;
      Pattern<Call> pattern;
    };
    if ((schedule.index() == 0) != (queue.device().kind() == DeviceKind::cpu))
      launch::check_kind(queue.device(), schedule.index(), to_text(schedule));
    auto kept = std::make_unique<Kept>(queue, call, schedule, kernel);
    const auto& executed = kept->pattern.call();
    binding_ = std::visit(
        [&](const auto& held) {
          return launch::bind(queue, typeid(executed), &executed, &held,
                              [&] { return kept->pattern.demand(kept->device, schedule); });
        },
        kept->schedule);
    launched_ = std::move(kept);
  }
  /// Under the default schedule of the device, the kernel and the extents.
  template <class Call>
  Program(Queue& queue, const Call& call, std::string_view kernel = "user")
      : Program(queue, call, Pattern<Call>::default_schedule(queue.device(), call), kernel) {}

  /// Of a launch that a kernel source has bound itself; `describe` makes its record when asked.
  Program(Queue& queue, Bound bound, std::function<Record()> describe);

  /// Gives one launch to the queue.
  void run() const { binding_.bound.run(); }

  /// What runs, under which schedule, and what it must at least do; not timed.
  [[nodiscard]] Record record() const;

  [[nodiscard]] Queue& queue() const { return *queue_; }

private:
  struct Launched {
    Launched() = default;
    Launched(const Launched&) = delete;
    Launched& operator=(const Launched&) = delete;
    virtual ~Launched() = default;
    [[nodiscard]] virtual Record record() const = 0;
  };

  Queue* queue_;
  std::unique_ptr<Launched> launched_; // outlives what is bound to it
  launch::Binding binding_;
};

namespace launch {
/// What is compiled ahead for the call under the schedule; empty where nothing is.
[[nodiscard]] Bound bind_ahead(Queue& queue, const std::type_info& call_type, const void* call,
                               const void* schedule);

/// Whether the call is compiled ahead for the schedule. Throws as Program does.
template <class Call>
[[nodiscard]] bool is_ahead(Queue& queue, const Call& call,
                            const typename Pattern<Call>::Schedule& schedule) {
  const Pattern<Call> pattern(queue, call, schedule);
  const auto& executed = pattern.call();
  return std::visit(
      [&](const auto& held) { return bool{bind_ahead(queue, typeid(executed), &executed, &held)}; },
      schedule);
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
