// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/data.hpp>

#include "motion.hpp"

#include <algorithm>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch_items.hpp>
#endif

namespace ridge::pairs {

namespace moving::inline RIDGE_TARGET_NAME {

/// One component of one body. Every kick and drift of a run goes through these lines, so that
/// stopping in between does not change a bit of it.
template <class T>
RIDGE_FN void move(const std::array<T, 2>& kicks, T drift, T acceleration, T& velocity,
                   T& position) {
  if (kicks[0] != 0) velocity += acceleration * kicks[0];
  if (kicks[1] != 0) velocity += acceleration * kicks[1];
  if (drift != 0) position += velocity * drift;
}

#if defined(RIDGE_TARGET_CPU)

/// Waking threads takes longer than moving a few bodies.
int threads_for(Index bodies) {
  constexpr Index few = 16384;
  return bodies < few ? 1 : cpu::default_threads();
}

template <class T>
void move_all(Queue& /*queue*/, const Motion<T>& m) {
  const auto share = [&](int thread, int threads) {
    const auto mine = cpu::share_of(m.count(), thread, threads, 512);
    for (std::size_t c = 0; c < 3; ++c) {
      T* const x = m.position[c].data;
      T* const v = m.velocity[c].data;
      const T* const a = m.acceleration[c].data;
      if (m.moves_some) {
        for (Index n = mine.begin; n < mine.end; ++n) {
          const Index i = m.some.data[n];
          move(m.kicks, m.drift, a[i], v[i], x[i]);
        }
        continue;
      }
#pragma GCC ivdep
      for (Index i = mine.begin; i < mine.end; ++i)
        move(m.kicks, m.drift, a[i], v[i], x[i]);
    }
  };
  cpu::run(threads_for(m.count()), share);
}

#else

template <class T>
struct MoveBody {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "n-body kick and drift";

  Motion<T> m;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = item_of<MoveBody>(lane);
    const bool watched = m.watch.halt.size != 0;
    if (watched) {
      if (lane.load_written(m.watch.halt, ListHalt::halted) != 0) return;
      if (item == 0) {
        const unsigned before = lane.load_written(m.watch.halt, ListHalt::moves);
        lane.store(m.watch.halt, ListHalt::moves, before + 1);
      }
    }
    if (item >= m.count()) return;
    const bool listed = m.moves_some && m.home.size == 0;
    const Index i = listed ? Index{lane.load(m.some, item)} : item;
    if (m.home.size != 0) {
      const Index slot = lane.load(m.home, i);
      if (slot < m.first_slot || slot >= m.end_slot) return;
    }
    T squared = 0;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      T v = lane.load(Span<const T>(m.velocity[c]), i);
      T x = lane.load(Span<const T>(m.position[c]), i);
      move(m.kicks, m.drift, lane.load(m.acceleration[c], i), v, x);
      lane.store(m.velocity[c], i, v);
      if (m.drift != 0) lane.store(m.position[c], i, x);
      if (watched) {
        const T d = x - lane.load(m.watch.built[c], i);
        squared += d * d;
      }
    }
    if (watched && !(squared <= m.watch.limit_squared)) // also NaN
      (void)lane.atomic_add(m.watch.halt, ListHalt::moved, 1U);
  }
};

template <class T>
void move_all(Queue& queue, const Motion<T>& m) {
  // A rank without bodies counts its moves, too.
  launch_items(queue, std::max<Index>(1, m.count()), MoveBody<T>{m});
}

#endif

const Offer floats(kind_of<Here>, typeid(Motion<float>), &move_all<float>);
const Offer doubles(kind_of<Here>, typeid(Motion<double>), &move_all<double>);

} // namespace moving::inline RIDGE_TARGET_NAME

} // namespace ridge::pairs
