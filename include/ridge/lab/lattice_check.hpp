// Comparing lattice reductions and maps with plain loops in long double.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/record/record.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

namespace ridge::lab {

/// What a reduction should give, and the sum of the magnitudes of what it adds up, result by
/// result.
struct ExpectedResults {
  std::vector<long double> value, scale;
};

namespace detail {

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

/// Results so far: sums in long double, or what the reduction's accumulators hold.
template <class R>
class Expecting {
public:
  explicit Expecting(std::size_t results) : sums_{Zeros(results), Zeros(results)}, held_(results) {
    for (auto& held : held_)
      held.clear();
  }
  void add(Index result, long double term) {
    const auto i = static_cast<std::size_t>(result);
    if constexpr (lattice::adds_up<R>) {
      sums_.value[i] += term;
      sums_.scale[i] += std::abs(term);
    } else {
      held_[i].add(static_cast<double>(term));
    }
  }
  void merge(const Expecting& other) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      sums_.value[i] += other.sums_.value[i];
      sums_.scale[i] += other.sums_.scale[i];
      held_[i].merge(other.held_[i]);
    }
  }
  [[nodiscard]] ExpectedResults results() const {
    ExpectedResults all = sums_;
    for (std::size_t i = 0; i < held_.size() && !lattice::adds_up<R>; ++i) {
      all.value[i] = held_[i].value();
      all.scale[i] = std::abs(all.value[i]);
    }
    return all;
  }

private:
  using Zeros = std::vector<long double>;
  ExpectedResults sums_;
  std::vector<typename R::template Accumulator<double>> held_;
};

/// Adds a group's part of the results; x and y begin at that group.
template <class R, class T>
void add_group(const lattice::ReduceCall<R, T>& call, Index group, const T* x, const T* y,
               Expecting<R>& sums) {
  using Real = long double;
  const lattice::Geometry& g = call.geometry;
  const R& r = call.reduction;
  const int parts = call.shape.parts();
  for (int lane = 0; lane < g.nsimd; ++lane) {
    const Index slice = call.dimension < 0 ? 0 : g.coordinates({group, lane})[call.dimension];
    for (int c = 0; c < call.shape.components; ++c) {
      const Index at = (Index{c} * g.nsimd + lane) * parts;
      const Index result = (slice * call.keys() + (call.keys() > 1 ? c : 0)) * call.parts();
      for (int p = 0; p < parts; ++p) {
        const Real v = x[at + p];
        const Index own = result + (R::parts == lattice::Parts::apart ? p : 0);
        if constexpr (R::inputs == 1) {
          sums.add(own, r.term(v));
        } else if constexpr (R::stores) {
          sums.add(own, r.term(r.stored(v, Real(y[at + p]))));
        } else {
          sums.add(own, r.term(v, Real(y[at + p])));
          if (R::parts == lattice::Parts::crossed && parts == 2)
            sums.add(result + 1, r.term(p == 0 ? v : -v, Real(y[at + 1 - p])));
        }
      }
    }
  }
}

} // namespace detail

/// Plain loops over the fields of a call, on the host.
template <class R, class T>
[[nodiscard]] ExpectedResults expected_results(Queue& queue,
                                               const lattice::ReduceCall<R, T>& call) {
  const auto results = static_cast<std::size_t>(call.results());
  const Index group_reals = Index{call.geometry.nsimd} * call.shape.components * call.shape.parts();
  const Index slab = std::max<Index>(1, (Index{8} << 20) / group_reals);
  detail::HostPart<T> x(queue, call.x, slab * group_reals);
  detail::HostPart<T> y(queue, call.y, slab * group_reals);
  detail::Expecting<R> total(results);
  std::mutex guard;
  queue.wait();
  for (Index first = 0; first < call.geometry.groups; first += slab) {
    const Index count = std::min(slab, call.geometry.groups - first);
    const T* const xs = x.fetch(queue, first * group_reals, count * group_reals);
    const T* const ys = y.fetch(queue, first * group_reals, count * group_reals);
    queue.wait();
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      detail::Expecting<R> mine(results);
      const auto share = cpu::share_of(count, thread, threads);
      for (Index group = share.begin; group < share.end; ++group) {
        detail::add_group(call, first + group, xs + group * group_reals,
                          ys == nullptr ? nullptr : ys + group * group_reals, mine);
      }
      const std::lock_guard lock(guard);
      total.merge(mine);
    });
  }
  return total.results();
}

/// Errors relative to the sum of magnitudes, at most `tolerance`.
[[nodiscard]] Check check_results(const ExpectedResults& expected, const std::vector<double>& got,
                                  double tolerance);

namespace detail {
/// The largest error of z at number `at`, and the largest magnitude.
struct MapErrors {
  double error = 0, largest = 0;
  Index at = -1;
  void merge(const MapErrors& other) {
    largest = std::max(largest, other.largest);
    if (other.error <= error) return;
    error = std::isnan(other.error) ? HUGE_VAL : other.error;
    at = other.at;
  }
  [[nodiscard]] Check check(double tolerance) const;
};
} // namespace detail

/// Compares z with the map of x (and y), number by number, relative to the largest; z must not be x
/// or y.
template <class M, class T>
[[nodiscard]] Check check_map(Queue& queue, const lattice::MapCall<M, T>& call, double tolerance) {
  const Index slab = Index{8} << 20;
  detail::HostPart<T> x(queue, call.x, slab);
  detail::HostPart<T> y(queue, M::inputs == 2 ? call.y : Span<const T>(), slab);
  detail::HostPart<T> z(queue, Span<const T>(call.z), slab);
  detail::MapErrors all;
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
      detail::MapErrors mine;
      for (Index i = share.begin; i < share.end; ++i) {
        double value = 0;
        if constexpr (M::inputs == 2) {
          value = call.map(static_cast<double>(xs[i]), static_cast<double>(ys[i]));
        } else {
          value = call.map(static_cast<double>(xs[i]));
        }
        mine.merge({std::abs(static_cast<double>(zs[i]) - value), std::abs(value), first + i});
      }
      const std::lock_guard lock(guard);
      all.merge(mine);
    });
  }
  return all.check(tolerance);
}

} // namespace ridge::lab
