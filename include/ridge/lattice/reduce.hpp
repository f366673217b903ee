// Reductions of fields, from host code: one pass over memory, accumulated in double.
//
// By default the same bits from run to run of the same device, schedule and number of threads; with
// `reproducible` the same bits everywhere (binned sums, see ridge/lattice/binned_sum.hpp).
#pragma once

#include <ridge/lattice/launch.hpp>

#include <optional>
#include <vector>

namespace ridge::lattice {

struct ReduceOptions {
  std::optional<Schedule> schedule = {}; ///< the default for the device and the field otherwise
  bool reproducible = false;
};

/// A result that stays on the device, for kernels that follow.
template <class S>
class DeviceResult {
public:
  /// Room for `count` results.
  explicit DeviceResult(const Device& device, Index count = 1)
      : count_(count),
        memory_(device, Bytes{count * static_cast<Index>(sizeof(S))}, "the result of a reduction") {
  }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Span<double> doubles() const {
    return {static_cast<double*>(memory_.data()),
            count_ * static_cast<Index>(sizeof(S) / sizeof(double))};
  }
  /// Copies to the host and waits.
  [[nodiscard]] std::vector<S> get(Queue& queue) const {
    std::vector<S> results(static_cast<std::size_t>(count_));
    copy_bytes_to_host(queue, results.data(), memory_.data(), memory_.size());
    queue.wait();
    return results;
  }

private:
  Index count_;
  Memory memory_;
};

/// A reduction of a field, or of two, into `result`; of the slices along `dimension` unless that is
/// -1. Throws UsageError for fields of two lattices, or a dimension that there is not.
template <class R, class Site, class S>
[[nodiscard]] ReduceCall<R, RealOf<Site>>
reduce_call(const R& reduction, const Field<Site>& x, const DeviceResult<S>& result,
            bool reproducible = false, int dimension = -1) {
  if (dimension >= 0) check_dimension(x.lattice(), dimension, "slices");
  ReduceCall<R, RealOf<Site>> call;
  call.reduction = reduction;
  call.reproducible = reproducible;
  call.shape = x.shape();
  call.geometry = x.geometry();
  call.x = x.reals();
  call.dimension = dimension;
  call.result = result.doubles();
  return call;
}
template <class R, class Site, class S>
[[nodiscard]] ReduceCall<R, RealOf<Site>>
reduce_call(const R& reduction, const Field<Site>& x, const Field<Site>& y,
            const DeviceResult<S>& result, bool reproducible = false, int dimension = -1) {
  check_same_lattice(x.lattice(), x.name(), y.lattice(), y.name());
  auto call = reduce_call(reduction, x, result, reproducible, dimension);
  call.y = y.reals();
  return call;
}

namespace detail {

/// Reduces slices, or the whole field, once and copies the results.
template <class S, class R, class Site, class... Fields>
std::vector<S> reduce_slices(Queue& queue, const R& reduction, int dimension,
                             const ReduceOptions& options, const Field<Site>& x,
                             const Fields&... others) {
  const Index slices = dimension < 0 ? 1 : x.lattice().extents()[dimension];
  const DeviceResult<S> result(queue.device(), slices);
  run_once(queue, reduce_call(reduction, x, others..., result, options.reproducible, dimension),
           options.schedule);
  return result.get(queue);
}
template <class S, class R, class Site, class... Fields>
S reduce_all(Queue& queue, const R& reduction, const ReduceOptions& options, const Field<Site>& x,
             const Fields&... others) {
  return reduce_slices<S>(queue, reduction, -1, options, x, others...)[0];
}

} // namespace detail

/// A number of the field, in double.
template <class Site>
using NumberInDouble = Over<NumberOf<Site>, double>;

/// The sum over all sites: a tensor in double.
template <class Site>
[[nodiscard]] Over<Site, double> sum(Queue& queue, const Field<Site>& x,
                                     const ReduceOptions& options = {}) {
  return detail::reduce_all<Over<Site, double>>(queue, Sum{}, options, x);
}
template <class Site>
void sum(Queue& queue, const Field<Site>& x, DeviceResult<Over<Site, double>>& result,
         const ReduceOptions& options = {}) {
  run_once(queue, reduce_call(Sum{}, x, result, options.reproducible), options.schedule);
}

/// The sum of the squares of all real numbers.
template <class Site>
[[nodiscard]] double norm2(Queue& queue, const Field<Site>& x, const ReduceOptions& options = {}) {
  return detail::reduce_all<double>(queue, Norm2{}, options, x);
}
template <class Site>
void norm2(Queue& queue, const Field<Site>& x, DeviceResult<double>& result,
           const ReduceOptions& options = {}) {
  run_once(queue, reduce_call(Norm2{}, x, result, options.reproducible), options.schedule);
}

/// The sum over sites and components of conj(x) y.
template <class Site>
[[nodiscard]] NumberInDouble<Site> inner_product(Queue& queue, const Field<Site>& x,
                                                 const Field<Site>& y,
                                                 const ReduceOptions& options = {}) {
  return detail::reduce_all<NumberInDouble<Site>>(queue, InnerProduct{}, options, x, y);
}
template <class Site>
void inner_product(Queue& queue, const Field<Site>& x, const Field<Site>& y,
                   DeviceResult<NumberInDouble<Site>>& result, const ReduceOptions& options = {}) {
  run_once(queue, reduce_call(InnerProduct{}, x, y, result, options.reproducible),
           options.schedule);
}

/// z = a x + y and its norm2, in one pass. z may be x or y.
template <class Site>
[[nodiscard]] auto axpy_norm_call(const Field<Site>& z, std::type_identity_t<RealOf<Site>> a,
                                  const Field<Site>& x, const Field<Site>& y,
                                  const DeviceResult<double>& result, bool reproducible = false) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  auto call = reduce_call(AxpyNorm<RealOf<Site>>{{}, a}, x, y, result, reproducible);
  call.z = z.reals();
  return call;
}
template <class Site>
[[nodiscard]] double axpy_norm(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a,
                               const Field<Site>& x, const Field<Site>& y,
                               const ReduceOptions& options = {}) {
  const DeviceResult<double> result(queue.device());
  run_once(queue, axpy_norm_call(z, a, x, y, result, options.reproducible), options.schedule);
  return result.get(queue)[0];
}

/// The greatest value of a field of real numbers; NaN when one is NaN.
template <class T>
requires(depth_of<T> == 0 && !is_complex<T>)
    [[nodiscard]] double max(Queue& queue, const Field<T>& x, const ReduceOptions& options = {}) {
  return detail::reduce_all<double>(queue, Max{}, options, x);
}

// Reductions of each slice along dimension `d`: as many results as the extent, one pass over
// memory.

template <class Site>
[[nodiscard]] std::vector<Over<Site, double>> slice_sum(Queue& queue, const Field<Site>& x, int d,
                                                        const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_sum");
  return detail::reduce_slices<Over<Site, double>>(queue, Sum{}, d, options, x);
}
template <class Site>
[[nodiscard]] std::vector<double> slice_norm2(Queue& queue, const Field<Site>& x, int d,
                                              const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_norm2");
  return detail::reduce_slices<double>(queue, Norm2{}, d, options, x);
}
template <class Site>
[[nodiscard]] std::vector<NumberInDouble<Site>>
slice_inner_product(Queue& queue, const Field<Site>& x, const Field<Site>& y, int d,
                    const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_inner_product");
  return detail::reduce_slices<NumberInDouble<Site>>(queue, InnerProduct{}, d, options, x, y);
}

} // namespace ridge::lattice
