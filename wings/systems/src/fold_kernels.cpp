// Compiled once per device kind.
#include <ridge/chain/system/fold.hpp>
#include <ridge/device/offer.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include "free_face.hpp"

namespace ridge::chain {

namespace folds::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

template <class T>
void fold_line(const FoldedArray<T>& a, Index i) {
  T* const line = a.data + a.line(i);
  const Index stride = a.stride();
  a.for_shown([&](Index from, Index to, T sign) {
    if (sign != 0) line[to * stride] += sign * line[from * stride];
    line[from * stride] = 0;
  });
}

template <class T>
Bound bind_folds(Queue& /*queue*/, const FaceLaunch<FoldedArray<T>>& launch) {
  return Bound([launch] {
    constexpr Index few_lines = 2048; // waking threads takes longer
    const bool alone = launch.most * launch.count < few_lines;
    ridge::cpu::run(alone ? 1 : ridge::cpu::default_threads(), [&](int thread, int threads) {
      for (int k = 0; k < launch.count; ++k) {
        const FoldedArray<T>& a = launch.arrays[k];
        const auto mine = ridge::cpu::share_of(a.lines(), thread, threads);
        for (Index i = mine.begin; i < mine.end; ++i)
          fold_line(a, i);
      }
    });
  });
}

/// Calls f for each of so many points of a face.
template <class F>
void for_points(Index points, const F& f) {
  constexpr Index few_points = 16384; // waking threads takes longer
  ridge::cpu::run(points < few_points ? 1 : ridge::cpu::default_threads(),
                  [&](int thread, int threads) {
                    const auto mine = ridge::cpu::share_of(points, thread, threads);
                    for (Index i = mine.begin; i < mine.end; ++i)
                      f(i);
                  });
}

template <class T>
Bound bind_free(Queue& /*queue*/, const FaceLaunch<FoldedFree<T>>& launch) {
  return Bound([launch] {
    const FoldedFree<T>& face = launch.arrays[0];
    const systems::HostMemory memory;
    const systems::FoldFree<T, systems::HostMemory> at(face, memory);
    for_points(face.around(), [&](Index i) {
      face.at_around(i, [&](Index first, Index second) { at.gather(first, second); });
    });
    const Index row = face.n[face.axis == 0 ? 1 : 0];
    for_points(face.points(), [&](Index i) { at.fold(i % row, i / row); });
  });
}

#else

constexpr int block = 256;

/// A block row of the grid for each array, one lane a line.
template <class T>
struct FoldFaces {
  static constexpr int max_threads = block;
  static constexpr const char* name = "derivatives beyond faces";

  const FoldedArray<T>* arrays;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const FoldedArray<T>& a = arrays[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= a.lines()) return;
    const Span<T> all(a.data - a.before, a.size);
    const Index first = a.before + a.line(i);
    const Index stride = a.stride();
    a.for_shown([&](Index from, Index to, T sign) {
      if (sign != 0) {
        const T sum = lane.load_written(all, first + to * stride) +
                      sign * lane.load_written(all, first + from * stride);
        lane.store(all, first + to * stride, sum);
      }
      lane.store(all, first + from * stride, T(0));
    });
  }
};

template <class T>
Bound bind_folds(Queue& queue, const FaceLaunch<FoldedArray<T>>& launch) {
  const auto blocks = static_cast<int>(ceil_div(launch.most, block));
  return Bound(
      Ready<FoldFaces<T>>(queue, {{blocks, launch.count, 1}, {block, 1, 1}, 0}, {launch.arrays}));
}

/// A lane a point around a free face.
template <class T>
struct GatherFree {
  static constexpr int max_threads = block;
  static constexpr const char* name = "derivatives by slopes at free faces";

  const FoldedFree<T>* faces;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const FoldedFree<T>& f = faces[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= f.around()) return;
    const systems::LaneMemory<Lane> memory{lane};
    const systems::FoldFree<T, systems::LaneMemory<Lane>> at(f, memory);
    f.at_around(i, [&](Index first, Index second) { at.gather(first, second); });
  }
};
/// A lane a point of a free face.
template <class T>
struct FoldFreeFace {
  static constexpr int max_threads = block;
  static constexpr const char* name = "derivatives beyond free faces";

  const FoldedFree<T>* faces;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const FoldedFree<T>& f = faces[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    const Index row = f.n[f.axis == 0 ? 1 : 0];
    if (i >= f.points()) return;
    const systems::LaneMemory<Lane> memory{lane};
    systems::FoldFree<T, systems::LaneMemory<Lane>>(f, memory).fold(i % row, i / row);
  }
};

template <class T>
Bound bind_free(Queue& queue, const FaceLaunch<FoldedFree<T>>& launch) {
  const auto blocks = static_cast<int>(ceil_div(launch.most, block));
  const LaunchShape shape{{blocks, launch.count, 1}, {block, 1, 1}, 0};
  Ready<GatherFree<T>> gather(queue, shape, {launch.arrays});
  Ready<FoldFreeFace<T>> fold(queue, shape, {launch.arrays});
  return Bound([gather = std::move(gather), fold = std::move(fold)]() mutable {
    gather();
    fold();
  });
}

#endif

const Offer floats{kind_of<Here>, typeid(FoldedArray<float>), &bind_folds<float>};
const Offer doubles{kind_of<Here>, typeid(FoldedArray<double>), &bind_folds<double>};
const Offer free_floats{kind_of<Here>, typeid(FoldedFree<float>), &bind_free<float>};
const Offer free_doubles{kind_of<Here>, typeid(FoldedFree<double>), &bind_free<double>};

} // namespace folds::inline RIDGE_TARGET_NAME

} // namespace ridge::chain
