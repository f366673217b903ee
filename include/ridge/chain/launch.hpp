// Running a chain from host code: what the pattern says of its requests (ridge::Pattern).
//
//   using Request = ridge::chain::Request<Heat, double>;
//   ridge::chain::Views<Heat, double> views;
//   views.set(u, before.view()).set(v, after.view());
//   ridge::Program program(queue, Request{heat, extents, views});
//   for (int step = 0; step < steps; ++step) program.run();
//
// To give operations other parameters, bind another program: that allocates nothing on the device,
// since programs of a queue keep their temporaries in the same memory, its scratch.
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/chain/request.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/record/numbers.hpp>

namespace ridge::chain {

/// A request of which one launch alone runs.
template <class C, class T>
struct LaunchOf {
  Request<C, T> request;
  int first = -1; ///< the first operation of it; -1: all launches
};

/// The part of a bound chain that does not depend on its type: checked declarations, and the plan.
class Laid {
public:
  /// With the launches of the plan that begin with operation `first`, or all of them.
  Laid(Description description, const Range& range, const Schedule& schedule, int first = -1);

  /// Checks the user's arrays, one view an array of the chain and the instances that it holds, and
  /// says in `windows` where all arrays are. Returns the memory of tiles. Throws UsageError for
  /// arrays that are missing, of other extents, or overlap one that is written; Failure when
  /// temporaries do not fit the memory.
  template <class T>
  [[nodiscard]] T* lay_windows(Queue& queue, const Schedule& schedule, const View<T>* views,
                               const Index* instances, Window<T>* windows) const;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  /// Before it is timed, its numbers not named yet (record_in). `kernel` is the chain's own name
  /// where nobody gave another.
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const;
  /// The #define that names the runs or groups of the plan.
  [[nodiscard]] std::string variant_definition(const Schedule& schedule) const;

private:
  Description description_;
  Plan plan_;
};

} // namespace ridge::chain

template <class C, class T>
struct ridge::Pattern<ridge::chain::Request<C, T>> {
  using Request = chain::Request<C, T>;
  using Call = chain::Call<C, T>;
  using Schedule = chain::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Request& request) {
    return chain::default_schedule(device, chain::describe<C, T>(), request.extents);
  }

  /// Throws UsageError for wrong declarations, arrays that do not fit, and schedules that are not
  /// possible; Failure when temporaries do not fit the memory.
  Pattern(Queue& queue, const Request& request, const Schedule& schedule, int first = -1)
      : laid_(chain::describe<C, T>(), request.extents, schedule, first),
        call_{request.chain, {}, &laid_.plan(), nullptr, request.before_launch, request.rows_done} {
    call_.tile_memory = laid_.lay_windows(queue, schedule, request.views.all().data(),
                                          request.views.instances().data(), call_.windows.of);
    call_.windows.instances = laid_.plan().instances;
    call_.windows.first = laid_.plan().first;
  }
  Pattern(const Pattern&) = delete; // the call refers to the plan
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() = default;

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return record_in<T>(laid_.record(device, schedule, kernel));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    launch::Demand made =
        launch::demand_of<Call>("chain", launch::type_text<C>(), launch::type_text<T>(),
                                laid_.variant_definition(schedule));
    made.bodies = "ridge/chain/gpu/bodies.hpp";
    return made;
  }

private:
  chain::Laid laid_;
  Call call_;
};

template <class C, class T>
struct ridge::Pattern<ridge::chain::LaunchOf<C, T>> : Pattern<ridge::chain::Request<C, T>> {
  Pattern(Queue& queue, const chain::LaunchOf<C, T>& one, const chain::Schedule& schedule)
      : Pattern<chain::Request<C, T>>(queue, one.request, schedule, one.first) {}
};
