// Compiled once per device kind.
#include <ridge/chain/system/beyond.hpp>
#include <ridge/core/functions.hpp>
#include <ridge/core/index.hpp>
#include <ridge/device/offer.hpp>

#include "free_face.hpp"

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>

#include <algorithm>
#else
#include <ridge/device/launch.hpp>
#endif

namespace ridge::chain {

namespace systems::inline RIDGE_TARGET_NAME {

template <class N>
RIDGE_FN bool is_odd(N number) {
  return !(number - number == 0);
}

/// The faster of `before` and of the fastest wave at a point, NaN where one of its numbers is odd.
template <class T, class N>
RIDGE_FN double faster(const FastestFlow<T>& flow, N depth, N along_x, N along_y, double before) {
  const auto h = static_cast<double>(depth);
  const auto x = static_cast<double>(along_x);
  const auto y = static_cast<double>(along_y);
  if (is_odd(h) || is_odd(x) || is_odd(y)) return h + x + y - (h + x + y);
  if (h <= 0) return before;
  const double speed = (h > flow.dry ? sqrt(x * x + y * y) / h : 0.0) + sqrt(flow.gravity * h);
  return speed > before ? speed : before;
}

#if defined(RIDGE_TARGET_CPU)

constexpr Index few_points = 16384; // waking threads takes longer

/// Rows of the shells of all arrays, shared out among threads; f(array, y, z, begin, end).
template <class A, class F>
void for_each_row(const FaceLaunch<A>& launch, const F& f) {
  const bool alone = launch.most * launch.count < few_points;
  ridge::cpu::run(alone ? 1 : ridge::cpu::default_threads(), [&](int thread, int threads) {
    for (int i = 0; i < launch.count; ++i) {
      const A& a = launch.arrays[i];
      const ShellOf& s = a.shell;
      const auto mine = ridge::cpu::share_of(s.all(1) * s.all(2), thread, threads);
      for (Index r = mine.begin; r < mine.end; ++r) {
        const Index y = s.begin[1] + r % s.all(1);
        const Index z = s.begin[2] + r / s.all(1);
        if (s.ends_of_z && z >= s.low[2] && z < s.high[2]) continue;
        if (y < s.low[1] || y >= s.high[1] || z < s.low[2] || z >= s.high[2]) {
          f(a, y, z, s.begin[0], s.end[0]);
        } else {
          f(a, y, z, s.begin[0], s.low[0]);
          f(a, y, z, s.high[0], s.end[0]);
        }
      }
    }
  });
}

template <class T>
void set_row(const BeyondArray<T>& a, Index y, Index z, Index begin, Index end) {
  using Shown = typename BeyondArray<T>::Shown;
  Shown sy;
  Shown sz;
  if (!a.shows(1, y, sy) || !a.shows(2, z, sz)) return;
  const T* const from = a.data + a.at(0, sy.at, sz.at);
  T* const to = a.data + a.at(0, y, z);
  const auto other = [&](T value) { return a.value_of(a.value_of(number_of(value), sz), sy); };
  const auto ends = [&](Index x, Index last) {
    for (; x < last; ++x) {
      Shown sx;
      if (!a.shows(0, x, sx)) continue;
      to[x] = a.bits ? from[sx.at] : element_of<T>(a.value_of(other(from[sx.at]), sx));
    }
  };
  const Index low = std::clamp(a.shell.low[0], begin, end);
  const Index high = std::clamp(a.shell.high[0], low, end);
  ends(begin, low);
  if (from != to && a.bits) {
    std::copy(from + low, from + high, to + low);
  } else if (from != to) {
    for (Index x = low; x < high; ++x)
      to[x] = element_of<T>(other(from[x]));
  }
  ends(high, end);
}

template <class T>
Bound bind_beyond(Queue& /*queue*/, const FaceLaunch<BeyondArray<T>>& launch) {
  return Bound([launch] { for_each_row(launch, &set_row<T>); });
}

template <class T>
Bound bind_free(Queue& /*queue*/, const FaceLaunch<FreeFace<T>>& launch) {
  return Bound([launch] {
    const FreeFace<T>& f = launch.arrays[0];
    const Index row = f.n[f.axis == 0 ? 1 : 0];
    ridge::cpu::run(launch.most < few_points ? 1 : ridge::cpu::default_threads(),
                    [&](int thread, int threads) {
                      const auto mine = ridge::cpu::share_of(launch.most, thread, threads);
                      for (Index i = mine.begin; i < mine.end; ++i)
                        BeyondFree<T, HostMemory>{{f, {}}}.set(i % row, i / row);
                    });
  });
}

template <class T>
Bound bind_damped(Queue& /*queue*/, const FaceLaunch<DampedArray<T>>& launch) {
  return Bound([launch] {
    for_each_row(launch, [](const DampedArray<T>& a, Index y, Index z, Index begin, Index end) {
      T* const row = a.data + y * a.row + z * a.plane;
      const auto factor = a.factors[1][y] * a.factors[2][z];
      for (Index x = begin; x < end; ++x)
        row[x] = element_of<T>(number_of(row[x]) * (a.factors[0][x] * factor));
    });
  });
}

template <class T>
Bound bind_sources(Queue& /*queue*/, const Sources<T>& sources) {
  return Bound([s = sources] {
    const Index step = s.counter.data[0];
    if (step >= s.length) return;
    for (Index i = 0; i < s.taps.size; ++i) {
      const ProbeTap<T>& tap = s.taps.data[i];
      tap.memory[tap.at] =
          element_of<T>(number_of(tap.memory[tap.at]) +
                        tap.weight * s.wavelets.data[tap.number * s.length + step]);
    }
  });
}

template <class T>
Bound bind_receivers(Queue& /*queue*/, const Receivers<T>& receivers) {
  return Bound([r = receivers] {
    for (Index i = 0; i + 1 < r.first.size; ++i) {
      NumberOf<T> sum = 0;
      for (int t = r.first.data[i]; t < r.first.data[i + 1]; ++t)
        sum += r.taps.data[t].weight * number_of(r.taps.data[t].memory[r.taps.data[t].at]);
      r.traces.data[i * r.capacity + r.counter.data[1]] = sum;
    }
    ++r.counter.data[0];
    ++r.counter.data[1];
  });
}

template <class T>
Bound bind_odd(Queue& /*queue*/, const OddNumbers<T>& odd) {
  return Bound([o = odd] {
    const bool alone = o.values.size < few_points;
    const Index most = std::min<Index>(ridge::cpu::default_threads(), o.found.size);
    ridge::cpu::run(alone ? 1 : static_cast<int>(most), [&](int thread, int threads) {
      const auto mine = ridge::cpu::share_of(o.values.size, thread, threads);
      Index count = 0;
      for (Index i = mine.begin; i < mine.end; ++i)
        count += is_odd(number_of(o.values.data[i])) ? 1 : 0;
      o.found.data[thread] += count;
    });
  });
}

template <class T>
Bound bind_fastest(Queue& /*queue*/, const FastestFlow<T>& flow) {
  return Bound([f = flow] {
    const bool alone = f.depth.size < few_points;
    const Index most = std::min<Index>(ridge::cpu::default_threads(), f.found.size);
    ridge::cpu::run(alone ? 1 : static_cast<int>(most), [&](int thread, int threads) {
      const auto mine = ridge::cpu::share_of(f.depth.size, thread, threads);
      double fastest = f.found.data[thread];
      for (Index i = mine.begin; i < mine.end && !is_odd(fastest); ++i)
        fastest = faster(f, number_of(f.depth.data[i]), number_of(f.along_x.data[i]),
                         number_of(f.along_y.data[i]), fastest);
      f.found.data[thread] = fastest;
    });
  });
}

#else

constexpr int block = 256;

/// A block row of the grid for each array, one lane a point of its shell.
template <class T>
struct SetBeyond {
  static constexpr int max_threads = block;
  static constexpr const char* name = "points beyond faces";

  const BeyondArray<T>* arrays;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const BeyondArray<T>& a = arrays[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= a.shell.count()) return;
    const Index3 p = a.shell.point(i);
    typename BeyondArray<T>::Shown sx;
    typename BeyondArray<T>::Shown sy;
    typename BeyondArray<T>::Shown sz;
    if (!a.shows(0, p.x, sx) || !a.shows(1, p.y, sy) || !a.shows(2, p.z, sz)) return;
    const Span<T> all(a.data - a.before, a.size);
    const T element = lane.load_written(all, a.before + a.at(sx.at, sy.at, sz.at));
    const auto from = number_of(element);
    const auto shown = element_of<T>(a.value_of(a.value_of(a.value_of(from, sz), sy), sx));
    lane.store(all, a.before + a.at(p.x, p.y, p.z), a.bits ? element : shown);
  }
};

/// A lane a point of a free face.
template <class T>
struct SetBeyondFree {
  static constexpr int max_threads = block;
  static constexpr const char* name = "velocities beyond free faces";

  const FreeFace<T>* faces;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const FreeFace<T>& f = faces[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    const Index row = f.n[f.axis == 0 ? 1 : 0];
    if (i >= f.points()) return;
    const LaneMemory<Lane> memory{lane};
    BeyondFree<T, LaneMemory<Lane>>{{f, memory}}.set(i % row, i / row);
  }
};

template <class T>
struct DampPoints {
  static constexpr int max_threads = block;
  static constexpr const char* name = "absorbing layers";

  const DampedArray<T>* arrays;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const DampedArray<T>& a = arrays[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= a.shell.count()) return;
    const Index3 p = a.shell.point(i);
    const Span<T> all(a.data, a.size);
    const Index at = p.x + p.y * a.row + p.z * a.plane;
    const auto factor = a.factors[1][p.y] * a.factors[2][p.z];
    lane.store(all, at,
               element_of<T>(number_of(lane.load_written(all, at)) * (a.factors[0][p.x] * factor)));
  }
};

template <class T>
struct Inject {
  static constexpr int max_threads = block;
  static constexpr const char* name = "sources";

  Sources<T> s;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index step = lane.load(s.counter, 0);
    if (step >= s.length) return;
    for (Index i = lane.thread().x; i + 1 < s.first.size; i += block) {
      const int end = lane.load(s.first, i + 1);
      for (int t = lane.load(s.first, i); t < end; ++t) {
        const ProbeTap<T>& tap = s.taps.data[t];
        const Span<T> all(tap.memory, tap.size);
        const auto value = tap.weight * lane.load(s.wavelets, tap.number * s.length + step);
        lane.store(all, tap.at, element_of<T>(number_of(lane.load_written(all, tap.at)) + value));
      }
    }
  }
};

template <class T>
struct Receive {
  using Number = NumberOf<T>;
  static constexpr int max_threads = block;
  static constexpr const char* name = "receivers";

  Receivers<T> r;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index step = lane.load_written(r.counter, 0);
    const Index slot = lane.load_written(r.counter, 1);
    for (Index i = lane.thread().x; i + 1 < r.first.size; i += block) {
      Number sum = 0;
      const int end = lane.load(r.first, i + 1);
      for (int t = lane.load(r.first, i); t < end; ++t) {
        const ProbeTap<T>& tap = r.taps.data[t];
        sum += tap.weight * number_of(lane.load_written(Span<T>(tap.memory, tap.size), tap.at));
      }
      lane.store(r.traces, i * r.capacity + slot, sum);
    }
    lane.barrier(); // all have read the counter
    if (lane.thread().x == 0) {
      lane.store(r.counter, 0, step + 1);
      lane.store(r.counter, 1, slot + 1);
    }
  }
};

template <class T>
struct CountOdd {
  static constexpr int max_threads = block;
  static constexpr const char* name = "NaN and infinite numbers";

  OddNumbers<T> o;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index mine = Index{lane.block().x} * block + lane.thread().x;
    if (mine >= o.found.size) return;
    Index count = lane.load_written(o.found, mine);
    for (Index i = mine; i < o.values.size; i += o.found.size)
      count += is_odd(number_of(lane.load_written(o.values, i))) ? 1 : 0;
    lane.store(o.found, mine, count);
  }
};

template <class T>
struct FindFastest {
  static constexpr int max_threads = block;
  static constexpr const char* name = "the fastest flow";

  FastestFlow<T> f;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index mine = Index{lane.block().x} * block + lane.thread().x;
    if (mine >= f.found.size) return;
    double fastest = 0;
    for (Index i = mine; i < f.depth.size && !is_odd(fastest); i += f.found.size) {
      fastest = faster(f, number_of(lane.load_written(f.depth, i)),
                       number_of(lane.load_written(f.along_x, i)),
                       number_of(lane.load_written(f.along_y, i)), fastest);
    }
    lane.store(f.found, mine, fastest);
  }
};

template <class Body, class A>
Bound bind_faces(Queue& queue, const FaceLaunch<A>& launch) {
  const auto blocks = static_cast<int>(ceil_div(launch.most, block));
  return Bound(Ready<Body>(queue, {{blocks, launch.count, 1}, {block, 1, 1}, 0}, {launch.arrays}));
}
template <class T>
Bound bind_beyond(Queue& queue, const FaceLaunch<BeyondArray<T>>& launch) {
  return bind_faces<SetBeyond<T>>(queue, launch);
}
template <class T>
Bound bind_free(Queue& queue, const FaceLaunch<FreeFace<T>>& launch) {
  return bind_faces<SetBeyondFree<T>>(queue, launch);
}
template <class T>
Bound bind_damped(Queue& queue, const FaceLaunch<DampedArray<T>>& launch) {
  return bind_faces<DampPoints<T>>(queue, launch);
}
template <class T>
Bound bind_sources(Queue& queue, const Sources<T>& sources) {
  return Bound(Ready<Inject<T>>(queue, {{1, 1, 1}, {block, 1, 1}, 0}, {sources}));
}
template <class T>
Bound bind_receivers(Queue& queue, const Receivers<T>& receivers) {
  return Bound(Ready<Receive<T>>(queue, {{1, 1, 1}, {block, 1, 1}, 0}, {receivers}));
}
template <class T>
Bound bind_fastest(Queue& queue, const FastestFlow<T>& flow) {
  const auto blocks = static_cast<int>(ceil_div(flow.found.size, block));
  return Bound(Ready<FindFastest<T>>(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, {flow}));
}
template <class T>
Bound bind_odd(Queue& queue, const OddNumbers<T>& odd) {
  const auto blocks = static_cast<int>(ceil_div(odd.found.size, block));
  return Bound(Ready<CountOdd<T>>(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, {odd}));
}

#endif

/// Sets faces, layers and probes of arrays of T.
template <class T>
struct Offers {
  Offer beyond{kind_of<Here>, typeid(BeyondArray<T>), &bind_beyond<T>};
  Offer damped{kind_of<Here>, typeid(DampedArray<T>), &bind_damped<T>};
  Offer sources{kind_of<Here>, typeid(Sources<T>), &bind_sources<T>};
  Offer receivers{kind_of<Here>, typeid(Receivers<T>), &bind_receivers<T>};
  Offer fastest{kind_of<Here>, typeid(FastestFlow<T>), &bind_fastest<T>};
  Offer odd{kind_of<Here>, typeid(OddNumbers<T>), &bind_odd<T>};
};
/// Sets what free faces of numbers of T show.
template <class T>
struct FreeOffers {
  Offer free{kind_of<Here>, typeid(FreeFace<T>), &bind_free<T>};
};
const FreeOffers<float> free_floats;
const FreeOffers<double> free_doubles;
const Offers<float> floats;
const Offers<double> doubles;
const Offers<Fp16> halves;
const Offers<Bf16> short_floats;

} // namespace systems::inline RIDGE_TARGET_NAME

} // namespace ridge::chain
