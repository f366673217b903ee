// Running reductions, maps and shifts of whole fields from host code: what the pattern says of its
// calls (ridge::Pattern).
//
//   ridge::Program program(queue, reduce_call(Norm2{}, x, result));
#pragma once

#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/record.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/lattice/shift_call.hpp>
#include <ridge/lattice/variants.hpp>
#include <ridge/launch/operands.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>

#include <array>
#include <optional>

namespace ridge::lattice {

/// The task of reductions, which schedules depend on.
template <class R>
[[nodiscard]] Task task_of(bool reproducible, bool slices) {
  return {R::by_component ? Task::reduce_tensor : Task::reduce_number, reproducible, slices,
          R::stores};
}
template <class R, class T>
[[nodiscard]] Task task_of(const ReduceCall<R, T>& call) {
  return task_of<R>(call.reproducible, call.dimension >= 0);
}

namespace detail {

/// Throws UsageError when a result has no room for what a reduction gives.
void check_room(Index needed, Index there);
/// Throws UsageError unless sums of a box are possible: binned ones, in one pass.
void check_box(bool binned, const Schedule& schedule);

/// A field, which begins where its vectors do; `in_place`: only the same numbers of it are needed
/// where they are overwritten.
template <class T>
[[nodiscard]] launch::Operand field_operand(const Span<T>& reals, bool in_place) {
  constexpr Index least_vector = 64; // bytes: what packs of the cpu and accesses of GPUs divide
  launch::Operand made = launch::operand(reals, in_place);
  made.alignment = least_vector;
  return made;
}
/// Throws UsageError when what is written overlaps another field, or is needed at other places, and
/// for fields that do not begin at a vector. The operands are x, y, z and the result.
void check_fields(const std::array<launch::Operand, 4>& operands);

/// The #define that names a variant.
[[nodiscard]] std::string definition(const ReduceVariant& variant);
[[nodiscard]] std::string definition(const CpuReduceVariant& variant);
[[nodiscard]] std::string definition(const MapVariant& variant);
[[nodiscard]] std::string definition(const SiteVariant& variant);

/// The demand of a call: `executor`, a template of the header `header`, of `arguments` before
/// the target. `kernel` says whose source it is.
template <class Call>
[[nodiscard]] launch::Demand demand_of(const char* header, const std::string& executor,
                                       const std::string& arguments, const std::string& kernel,
                                       const std::string& definitions) {
  launch::Demand demand = launch::demand_of<Call>("lattice", kernel, "", definitions);
  demand.executor = header;
  demand.bodies = "ridge/lattice/gpu/bodies.hpp";
  // Not an explicit instantiation, as the source may have one.
  demand.instantiation =
      "const ridge::Offer* ridge_wanted() { return &ridge::lattice::" + executor + "<" + arguments +
      ", ridge::Here>::offered; }";
  return demand;
}

} // namespace detail

} // namespace ridge::lattice

template <class R, class T>
struct ridge::Pattern<ridge::lattice::ReduceCall<R, T>> {
  using Call = lattice::ReduceCall<R, T>;
  using Schedule = lattice::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return lattice::default_schedule(device, lattice::task_of(call), call.shape, call.geometry);
  }
  /// Throws UsageError when the result has too little room, what is written overlaps the rest, or
  /// sums of a box are not reproducible.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& schedule) : call_(call) {
    lattice::detail::check_room(call.room(), call.result.size);
    if (call.boxed) lattice::detail::check_box(R::in_boxes && call.reproducible, schedule);
    using lattice::detail::field_operand;
    lattice::detail::check_fields({field_operand(call.x, true), field_operand(call.y, true),
                                   field_operand(call.z, false), launch::operand(call.result)});
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    const bool crossed = R::parts == lattice::Parts::crossed && call_.shape.complex;
    return lattice::record_of(device, call_.geometry, call_.shape,
                              lattice::work_of(call_.geometry, call_.shape, R::inputs,
                                               R::stores ? 1 : 0, R::flops * (crossed ? 2 : 1)),
                              schedule, lattice::name_or(kernel, R::name));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const auto* const gpu = std::get_if<lattice::GpuSchedule>(&schedule);
    const std::string definition =
        gpu != nullptr ? lattice::detail::definition(lattice::reduce_variant<R>(
                             *gpu, call_.shape.complex, call_.reproducible, call_.dimension >= 0))
                       : lattice::detail::definition(lattice::cpu_reduce_variant<R>(
                             call_.shape.complex, call_.reproducible));
    const std::string kernel = launch::type_text<R>();
    return lattice::detail::demand_of<Call>("ridge/lattice/executor.hpp", "Reducer",
                                            kernel + ", " + launch::type_text<T>(), kernel,
                                            definition);
  }

private:
  Call call_;
};

template <class M, class T>
struct ridge::Pattern<ridge::lattice::MapCall<M, T>> {
  using Call = lattice::MapCall<M, T>;
  using Schedule = lattice::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return lattice::default_schedule(device, lattice::Task::map, call.shape, call.geometry);
  }
  /// Throws UsageError when z overlaps x or y and is not the same field.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    using lattice::detail::field_operand;
    lattice::detail::check_fields(
        {field_operand(call.x, true), field_operand(call.y, true), field_operand(call.z, false)});
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return lattice::record_of(device, call_.geometry, call_.shape,
                              lattice::work_of(call_.geometry, call_.shape, M::inputs, 1, M::flops),
                              schedule, lattice::name_or(kernel, M::name));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const auto* const gpu = std::get_if<lattice::GpuSchedule>(&schedule);
    const std::string kernel = launch::type_text<M>();
    return lattice::detail::demand_of<Call>(
        "ridge/lattice/executor.hpp", "Mapper", kernel + ", " + launch::type_text<T>(), kernel,
        gpu != nullptr ? lattice::detail::definition(lattice::map_variant(*gpu)) : "");
  }

private:
  Call call_;
};

template <class T>
struct ridge::Pattern<ridge::lattice::ShiftCall<T>> {
  using Call = lattice::ShiftCall<T>;
  using Schedule = lattice::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return lattice::default_schedule(device, lattice::Task::map, call.shape, call.geometry);
  }
  /// Throws UsageError for a shift of a field into itself, whole or in part.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    using lattice::detail::field_operand;
    lattice::detail::check_fields({field_operand(call.x, false), {}, field_operand(call.z, false)});
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return lattice::record_of(device, call_.geometry, call_.shape,
                              lattice::work_of(call_.geometry, call_.shape, 1, 1, 0), schedule,
                              lattice::name_or(kernel, "cshift"));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/,
                                      const Schedule& /*schedule*/) const {
    return lattice::detail::demand_of<Call>("ridge/lattice/executor.hpp", "Shifter",
                                            launch::type_text<T>(), "ridge::lattice", "");
  }

private:
  Call call_;
};

namespace ridge::lattice {

/// Runs a call once, in queue order, under the schedule or the default.
template <class Call>
void run_once(Queue& queue, const Call& call, const std::optional<Schedule>& schedule = {}) {
  Program(queue, call, schedule ? *schedule : Pattern<Call>::default_schedule(queue.device(), call))
      .run();
}

} // namespace ridge::lattice
