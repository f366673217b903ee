// Compiled once per device kind.
#include <ridge/chain/system/matched.hpp>
#include <ridge/device/offer.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

namespace ridge::chain {

namespace matched::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

template <class T>
void remember_row(const MatchedArray<T>& a, Index y, Index z) {
  const Index3 first{0, y, z};
  T* const array = a.array.data + a.array.at(first);
  T* const memory = a.memory.data + a.memory.at(first);
  T* const change = a.change.data == nullptr ? nullptr : a.change.data + a.change.at(first);
  for (Index x = 0; x < a.points.x; ++x) {
    const Index i = a.along({x, y, z});
    memory[x] = a.now(i, memory[x], (change == nullptr ? array : change)[x]);
    if (change == nullptr) continue;
    array[x] += memory[x];
    change[x] = 0;
  }
}

template <class T>
Bound bind_matched(Queue& /*queue*/, const FaceLaunch<MatchedArray<T>>& launch) {
  return Bound([launch] {
    constexpr Index few_points = 16384; // waking threads takes longer
    const bool alone = launch.most * launch.count < few_points;
    ridge::cpu::run(alone ? 1 : ridge::cpu::default_threads(), [&](int thread, int threads) {
      for (int k = 0; k < launch.count; ++k) {
        const MatchedArray<T>& a = launch.arrays[k];
        const auto mine = ridge::cpu::share_of(a.points.y * a.points.z, thread, threads);
        for (Index r = mine.begin; r < mine.end; ++r)
          remember_row(a, r % a.points.y, r / a.points.y);
      }
    });
  });
}

#else

constexpr int block = 256;

/// A block row of the grid for each array, one lane a point of its layer.
template <class T>
struct Remember {
  static constexpr int max_threads = block;
  static constexpr const char* name = "matched layers";

  const MatchedArray<T>* arrays;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const MatchedArray<T>& a = arrays[lane.block().y];
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= a.count()) return;
    const Index3 p{i % a.points.x, i / a.points.x % a.points.y, i / a.points.x / a.points.y};
    const bool back = a.change.data == nullptr;
    const Span<T> array(a.array.data, a.array.size);
    const Span<T> memory(a.memory.data, a.memory.size);
    const LayerPoints<T>& of = back ? a.array : a.change;
    const Span<T> from(of.data, of.size);
    const Index k = a.along(p);
    const T now =
        a.now(k, lane.load_written(memory, a.memory.at(p)), lane.load_written(from, of.at(p)));
    lane.store(memory, a.memory.at(p), now);
    if (back) return;
    lane.store(from, of.at(p), T(0));
    lane.store(array, a.array.at(p), lane.load_written(array, a.array.at(p)) + now);
  }
};

template <class T>
Bound bind_matched(Queue& queue, const FaceLaunch<MatchedArray<T>>& launch) {
  const auto blocks = static_cast<int>(ceil_div(launch.most, block));
  return Bound(
      Ready<Remember<T>>(queue, {{blocks, launch.count, 1}, {block, 1, 1}, 0}, {launch.arrays}));
}

#endif

const Offer floats{kind_of<Here>, typeid(MatchedArray<float>), &bind_matched<float>};
const Offer doubles{kind_of<Here>, typeid(MatchedArray<double>), &bind_matched<double>};

} // namespace matched::inline RIDGE_TARGET_NAME

} // namespace ridge::chain
