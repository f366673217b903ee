// Comparing lattice reductions and maps with plain loops, sums in long double.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/record/record.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

namespace ridge::lattice {

/// Results that a reduction should give, and magnitudes that its errors are relative to: the sum of
/// the magnitudes of what it adds up.
struct ExpectedResults {
  std::vector<long double> value, scale;
  /// The error of the terms themselves, where that was asked for: they may cancel within.
  std::vector<long double> slack = {};
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
  explicit Expecting(std::size_t results)
      : sums_{Zeros(results), Zeros(results), Zeros(results)}, held_(results) {
    for (auto& held : held_)
      held.clear();
  }
  /// V is a pack of one double, bounded or not.
  template <class V>
  void add(Index result, const V& term) {
    const auto i = static_cast<std::size_t>(result);
    [[maybe_unused]] double bound = 0;
    if constexpr (requires { term.bound; }) bound = term.bound;
    if constexpr (adds_up<R>) {
      sums_.value[i] += term[0];
      // Products round to multiples of the least number.
      sums_.scale[i] += std::abs(term[0]) + std::numeric_limits<double>::min();
      sums_.slack[i] += bound;
    } else {
      held_[i].add(term[0]);
      sums_.slack[i] = std::max<long double>(sums_.slack[i], bound);
    }
  }
  void merge(const Expecting& other) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      sums_.value[i] += other.sums_.value[i];
      sums_.scale[i] += other.sums_.scale[i];
      held_[i].merge(other.held_[i]);
      if constexpr (adds_up<R>) {
        sums_.slack[i] += other.sums_.slack[i];
      } else {
        sums_.slack[i] = std::max(sums_.slack[i], other.sums_.slack[i]);
      }
    }
  }
  [[nodiscard]] ExpectedResults results() const {
    ExpectedResults all = sums_;
    for (std::size_t i = 0; i < held_.size() && !adds_up<R>; ++i) {
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

using OneDouble = Pack<double, 1, abi::Array>;

/// A number that is stored in T, as reductions see it then.
template <class T>
OneDouble as_read(const OneDouble& stored) {
  return stored;
}
template <class T>
BoundedPack<double> as_read(const BoundedPack<T>& stored) {
  return {stored[0], stored.bound + rounding_of<T>(stored[0])};
}
/// A number of a field in T, of which V is computed: exact.
template <class V, class T>
V given(T number) {
  if constexpr (std::is_same_v<V, OneDouble>) {
    return OneDouble(number);
  } else {
    return {static_cast<double>(number), 0};
  }
}

/// Adds a group's part of the results; x and y begin at that group.
template <bool Bounded, class R, class T>
void add_group(const ReduceCall<R, T>& call, Index group, const T* x, const T* y,
               Expecting<R>& sums) {
  using V = std::conditional_t<Bounded, BoundedPack<double>, OneDouble>;
  using Stored = std::conditional_t<Bounded, BoundedPack<T>, OneDouble>;
  const Geometry& g = call.geometry;
  const R& r = call.reduction;
  const int parts = call.shape.parts();
  for (int lane = 0; lane < g.nsimd; ++lane) {
    const Index slice = call.dimension < 0 ? 0 : g.coordinates({group, lane})[call.dimension];
    for (int c = 0; c < call.shape.components; ++c) {
      const Index at = (Index{c} * g.nsimd + lane) * parts;
      const Index result = (slice * call.keys() + (call.keys() > 1 ? c : 0)) * call.parts();
      for (int p = 0; p < parts; ++p) {
        const V v = given<V>(x[at + p]);
        const Index own = result + (R::parts == Parts::apart ? p : 0);
        if constexpr (R::inputs == 1) {
          sums.add(own, V(r.term(v)));
        } else if constexpr (R::stores) {
          const Stored z = r.stored(given<Stored>(x[at + p]), given<Stored>(y[at + p]));
          sums.add(own, V(r.term(as_read<T>(z))));
        } else {
          sums.add(own, V(r.term(v, given<V>(y[at + p]))));
          if (R::parts == Parts::crossed && parts == 2)
            sums.add(result + 1, V(r.term(p == 0 ? v : -v, given<V>(y[at + 1 - p]))));
        }
      }
    }
  }
}

} // namespace detail

/// Plain loops over the fields of a call, on the host; with `slack` where Bounded, which takes
/// several times as long.
template <bool Bounded = false, class R, class T>
[[nodiscard]] ExpectedResults expected_results(Queue& queue, const ReduceCall<R, T>& call) {
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
        detail::add_group<Bounded>(call, first + group, xs + group * group_reals,
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

/// Compares what a call gave with what it should, which `expected` is of; terms that cancel within
/// themselves are found out where that explains an error.
template <class R, class T>
[[nodiscard]] Check check_reduction(Queue& queue, const ReduceCall<R, T>& call,
                                    const ExpectedResults& expected, const std::vector<double>& got,
                                    double tolerance) {
  const Check plain = check_results(expected, got, tolerance);
  if (plain.ok) return plain;
  return check_results(expected_results<true>(queue, call), got, tolerance);
}

/// Judges numbers of a field, one after the other.
[[nodiscard]] Check judge_numbers(const Deviation& found, double tolerance);

/// Compares z, which held bytes `poison` before, with the map of x (and y), number by number; z
/// must not be x or y.
template <class M, class T>
[[nodiscard]] Check check_map(Queue& queue, const MapCall<M, T>& call, unsigned char poison,
                              double tolerance = bounded_unit<T>) {
  const Index slab = Index{8} << 20;
  detail::HostPart<T> x(queue, call.x, slab);
  detail::HostPart<T> y(queue, M::inputs == 2 ? call.y : Span<const T>(), slab);
  detail::HostPart<T> z(queue, Span<const T>(call.z), slab);
  Deviation all;
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
      Deviation mine;
      const auto value = [&](auto one, Index i) {
        using V = decltype(one);
        if constexpr (M::inputs == 2) {
          return V(call.map(detail::given<V>(xs[i]), detail::given<V>(ys[i])));
        } else {
          return V(call.map(detail::given<V>(xs[i])));
        }
      };
      for (Index i = share.begin; i < share.end; ++i) {
        mine.compare(zs[i], value(detail::OneDouble(), i)[0], poisoned<T>(poison),
                     {first + i, 0, 0}, [&] {
                       const BoundedPack<T> right = value(BoundedPack<T>(), i);
                       return right.bound + rounding_of<T>(right[0]);
                     });
      }
      const std::lock_guard lock(guard);
      all.add(mine);
    });
  }
  return judge_numbers(all, tolerance);
}

namespace detail {
/// The part of a reduction that stores, as a map of its fields.
template <class R>
struct StoredMap {
  static constexpr int inputs = R::inputs;
  R reduction;
  template <class... V>
  auto operator()(const V&... fields) const {
    return reduction.stored(fields...);
  }
};
} // namespace detail

/// Compares the field that a reduction stores, which held bytes `poison` before, number by number;
/// it must not be one that is read.
template <class R, class T>
[[nodiscard]] Check check_stored(Queue& queue, const ReduceCall<R, T>& call, unsigned char poison) {
  return check_map(queue,
                   MapCall<detail::StoredMap<R>, T>{
                       {call.reduction}, call.shape, call.geometry, call.x, call.y, call.z},
                   poison);
}

} // namespace ridge::lattice
