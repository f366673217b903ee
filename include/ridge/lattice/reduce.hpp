// Reductions of fields, from host code: one pass over memory, accumulated in double.
//
// By default the same bits from run to run of the same device, schedule and number of threads; with
// `reproducible` the same bits everywhere (binned sums, see ridge/lattice/binned_sum.hpp).
#pragma once

#include <ridge/lattice/reducer.hpp>
#include <ridge/lattice/schedule.hpp>

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

/// Runs a reduction of any kind, in queue order. Throws UsageError for a schedule of another kind
/// of device.
template <class T>
void reduce(Queue& queue, const ReduceCall<T>& call, const ReduceOptions& options = {});

namespace detail {

/// Throws UsageError when a result has no room for what a reduction gives.
void check_room(Index needed, Index there);

template <class Site>
ReduceCall<RealOf<Site>> reduce_call(Reduction what, const Field<Site>& x, int dimension,
                                     const ReduceOptions& options) {
  if (dimension >= 0) check_dimension(x.lattice(), dimension, "slices");
  ReduceCall<RealOf<Site>> call;
  call.what = what;
  call.reproducible = options.reproducible;
  call.shape = x.shape();
  call.geometry = x.geometry();
  call.x = x.reals();
  call.dimension = dimension;
  return call;
}

template <class R, class T>
void run_into(Queue& queue, ReduceCall<T> call, DeviceResult<R>& result,
              const ReduceOptions& options) {
  call.result = result.doubles();
  check_room(call.results(), call.result.size);
  reduce(queue, call, options);
}

template <class R, class T>
std::vector<R> run_slices(Queue& queue, const ReduceCall<T>& call, const ReduceOptions& options) {
  DeviceResult<R> result(queue.device(), call.slices());
  run_into(queue, call, result, options);
  return result.get(queue);
}

} // namespace detail

/// A number of the field, in double.
template <class Site>
using NumberInDouble = Over<NumberOf<Site>, double>;

/// The sum over all sites: a tensor in double.
template <class Site>
[[nodiscard]] Over<Site, double> sum(Queue& queue, const Field<Site>& x,
                                     const ReduceOptions& options = {}) {
  return detail::run_slices<Over<Site, double>>(
      queue, detail::reduce_call(Reduction::sum, x, -1, options), options)[0];
}
template <class Site>
void sum(Queue& queue, const Field<Site>& x, DeviceResult<Over<Site, double>>& result,
         const ReduceOptions& options = {}) {
  detail::run_into(queue, detail::reduce_call(Reduction::sum, x, -1, options), result, options);
}

/// The sum of the squares of all real numbers.
template <class Site>
[[nodiscard]] double norm2(Queue& queue, const Field<Site>& x, const ReduceOptions& options = {}) {
  return detail::run_slices<double>(queue, detail::reduce_call(Reduction::norm2, x, -1, options),
                                    options)[0];
}
template <class Site>
void norm2(Queue& queue, const Field<Site>& x, DeviceResult<double>& result,
           const ReduceOptions& options = {}) {
  detail::run_into(queue, detail::reduce_call(Reduction::norm2, x, -1, options), result, options);
}

namespace detail {
template <class Site>
ReduceCall<RealOf<Site>> inner_call(const Field<Site>& x, const Field<Site>& y, int dimension,
                                    const ReduceOptions& options) {
  check_same_lattice(x.lattice(), x.name(), y.lattice(), y.name());
  auto call = reduce_call(Reduction::inner, x, dimension, options);
  call.y = y.reals();
  return call;
}
} // namespace detail

/// The sum over sites and components of conj(x) y.
template <class Site>
[[nodiscard]] NumberInDouble<Site> inner_product(Queue& queue, const Field<Site>& x,
                                                 const Field<Site>& y,
                                                 const ReduceOptions& options = {}) {
  return detail::run_slices<NumberInDouble<Site>>(queue, detail::inner_call(x, y, -1, options),
                                                  options)[0];
}
template <class Site>
void inner_product(Queue& queue, const Field<Site>& x, const Field<Site>& y,
                   DeviceResult<NumberInDouble<Site>>& result, const ReduceOptions& options = {}) {
  detail::run_into(queue, detail::inner_call(x, y, -1, options), result, options);
}

/// z = a x + y, and the norm2 of z, in one pass. z may be x or y.
template <class Site>
[[nodiscard]] double axpy_norm(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a,
                               const Field<Site>& x, const Field<Site>& y,
                               const ReduceOptions& options = {}) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  auto call = detail::inner_call(x, y, -1, options);
  call.what = Reduction::axpy_norm;
  call.a = a;
  call.z = z.reals();
  return detail::run_slices<double>(queue, call, options)[0];
}

/// The greatest value of a field of real numbers; NaN when one is NaN.
template <class T>
requires(depth_of<T> == 0 && !is_complex<T>)
    [[nodiscard]] double max(Queue& queue, const Field<T>& x, const ReduceOptions& options = {}) {
  return detail::run_slices<double>(queue, detail::reduce_call(Reduction::max, x, -1, options),
                                    options)[0];
}

// The same of each slice along dimension `d`: as many results as the extent, one pass over memory.

template <class Site>
[[nodiscard]] std::vector<Over<Site, double>> slice_sum(Queue& queue, const Field<Site>& x, int d,
                                                        const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_sum");
  return detail::run_slices<Over<Site, double>>(
      queue, detail::reduce_call(Reduction::sum, x, d, options), options);
}
template <class Site>
[[nodiscard]] std::vector<double> slice_norm2(Queue& queue, const Field<Site>& x, int d,
                                              const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_norm2");
  return detail::run_slices<double>(queue, detail::reduce_call(Reduction::norm2, x, d, options),
                                    options);
}
template <class Site>
[[nodiscard]] std::vector<NumberInDouble<Site>>
slice_inner_product(Queue& queue, const Field<Site>& x, const Field<Site>& y, int d,
                    const ReduceOptions& options = {}) {
  check_dimension(x.lattice(), d, "slice_inner_product");
  return detail::run_slices<NumberInDouble<Site>>(queue, detail::inner_call(x, y, d, options),
                                                  options);
}

} // namespace ridge::lattice
