// Compiled once per device kind.
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include <algorithm>

namespace ridge {

namespace {

#if defined(RIDGE_TARGET_CPU)

template <class T>
void fill(Queue& /*queue*/, const Span<T>& field, std::uint64_t seed) {
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(field.size, thread, threads, 512);
    for (Index i = mine.begin; i < mine.end; ++i) {
      field.data[i] = static_cast<T>(random_value(seed, i));
    }
  });
}

#else

template <class T>
struct RandomFill {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "random fill";

  Span<T> field;
  std::uint64_t seed;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < field.size;
         i += stride) {
      lane.store(field, i, static_cast<T>(random_value(seed, i)));
    }
  }
};

template <class T>
void fill(Queue& queue, const Span<T>& field, std::uint64_t seed) {
  const Index blocks = (field.size + 255) / 256;
  const int grid = static_cast<int>(std::min<Index>(blocks, 1 << 16));
  launch_body(queue, {{grid, 1, 1}, {256, 1, 1}, 0}, RandomFill<T>{field, seed});
}

#endif

const Offer floats(kind_of<Here>, typeid(RandomFiller<float>*), &fill<float>);
const Offer doubles(kind_of<Here>, typeid(RandomFiller<double>*), &fill<double>);

} // namespace

} // namespace ridge
