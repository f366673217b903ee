// Compiled once per device kind.
#include <ridge/chain/system/fold.hpp>
#include <ridge/device/offer.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

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

#endif

const Offer floats{kind_of<Here>, typeid(FoldedArray<float>), &bind_folds<float>};
const Offer doubles{kind_of<Here>, typeid(FoldedArray<double>), &bind_folds<double>};

} // namespace folds::inline RIDGE_TARGET_NAME

} // namespace ridge::chain
