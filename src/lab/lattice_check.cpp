#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lab/lattice_check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace ridge::lab {

namespace {

using lattice::Geometry;
using lattice::MapCall;
using lattice::Place;
using lattice::ReduceCall;
using lattice::Reduction;

/// Part of a device's array on the host: the array itself where the host can read it.
template <class T>
class HostPart {
public:
  HostPart(Queue& queue, const Span<const T>& all, Index most) : all_(all) {
    if (!queue.device().host_accessible() && all.data != nullptr) {
      memory_ = Memory(queue.device(), Bytes{most * static_cast<Index>(sizeof(T))}, "the check",
                       Memory::Place::staging);
    }
  }
  /// Elements [begin, begin + count), after the queue was waited for; null for no array.
  const T* fetch(Queue& queue, Index begin, Index count) {
    if (memory_.data() == nullptr) return all_.data == nullptr ? nullptr : all_.data + begin;
    copy_to_host(queue, static_cast<T*>(memory_.data()), all_.data + begin, count);
    return static_cast<const T*>(memory_.data());
  }

private:
  Span<const T> all_;
  Memory memory_;
};

/// Adds a group's part of the results; x and y begin at that group.
template <class T>
void add_group(const ReduceCall<T>& call, Index group, const T* x, const T* y,
               ExpectedResults& sums) {
  const Geometry& g = call.geometry;
  const int parts = call.shape.parts();
  const auto add = [&](Index result, long double term) {
    sums.value[static_cast<std::size_t>(result)] += term;
    sums.scale[static_cast<std::size_t>(result)] += std::abs(term);
  };
  for (int lane = 0; lane < g.nsimd; ++lane) {
    const Index slice = call.dimension < 0 ? 0 : g.coordinates(Place{group, lane})[call.dimension];
    for (int c = 0; c < call.shape.components; ++c) {
      const Index at = (Index{c} * g.nsimd + lane) * parts;
      const Index result = (slice * call.keys() + (call.keys() > 1 ? c : 0)) * call.parts();
      if (call.what == Reduction::inner && parts == 2) {
        const long double xr = x[at], xi = x[at + 1], yr = y[at], yi = y[at + 1];
        add(result, xr * yr);
        add(result, xi * yi);
        add(result + 1, xr * yi);
        add(result + 1, -xi * yr);
        continue;
      }
      for (int p = 0; p < parts; ++p) {
        const long double v = x[at + p];
        switch (call.what) {
        case Reduction::sum:
          add(result + p, v);
          break;
        case Reduction::norm2:
          add(result, v * v);
          break;
        case Reduction::inner:
          add(result, v * y[at + p]);
          break;
        case Reduction::axpy_norm: {
          const long double z = static_cast<long double>(call.a) * v + y[at + p];
          add(result, z * z);
          break;
        }
        case Reduction::max:
          sums.value[0] = std::max(sums.value[0], v);
          sums.scale[0] = std::max(sums.scale[0], std::abs(v));
          break;
        }
      }
    }
  }
}

} // namespace

template <class T>
ExpectedResults expected_results(Queue& queue, const ReduceCall<T>& call) {
  const auto results = static_cast<std::size_t>(call.results());
  const auto none = [&] {
    ExpectedResults sums{std::vector<long double>(results, 0),
                         std::vector<long double>(results, 0)};
    if (call.what == Reduction::max) sums.value[0] = -std::numeric_limits<long double>::infinity();
    return sums;
  };
  const Index group_reals = Index{call.geometry.nsimd} * call.shape.components * call.shape.parts();
  const Index slab = std::max<Index>(1, (Index{8} << 20) / group_reals);
  HostPart<T> x(queue, call.x, slab * group_reals);
  HostPart<T> y(queue, call.y, slab * group_reals);
  ExpectedResults total = none();
  std::mutex guard;
  queue.wait();
  for (Index first = 0; first < call.geometry.groups; first += slab) {
    const Index count = std::min(slab, call.geometry.groups - first);
    const T* const xs = x.fetch(queue, first * group_reals, count * group_reals);
    const T* const ys = y.fetch(queue, first * group_reals, count * group_reals);
    queue.wait();
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      ExpectedResults mine = none();
      const auto share = cpu::share_of(count, thread, threads);
      for (Index group = share.begin; group < share.end; ++group) {
        add_group(call, first + group, xs + group * group_reals,
                  ys == nullptr ? nullptr : ys + group * group_reals, mine);
      }
      const std::lock_guard lock(guard);
      for (std::size_t i = 0; i < results; ++i) {
        if (call.what == Reduction::max) {
          total.value[i] = std::max(total.value[i], mine.value[i]);
          total.scale[i] = std::max(total.scale[i], mine.scale[i]);
        } else {
          total.value[i] += mine.value[i];
          total.scale[i] += mine.scale[i];
        }
      }
    });
  }
  return total;
}

Check check_results(const ExpectedResults& expected, const std::vector<double>& got,
                    double tolerance) {
  Check check;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    const long double scale = std::max(expected.scale[i], 1e-300L);
    const auto error =
        static_cast<double>(std::abs(static_cast<long double>(got[i]) - expected.value[i]) / scale);
    if (!(error <= tolerance) && check.message.empty()) {
      check.message = fmt::format("result {} is {} instead of {}", i, got[i],
                                  static_cast<double>(expected.value[i]));
    }
    check.max_error = std::isnan(error) ? error : std::max(check.max_error, error);
  }
  check.ok = check.message.empty();
  return check;
}

template <class T>
Check check_map(Queue& queue, const MapCall<T>& call, double tolerance) {
  const Index slab = Index{8} << 20;
  HostPart<T> x(queue, call.x, slab);
  HostPart<T> y(queue, call.what == lattice::Map::axpy ? call.y : Span<const T>(), slab);
  HostPart<T> z(queue, Span<const T>(call.z), slab);
  double worst = 0;
  double scale = 0;
  Index worst_at = -1;
  std::mutex guard;
  queue.wait();
  for (Index first = 0; first < call.z.size; first += slab) {
    const Index count = std::min(slab, call.z.size - first);
    const T* const xs = x.fetch(queue, first, count);
    const T* const ys = y.fetch(queue, first, count);
    const T* const zs = z.fetch(queue, first, count);
    queue.wait();
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto share = cpu::share_of(count, thread, threads);
      double error = 0;
      double largest = 0;
      Index at = -1;
      for (Index i = share.begin; i < share.end; ++i) {
        const double value = static_cast<double>(call.a) * xs[i] + (ys == nullptr ? 0.0 : ys[i]);
        const double off = std::abs(static_cast<double>(zs[i]) - value);
        largest = std::max(largest, std::abs(value));
        if (!(off <= error)) {
          error = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
          at = first + i;
        }
      }
      const std::lock_guard lock(guard);
      scale = std::max(scale, largest);
      if (error > worst) {
        worst = error;
        worst_at = at;
      }
    });
  }
  Check check;
  check.max_error = scale > 0 ? worst / scale : worst;
  check.ok = check.max_error <= tolerance;
  if (!check.ok) {
    check.message = fmt::format("relative error {:.2g} at real number {} exceeds {:.2g}",
                                check.max_error, worst_at, tolerance);
  }
  return check;
}

template ExpectedResults expected_results(Queue&, const ReduceCall<float>&);
template ExpectedResults expected_results(Queue&, const ReduceCall<double>&);
template Check check_map(Queue&, const MapCall<float>&, double);
template Check check_map(Queue&, const MapCall<double>&, double);

} // namespace ridge::lab
