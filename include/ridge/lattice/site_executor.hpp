// Executors of expressions and site kernels: what lays them over one kind of device.
//
// A kernel source, compiled once per device kind, instantiates them by what it binds or runs
// (ridge/lattice/evaluate.hpp, reduce_expression.hpp, site_loop.hpp), or by name, so that host code
// may run them as a ridge::Program:
//
//   template struct ridge::lattice::SiteLooper<Spinor<double>, Hopping, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::lattice {

template <class S, class E, class Target>
struct Assigner {
  using Call = AssignCall<S, E>;
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const Call& call, const Schedule& schedule);
  static const Offer offered;
};
template <class S, class E, class Target>
const Offer Assigner<S, E, Target>::offered =
    launch::offer<Assigner, AssignCall<S, E>>(kind_of<Target>, this_source);

template <class S, class Target>
struct SiteReducer {
  using Call = SiteReduceCall<S>;
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const Call& call, const Schedule& schedule);
  static const Offer offered;
};
template <class S, class Target>
const Offer SiteReducer<S, Target>::offered =
    launch::offer<SiteReducer, SiteReduceCall<S>>(kind_of<Target>, this_source);

template <class S, class K, class Target>
struct SiteLooper {
  using Call = SiteLoopCall<S, K>;
  using Schedule = ScheduleFor<Target>;
  [[nodiscard]] static Bound bind(Queue& queue, const Call& call, const Schedule& schedule);
  static const Offer offered;
};
template <class S, class K, class Target>
const Offer SiteLooper<S, K, Target>::offered =
    launch::offer<SiteLooper, SiteLoopCall<S, K>>(kind_of<Target>, this_source);

namespace detail {

template <class Call, class Target>
struct ExecutorOf;
template <class S, class E, class Target>
struct ExecutorOf<AssignCall<S, E>, Target> {
  using Type = Assigner<S, E, Target>;
};
template <class S, class Target>
struct ExecutorOf<SiteReduceCall<S>, Target> {
  using Type = SiteReducer<S, Target>;
};
template <class S, class K, class Target>
struct ExecutorOf<SiteLoopCall<S, K>, Target> {
  using Type = SiteLooper<S, K, Target>;
};

/// Binds a call, under the schedule or the default, with what the kernel source that asks is
/// compiled to; on demand where that is not for the schedule.
template <class Target, class Call>
[[nodiscard]] Program bind_here(Queue& queue, const Call& call,
                                const std::optional<lattice::Schedule>& schedule,
                                std::string_view kernel) {
  using Executor = typename ExecutorOf<Call, Target>::Type;
  const Device& device = queue.device();
  const auto chosen = schedule ? *schedule : Pattern<Call>::default_schedule(device, call);
  launch::check_kind(device, chosen.index(), to_text(chosen));
  auto pattern = std::make_shared<const Pattern<Call>>(queue, call, chosen);
  (void)&Executor::offered; // and so it is, for other variants on demand
  Bound bound = Executor::bind(queue, call, std::get<typename Executor::Schedule>(chosen));
  if (!bound) return {queue, call, chosen, kernel};
  return {queue, std::move(bound), [pattern, device, chosen, name = std::string(kernel)] {
            return pattern->record(device, chosen, name);
          }};
}

} // namespace detail

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu/site_loop.hpp>
#include <ridge/lattice/cpu/site_reduce.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/lattice/gpu/site_loop.hpp>
#include <ridge/lattice/gpu/site_reduce.hpp>
#endif
