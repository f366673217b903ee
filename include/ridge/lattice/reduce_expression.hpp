// Reductions of expressions: in one pass over the fields in them, without a temporary. For kernel
// sources, which are compiled once per device kind:
//
//   const double residual = norm2<Target>(queue, f.b - adj(f.u) * f.x);
//   const double half = norm2<Target>(queue, f.x, Subset::even);
//   Program often = bind_norm2<Target>(queue, f.b - adj(f.u) * f.x, result);
//
// Numbers are computed in the fields' precision and added up in double, in a fixed order: the same
// bits from run to run of the same device, schedule and number of threads. With
//
//   const double residual = norm2<Target>(queue, reproducible(f.b - adj(f.u) * f.x));
//
// every operation is rounded by itself and the sum is binned (see ridge/lattice/binned_sum.hpp):
// the same bits on every device, under every schedule and with any number of threads.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/site_executor.hpp>

#if defined(RIDGE_TARGET_CPU) || defined(RIDGE_TARGET_GPU)
namespace ridge::lattice {

/// Any reduction of an expression; see reduce_call. The fields and the result must outlive what is
/// bound.
template <class Target, class R, Reducible X, class S>
[[nodiscard]] Program bind_reduce(Queue& queue, const R& reduction, const X& x,
                                  const DeviceResult<S>& result, Subset subset = Subset::all,
                                  const std::optional<Schedule>& schedule = {},
                                  std::string_view kernel = "user") {
  return detail::bind_here<Target>(queue, detail::site_reduce_call(reduction, subset, result, x),
                                   schedule, kernel);
}

/// The sum over all sites or those of a subset: the expression's tensor in double. The result may
/// stay on the device, for kernels that follow. Throws UsageError for fields of two lattices.
template <class Target, Reducible X>
[[nodiscard]] Program bind_sum(Queue& queue, const X& x, const DeviceResult<SumOf<X>>& result,
                               Subset subset = Subset::all,
                               const std::optional<Schedule>& schedule = {},
                               std::string_view kernel = "user") {
  return bind_reduce<Target>(queue, Sum{}, x, result, subset, schedule, kernel);
}
template <class Target, Reducible X>
void sum(Queue& queue, const X& x, DeviceResult<SumOf<X>>& result, Subset subset = Subset::all,
         const std::optional<Schedule>& schedule = {}) {
  bind_sum<Target>(queue, x, result, subset, schedule).run();
}
template <class Target, Reducible X>
[[nodiscard]] SumOf<X> sum(Queue& queue, const X& x, Subset subset = Subset::all,
                           const std::optional<Schedule>& schedule = {}) {
  DeviceResult<SumOf<X>> result(queue.device());
  sum<Target>(queue, x, result, subset, schedule);
  return result.get(queue)[0];
}

/// The sum of the squares of all real numbers of an expression.
template <class Target, Reducible X>
[[nodiscard]] Program bind_norm2(Queue& queue, const X& x, const DeviceResult<double>& result,
                                 Subset subset = Subset::all,
                                 const std::optional<Schedule>& schedule = {},
                                 std::string_view kernel = "user") {
  return bind_reduce<Target>(queue, Norm2{}, x, result, subset, schedule, kernel);
}
template <class Target, Reducible X>
void norm2(Queue& queue, const X& x, DeviceResult<double>& result, Subset subset = Subset::all,
           const std::optional<Schedule>& schedule = {}) {
  bind_norm2<Target>(queue, x, result, subset, schedule).run();
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
[[nodiscard]] Program
bind_inner_product(Queue& queue, const X& x, const Y& y,
                   const DeviceResult<InnerProductOf<X>>& result, Subset subset = Subset::all,
                   const std::optional<Schedule>& schedule = {}, std::string_view kernel = "user") {
  return detail::bind_here<Target>(
      queue, detail::site_reduce_call(InnerProduct{}, subset, result, x, y), schedule, kernel);
}
template <class Target, Reducible X, Reducible Y>
void inner_product(Queue& queue, const X& x, const Y& y, DeviceResult<InnerProductOf<X>>& result,
                   Subset subset = Subset::all, const std::optional<Schedule>& schedule = {}) {
  bind_inner_product<Target>(queue, x, y, result, subset, schedule).run();
}
template <class Target, Reducible X, Reducible Y>
[[nodiscard]] InnerProductOf<X> inner_product(Queue& queue, const X& x, const Y& y,
                                              Subset subset = Subset::all,
                                              const std::optional<Schedule>& schedule = {}) {
  DeviceResult<InnerProductOf<X>> result(queue.device());
  inner_product<Target>(queue, x, y, result, subset, schedule);
  return result.get(queue)[0];
}

} // namespace ridge::lattice
#endif
