// Reductions of expressions: in one pass over the fields in them, without a temporary. For kernel
// sources, which are compiled once per device kind:
//
//   const double residual = norm2<Target>(queue, f.b - adj(f.u) * f.x);
//   const double half = norm2<Target>(queue, f.x, Subset::even);
//
// Numbers are computed in the fields' precision and added up in double, in a fixed order: the same
// bits from run to run of the same device, schedule and number of threads. With
//
//   const double residual = norm2<Target>(queue, reproducible(f.b - adj(f.u) * f.x));
//
// every operation is rounded by itself and the sum is binned (see ridge/lattice/binned_sum.hpp):
// the same bits on every device, under every schedule and with any number of threads.
#pragma once

#include <ridge/lattice/accumulator.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/rounded.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <type_traits>

namespace ridge::lattice::detail {

/// An expression whose reductions are to be reproducible.
template <class E>
struct Reproducible {
  E e;
};
template <class E>
inline constexpr bool is_reproducible = false;
template <class E>
inline constexpr bool is_reproducible<Reproducible<E>> = true;

template <class E>
const E& node(const Reproducible<E>& r) {
  return r.e;
}

struct Nothing {
  template <class F>
  void for_each_field(const F& /*f*/, bool /*in_place*/) const {}
};

/// What a site adds to the result: `parts` doubles for each of `keys`. B is the second expression
/// of inner products, Nothing otherwise. Where `Exact` the same bits on every device.
template <Reduction What, bool Exact, class A, class B = Nothing>
struct Summand {
  using Tensor = typename A::Tensor;
  using First = typename A::First;
  static constexpr bool exact = Exact;
  template <class V>
  using Sum = std::conditional_t<Exact, BinnedSum<V>, PlainSum<V>>;
  static constexpr int components = components_of<Tensor>;
  static constexpr int keys = What == Reduction::sum ? components : 1;
  static constexpr int parts = What != Reduction::norm2 && is_complex<Tensor> ? 2 : 1;
  A a;
  B b;

  /// What component `c` adds; V is double, or a pack of them.
  template <class V, class At>
  RIDGE_FN void find(const At& at, int c, V* terms) const {
    if constexpr (Exact) {
      Rounded<V> rounded[parts];
      find_in(RoundedSite<At>(at), c, rounded);
      RIDGE_UNROLL
      for (int p = 0; p < parts; ++p)
        terms[p] = rounded[p].v;
    } else {
      find_in(at, c, terms);
    }
  }

private:
  /// V as before, or rounded numbers of that type.
  template <class V, class At>
  RIDGE_FN void find_in(const At& at, int c, V* terms) const {
    const auto x = a.component(at, c);
    if constexpr (What == Reduction::inner) {
      const auto y = b.component(at, c);
      if constexpr (is_complex<Tensor>) {
        const V xr = in_double(x.re), xi = in_double(x.im);
        const V yr = in_double(y.re), yi = in_double(y.im);
        terms[0] = xr * yr + xi * yi;
        terms[1] = xr * yi - xi * yr;
      } else {
        terms[0] = in_double(x) * in_double(y);
      }
    } else if constexpr (is_complex<Tensor>) {
      const V re = in_double(x.re), im = in_double(x.im);
      if constexpr (What == Reduction::norm2) {
        terms[0] = re * re + im * im;
      } else {
        terms[0] = re;
        terms[1] = im;
      }
    } else {
      const V value = in_double(x);
      terms[0] = What == Reduction::norm2 ? value * value : value;
    }
  }

  template <class X>
  static RIDGE_FN auto in_double(const Rounded<X>& x) {
    return rounded(in_double(x.v));
  }
  template <class X>
  static RIDGE_FN auto in_double(const X& x) {
    if constexpr (!is_pack<X>) {
      return static_cast<double>(x);
    } else if constexpr (sizeof(Element<X>) == 8) {
      return x;
    } else {
      return widen(x);
    }
  }
};

/// The lattice of the expressions' fields. Throws UsageError that names both when there are two.
template <class S>
const Lattice& lattice_of(const S& summand) {
  const FieldLabel* first = nullptr;
  const auto take = [&](const auto& leaf, bool /*in_place*/) {
    if (first == nullptr) first = leaf.label;
    check_same_lattice(first->lattice, first->name, leaf.label->lattice, leaf.label->name);
  };
  summand.a.for_each_field(take, false);
  summand.b.for_each_field(take, false);
  return first->lattice;
}

} // namespace ridge::lattice::detail

#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu_site_reduce.hpp>
#elif defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/lattice/gpu_site_reduce.hpp>
#endif

#if defined(RIDGE_TARGET_CPU) || defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA) ||       \
    defined(RIDGE_TARGET_HIP)
namespace ridge::lattice {

namespace detail {

template <class Target, class S, class R>
void reduce_sites(Queue& queue, const S& summand, DeviceResult<R>& result, Subset subset,
                  const std::optional<Schedule>& schedule) {
  static_assert(std::is_same_v<Target, Here>, "expressions are for kernel sources and their Here");
  using First = typename S::First;
  const Geometry g = lattice_of(summand).geometry(sizeof(NumberOf<First>));
  const Span<double> to = result.doubles();
  check_room(S::keys * S::parts, to.size);
#if defined(RIDGE_TARGET_CPU)
  const auto s = schedule_of<CpuSchedule>(queue.device(), schedule, shape_of<First>(), g);
  cpu_site::reduce<cpu_site::width_of<First>>(g, summand, subset, s, to.data);
#else
  const auto s = schedule_of<GpuSchedule>(queue.device(), schedule, shape_of<First>(), g);
  gpu::reduce_sites(queue, g, summand, subset, s, schedule.has_value(), to);
#endif
}

template <class X>
inline constexpr bool is_exact = is_reproducible<std::remove_cvref_t<X>>;
template <class X>
using SumOf = Over<typename NodeOf<X>::Tensor, double>;
template <class X>
using InnerProductOf = Over<NumberOf<typename NodeOf<X>::Tensor>, double>;

} // namespace detail

/// The expression, for reductions that give the same bits everywhere.
template <Operand X>
auto reproducible(const X& x) {
  return detail::Reproducible<detail::NodeOf<X>>{detail::node(x)};
}

/// What reductions take: fields, expressions, and reproducible ones.
template <class X>
concept Reducible = Operand<X> || detail::is_exact<X>;

/// The sum of an expression over all sites or those of a subset: its tensor in double. The result
/// may stay on the device, for kernels that follow. Throws UsageError for fields of two lattices.
template <class Target, Reducible X>
void sum(Queue& queue, const X& x, DeviceResult<detail::SumOf<X>>& result,
         Subset subset = Subset::all, const std::optional<Schedule>& schedule = {}) {
  const detail::Summand<Reduction::sum, detail::is_exact<X>, detail::NodeOf<X>> summand{
      detail::node(x), {}};
  detail::reduce_sites<Target>(queue, summand, result, subset, schedule);
}
template <class Target, Reducible X>
[[nodiscard]] detail::SumOf<X> sum(Queue& queue, const X& x, Subset subset = Subset::all,
                                   const std::optional<Schedule>& schedule = {}) {
  DeviceResult<detail::SumOf<X>> result(queue.device());
  sum<Target>(queue, x, result, subset, schedule);
  return result.get(queue)[0];
}

/// The sum of the squares of all real numbers of an expression.
template <class Target, Reducible X>
void norm2(Queue& queue, const X& x, DeviceResult<double>& result, Subset subset = Subset::all,
           const std::optional<Schedule>& schedule = {}) {
  const detail::Summand<Reduction::norm2, detail::is_exact<X>, detail::NodeOf<X>> summand{
      detail::node(x), {}};
  detail::reduce_sites<Target>(queue, summand, result, subset, schedule);
}
template <class Target, Reducible X>
[[nodiscard]] double norm2(Queue& queue, const X& x, Subset subset = Subset::all,
                           const std::optional<Schedule>& schedule = {}) {
  DeviceResult<double> result(queue.device());
  norm2<Target>(queue, x, result, subset, schedule);
  return result.get(queue)[0];
}

/// The sum over sites and components of conj(x) y, of expressions of one site tensor; reproducible
/// where one of them is.
template <class Target, Reducible X, Reducible Y>
void inner_product(Queue& queue, const X& x, const Y& y,
                   DeviceResult<detail::InnerProductOf<X>>& result, Subset subset = Subset::all,
                   const std::optional<Schedule>& schedule = {}) {
  using A = detail::NodeOf<X>;
  using B = detail::NodeOf<Y>;
  static_assert(std::is_same_v<typename A::Tensor, typename B::Tensor>,
                "inner products are of equal site tensors");
  constexpr bool exact = detail::is_exact<X> || detail::is_exact<Y>;
  const detail::Summand<Reduction::inner, exact, A, B> summand{detail::node(x), detail::node(y)};
  detail::reduce_sites<Target>(queue, summand, result, subset, schedule);
}
template <class Target, Reducible X, Reducible Y>
[[nodiscard]] detail::InnerProductOf<X>
inner_product(Queue& queue, const X& x, const Y& y, Subset subset = Subset::all,
              const std::optional<Schedule>& schedule = {}) {
  DeviceResult<detail::InnerProductOf<X>> result(queue.device());
  inner_product<Target>(queue, x, y, result, subset, schedule);
  return result.get(queue)[0];
}

} // namespace ridge::lattice
#endif
