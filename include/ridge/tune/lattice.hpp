// Tuning of lattice launches: reductions, maps, expressions and site loops.
#pragma once

#include <ridge/lattice/site_call.hpp>
#include <ridge/tune/automatic.hpp>

#include <type_traits>

namespace ridge::tune {

/// What schedules of a lattice launch depend on.
struct LatticeAspects {
  lattice::Geometry geometry;
  lattice::SiteShape shape;
  lattice::Task task;
  lattice::Subset subset = lattice::Subset::all;
};

template <class R, class T>
[[nodiscard]] LatticeAspects aspects_of(const lattice::ReduceCall<R, T>& call) {
  return {call.geometry, call.shape, lattice::task_of(call)};
}
template <class M, class T>
[[nodiscard]] LatticeAspects aspects_of(const lattice::MapCall<M, T>& call) {
  return {call.geometry, call.shape, lattice::Task::map};
}
template <class S, class E>
[[nodiscard]] LatticeAspects aspects_of(const lattice::AssignCall<S, E>& call) {
  return {call.z.geometry, lattice::shape_of<S>(), lattice::Task::expression, call.subset};
}
template <class S>
[[nodiscard]] LatticeAspects aspects_of(const lattice::SiteReduceCall<S>& call) {
  return {call.geometry, lattice::shape_of<typename S::First>(), lattice::Task::expression,
          call.subset};
}
template <class S, class K>
[[nodiscard]] LatticeAspects aspects_of(const lattice::SiteLoopCall<S, K>& call) {
  return {call.like.geometry, lattice::shape_of<std::remove_const_t<S>>(),
          lattice::Task::expression, call.subset};
}

/// What of a subject the aspects give.
[[nodiscard]] Subject lattice_subject(const std::type_info& call, std::string kernel,
                                      const LatticeAspects& aspects);

/// Calls of lattices, all alike to tuning.
template <class Call>
requires requires(const Call& call) {
  aspects_of(call);
}
struct Space<Call> {
  using Schedule = lattice::Schedule;
  static constexpr std::string_view pattern = "lattice";

  [[nodiscard]] static Subject subject(const Call& call, std::string kernel) {
    if (kernel.empty()) kernel = launch::type_text<Call>();
    return lattice_subject(typeid(Call), std::move(kernel), aspects_of(call));
  }
  [[nodiscard]] static std::vector<Schedule> all(const Device& device, const Call& call) {
    const LatticeAspects a = aspects_of(call);
    return lattice::schedule_space(device, a.task, a.geometry);
  }
  [[nodiscard]] static Schedule parse(const std::string& text, const Device& device,
                                      const Call& call) {
    const LatticeAspects a = aspects_of(call);
    return text::parse_named(text, ridge::to_text(device.id()),
                             Pattern<Call>::default_schedule(device, call),
                             [&] { return lattice::named_schedules(device, a.task, a.geometry); })
        .schedule;
  }
};

} // namespace ridge::tune
