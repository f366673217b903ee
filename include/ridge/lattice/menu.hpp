// Menus of lattice launches: reductions, maps, expressions and site loops.
#pragma once

#include <ridge/lattice/site_call.hpp>
#include <ridge/pattern/menu.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace ridge::lattice {

/// The use that a launch makes of its fields.
struct FieldUse {
  Task task;
  int read = 0, written = 0; ///< fields; none: nobody said
  double flops = 1;          ///< a real number
  int held = 0;              ///< of an expression: numbers of a site that a lane holds at once
};

/// A launch as schedules see it.
struct Aspects {
  FieldUse use;
  SiteShape shape;
  Geometry geometry;
  Subset subset = Subset::all;
  std::optional<Schedule> standard = {}; ///< the default; empty: that of the task
};

[[nodiscard]] std::unique_ptr<Menu> menu(const Aspects& aspects, const ridge::Place& place);
/// The part of a subject that the aspects give.
[[nodiscard]] Subject subject(const std::type_info& call, std::string kernel,
                              const Aspects& aspects);

template <class R>
[[nodiscard]] FieldUse use_of(bool reproducible, bool slices) {
  return {task_of<R>(reproducible, slices), R::inputs, R::stores ? 1 : 0, R::flops};
}
template <class R, class T>
[[nodiscard]] Aspects aspects_of(const ReduceCall<R, T>& call) {
  return {use_of<R>(call.reproducible, call.dimension >= 0), call.shape, call.geometry};
}
template <class M, class T>
[[nodiscard]] Aspects aspects_of(const MapCall<M, T>& call) {
  return {{Task::map, M::inputs, 1, M::flops}, call.shape, call.geometry};
}
template <class S, class E>
[[nodiscard]] Aspects aspects_of(const AssignCall<S, E>& call) {
  return {{Task::expression}, shape_of<S>(), call.z.geometry, call.subset};
}
template <class S>
[[nodiscard]] Aspects aspects_of(const SiteReduceCall<S>& call) {
  return {{Task::expression}, shape_of<typename S::First>(), call.geometry, call.subset};
}
template <class S, class K>
[[nodiscard]] Aspects aspects_of(const SiteLoopCall<S, K>& call) {
  return {{Task::expression}, shape_of<std::remove_const_t<S>>(), call.like.geometry, call.subset};
}

template <class Call>
concept HasAspects = requires(const Call& call) {
  aspects_of(call);
};

template <HasAspects Call>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Call& call, const ridge::Place& place) {
  Aspects aspects = aspects_of(call);
  aspects.standard = Pattern<Call>::default_schedule(place.device, call);
  return menu(aspects, place);
}
/// An empty name stands for that of the call's type.
template <HasAspects Call>
[[nodiscard]] Subject subject_of(const Call& call, std::string kernel) {
  if (kernel.empty()) kernel = launch::type_text<Call>();
  return subject(typeid(Call), std::move(kernel), aspects_of(call));
}

} // namespace ridge::lattice
