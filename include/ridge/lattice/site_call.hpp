// Launches site by site, as data: the assignment of an expression, the reduction of one, a site
// kernel; and what the pattern says of them (ridge::Pattern). Kernel sources bind them by
// ridge/lattice/evaluate.hpp, reduce_expression.hpp and site_loop.hpp.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/expression_flops.hpp>
#include <ridge/lattice/launch.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/subset.hpp>
#include <ridge/lattice/summand.hpp>

#include <algorithm>

namespace ridge::lattice {

/// z = the expression E at the sites of a subset.
template <class S, class E>
struct AssignCall {
  SiteView<S> z;
  E e;
  Subset subset = Subset::all;
  const FieldLabel* label = nullptr; ///< of z, on the host
};

/// The sum of what `summand` finds at the sites of a subset.
template <class S>
struct SiteReduceCall {
  S summand;
  Geometry geometry;
  Subset subset = Subset::all;
  Span<double> result;
};

/// A site kernel at the sites of a subset, as the field `like` lies.
template <class S, class K>
struct SiteLoopCall {
  SiteView<S> like;
  K kernel;
  Subset subset = Subset::all;
};

/// Reductions. Of tensors with many components each thread has one: it would not have registers for
/// all.
template <class S>
struct SiteReduceAhead {
  static constexpr bool across = S::components > few_components || (S::exact && S::keys > 1);
  static constexpr SiteVariant by_threads{Components::threads, S::exact ? site_bounds : 1024};
  static constexpr SiteVariant serial{Components::serial, site_bounds};
  static constexpr auto values = detail::listed<SiteVariant>([](auto add) {
    add(across ? by_threads : serial);
    if (ahead_all) add(across ? serial : by_threads);
  });
};

namespace detail {

/// The shape of the expressions, and of what is reduced of them.
template <class R, bool Exact, class A, class B>
struct Flops<Summand<R, Exact, A, B>> {
  using Tensor = typename A::Tensor;
  static constexpr double value =
      Flops<A>::value + Flops<B>::value +
      R::flops * reals_of<Tensor> * (R::parts == Parts::crossed && is_complex<Tensor> ? 2 : 1);
};

/// Takes any view, to ask whether a kernel names its own.
struct TakesViews {
  template <class V>
  void operator()(const SiteView<V>& view) const;
};
template <class K>
concept NamesViews = requires(const K& kernel) { kernel.for_each_view(TakesViews{}); };

template <int... Bounds>
constexpr auto site_variants(Choices<Bounds...>, bool apart) {
  return std::array{SiteVariant{Components::serial, Bounds, apart}...};
}
template <class K>
constexpr auto site_variants_of() {
  if constexpr (requires { typename K::Bounds; }) {
    return site_variants(typename K::Bounds{}, !NamesViews<K>);
  } else {
    return site_variants(Choices<site_bounds>{}, !NamesViews<K>);
  }
}

/// Whether fields of a site kernel may lie otherwise than its loop goes: it names one of numbers of
/// the loop's size that does, or does not name its fields.
template <class S, class K>
[[nodiscard]] bool lie_apart(const SiteLoopCall<S, K>& call) {
  bool apart = !NamesViews<K>;
  if constexpr (NamesViews<K>) {
    call.kernel.for_each_view([&]<class V>(const SiteView<V>& view) {
      using Number = NumberOf<std::remove_const_t<V>>;
      if (sizeof(Number) == sizeof(NumberOf<std::remove_const_t<S>>))
        apart = apart || view.geometry != call.like.geometry;
    });
  }
  return apart;
}
} // namespace detail

/// Variants of site kernels: bounds of 256 threads, or their own `using Bounds = Choices<1024,
/// 256>`. Kernels that name their views are compiled for fields that lie as the loop goes.
template <class K>
struct SiteLoopAhead {
  static constexpr auto values = detail::site_variants_of<K>();
};

/// The variant of expressions and site kernels that a schedule needs.
constexpr SiteVariant site_variant(const GpuSchedule& s) {
  return {s.components, s.bounds};
}
template <class S, class K>
SiteVariant site_loop_variant(const GpuSchedule& s, const SiteLoopCall<S, K>& call) {
  return {Components::serial, s.bounds, detail::lie_apart(call)};
}

/// z = the expression. Throws UsageError for fields of another lattice and for a z that is needed
/// at other places than where it is overwritten.
template <class Site, Operand X>
[[nodiscard]] auto assign_call(const Field<Site>& z, const X& expression,
                               Subset subset = Subset::all) {
  using E = detail::NodeOf<X>;
  static_assert(std::is_same_v<typename E::Tensor, Site>,
                "the expression gives another site tensor than the field holds");
  const E e = detail::node(expression);
  e.for_each_field(
      [&](const auto& leaf, bool in_place) {
        detail::check_operand(z.label(), z.reals().data, *leaf.label, leaf.view.reals.data,
                              in_place);
      },
      true);
  return AssignCall<Site, E>{z.view(), e, subset, &z.label()};
}

namespace detail {

/// The lattice of the expressions' fields. Throws UsageError that names both when there are two.
template <class S>
const Lattice& lattice_of(const S& summand) {
  const FieldLabel* first = nullptr;
  const auto take = [&](const auto& leaf, bool /*in_place*/) {
    if (first == nullptr) first = leaf.label;
    check_same_lattice(first->lattice, first->name, leaf.label->lattice, leaf.label->name);
  };
  summand.for_each_field(take, false);
  return first->lattice;
}

/// Throws UsageError when a field that is written overlaps another, or one does not begin at a
/// vector. `written` names what is written in messages; "": the fields have numbers.
void check_views(const std::vector<launch::Operand>& operands, const char* written);

/// The fields of an expression or of a summand as operands.
template <class S>
[[nodiscard]] std::vector<launch::Operand> operands_of(const S& s) {
  std::vector<launch::Operand> operands;
  s.for_each_field(
      [&](const auto& leaf, bool in_place) {
        operands.push_back(field_operand(leaf.view.reals, in_place));
      },
      true);
  return operands;
}

/// How the loop over the sites of the expressions goes.
template <class S>
[[nodiscard]] Geometry loop_of(const S& summand) {
  return lattice_of(summand).geometry(sizeof(NumberOf<typename S::First>));
}
template <class S, class R>
[[nodiscard]] SiteReduceCall<S> call_of(const S& summand, const DeviceResult<R>& result,
                                        Subset subset) {
  return {summand, loop_of(summand), subset, result.doubles()};
}
template <class R, class S, class X>
[[nodiscard]] auto site_reduce_call(const R& reduction, Subset subset,
                                    const DeviceResult<S>& result, const X& x) {
  return call_of(summand_of(reduction, x), result, subset);
}
template <class R, class S, class X, class Y>
[[nodiscard]] auto site_reduce_call(const R& reduction, Subset subset,
                                    const DeviceResult<S>& result, const X& x, const Y& y) {
  return call_of(summand_of(reduction, x, y), result, subset);
}

/// The default of expressions, as `Ahead` has it compiled.
[[nodiscard]] Schedule site_default(const Device& device, const SiteShape& shape,
                                    const Geometry& geometry, const SiteVariant& compiled);

/// `variant` gives that of a schedule for GPUs.
template <class Call, class Variant>
[[nodiscard]] launch::Demand site_demand(const std::string& executor, const std::string& arguments,
                                         const std::string& kernel, const Schedule& schedule,
                                         const Variant& variant) {
  const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
  return demand_of<Call>("ridge/lattice/site_executor.hpp", executor, arguments, kernel,
                         gpu != nullptr ? definition(variant(*gpu)) : std::string());
}

} // namespace detail

/// A reduction of an expression, or of two of one site tensor, over the sites of a subset into
/// `result`; reproducible where one of them is. Throws UsageError for fields of two lattices.
template <class R, Reducible X, class S>
requires(!detail::is_field<X>)
    [[nodiscard]] auto reduce_call(const R& reduction, const X& x, const DeviceResult<S>& result,
                                   Subset subset = Subset::all) {
  return detail::site_reduce_call(reduction, subset, result, x);
}
template <class R, Reducible X, Reducible Y, class S>
requires(!detail::is_field<X> || !detail::is_field<Y>)
    [[nodiscard]] auto reduce_call(const R& reduction, const X& x, const Y& y,
                                   const DeviceResult<S>& result, Subset subset = Subset::all) {
  return detail::site_reduce_call(reduction, subset, result, x, y);
}

} // namespace ridge::lattice

template <class S, class E>
struct ridge::Pattern<ridge::lattice::AssignCall<S, E>> {
  using Call = lattice::AssignCall<S, E>;
  using Schedule = lattice::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return lattice::detail::site_default(device, lattice::shape_of<S>(), call.z.geometry,
                                         lattice::AssignAhead::values[0]);
  }
  /// Throws UsageError when z overlaps a field that is needed at other places.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    auto operands = lattice::detail::operands_of(call.e);
    operands.push_back(lattice::detail::field_operand(call.z.reals, false));
    lattice::detail::check_views(operands, "the result");
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    lattice::FieldsWork fields(lattice::sites_of(call_.z.geometry, call_.subset));
    call_.e.for_each_field([&](const auto& leaf, bool) { fields.read(leaf.view); }, true);
    fields.write(call_.z);
    return lattice::record_of(device, call_.z.geometry, lattice::shape_of<S>(),
                              fields.work(lattice::flops_of<E>, lattice::flops_convention),
                              schedule, lattice::name_or(kernel, "assign"));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const std::string e = launch::type_text<E>();
    return lattice::detail::site_demand<Call>("Assigner", launch::type_text<S>() + ", " + e, e,
                                              schedule, &lattice::site_variant);
  }

private:
  Call call_;
};

template <class S>
struct ridge::Pattern<ridge::lattice::SiteReduceCall<S>> {
  using Call = lattice::SiteReduceCall<S>;
  using Schedule = lattice::Schedule;
  using First = typename S::First;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    Schedule s = lattice::detail::site_default(device, lattice::shape_of<First>(), call.geometry,
                                               lattice::SiteReduceAhead<S>::values[0]);
    if (auto* const gpu = std::get_if<lattice::GpuSchedule>(&s))
      gpu->finish = lattice::Finish::second;
    return s;
  }
  /// Throws UsageError when the result has too little room, or lies in a field.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    lattice::detail::check_room(Index{S::keys} * S::parts * lattice::detail::words_of<S>,
                                call.result.size);
    auto operands = lattice::detail::operands_of(call.summand);
    operands.push_back(launch::operand(call.result));
    lattice::detail::check_views(operands, "the result");
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    Index sites = lattice::sites_of(call_.geometry, call_.subset);
    if constexpr (requires { call_.summand.sites(); }) sites = call_.summand.sites();
    lattice::FieldsWork fields(sites);
    call_.summand.for_each_field([&](const auto& leaf, bool) { fields.read(leaf.view); }, true);
    return lattice::record_of(device, call_.geometry, lattice::shape_of<typename S::Tensor>(),
                              fields.work(lattice::flops_of<S>, lattice::flops_convention),
                              schedule, lattice::name_or(kernel, S::name));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const std::string s = launch::type_text<S>();
    return lattice::detail::site_demand<Call>("SiteReducer", s, s, schedule,
                                              &lattice::site_variant);
  }

private:
  Call call_;
};

template <class S, class K>
struct ridge::Pattern<ridge::lattice::SiteLoopCall<S, K>> {
  using Call = lattice::SiteLoopCall<S, K>;
  using Schedule = lattice::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    Schedule s = lattice::detail::site_default(
        device, lattice::shape_of<std::remove_const_t<S>>(), call.like.geometry,
        lattice::SiteVariant{lattice::Components::serial, lattice::site_bounds});
    // Small blocks: a site that reads neighbours takes so many registers that large ones leave a
    // part of a multiprocessor's unused.
    constexpr int threads = 64;
    if (auto* const gpu = std::get_if<lattice::GpuSchedule>(&s))
      gpu->groups = std::max(1, threads / call.like.geometry.nsimd);
    return s;
  }
  /// Throws UsageError when a field that the kernel says it writes overlaps another in part.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    std::vector<launch::Operand> operands;
    const auto take = [&](const auto& view) {
      operands.push_back(lattice::detail::field_operand(view.reals, true));
    };
    if constexpr (requires { call.kernel.for_each_view(take); }) call.kernel.for_each_view(take);
    lattice::detail::check_views(operands, "");
  }
  [[nodiscard]] const Call& call() const { return call_; }
  /// A site kernel says which fields it reads and writes by `for_each_view(f)`, which calls f(view)
  /// with each of its views, those that it writes not const, and its operations by `flops`.
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    Index sites = lattice::sites_of(call_.like.geometry, call_.subset);
    if constexpr (requires { call_.kernel.sites(); }) sites = call_.kernel.sites();
    lattice::FieldsWork fields(sites);
    const auto take = [&]<class V>(const lattice::SiteView<V>& view) {
      if constexpr (std::is_const_v<V>) {
        fields.read(view);
      } else {
        fields.write(view);
      }
    };
    const char* counted = "the kernel does not say which fields it reads";
    if constexpr (requires { call_.kernel.for_each_view(take); }) {
      call_.kernel.for_each_view(take);
      counted = "flops: as the kernel counts them";
    }
    double flops = 0;
    if constexpr (requires { K::flops; }) flops = K::flops;
    const char* name = "site loop";
    if constexpr (requires { K::name; }) name = K::name;
    return lattice::record_of(
        device, call_.like.geometry, lattice::shape_of<std::remove_const_t<S>>(),
        fields.work(flops, counted), schedule, lattice::name_or(kernel, name));
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const std::string k = launch::type_text<K>();
    return lattice::detail::site_demand<Call>(
        "SiteLooper", launch::type_text<S>() + ", " + k, k, schedule,
        [&](const lattice::GpuSchedule& s) { return lattice::site_loop_variant(s, call_); });
  }

private:
  Call call_;
};
