// Work on many items, one source for all kinds of devices: what an item does sees fields through an
// access, a lane on GPUs, plain memory on the cpu. For kernel sources.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/pause.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include <type_traits>

namespace ridge::spatial::inline RIDGE_TARGET_NAME {

/// Four numbers that lie together.
template <class T>
struct Four {
  T at[4];
};

#if defined(RIDGE_TARGET_CPU)

struct HostAccess {
  template <class T>
  RIDGE_FN std::remove_const_t<T> load(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_FN std::remove_const_t<T> load_written(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_FN void store(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    to.data[i] = value;
  }
};

template <class T>
RIDGE_FN Four<std::remove_const_t<T>> load_four(const HostAccess& /*access*/, const Span<T>& from,
                                                Index i) {
  const T* const at = from.data + i;
  return {{at[0], at[1], at[2], at[3]}};
}
template <class T>
RIDGE_FN void store_four(const HostAccess& /*access*/, const Span<T>& to, Index i,
                         const Four<T>& values) {
  for (int c = 0; c < 4; ++c)
    to.data[i + c] = values.at[c];
}

/// Calls `item(access, i)` for each i below `count`, in queue order.
template <class Item>
void for_each_item(Queue& /*queue*/, Index count, const Item& item) {
  // Waking threads takes longer than a few items.
  const int threads = count < 2048 ? 1 : cpu::default_threads();
  cpu::run(threads, [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(count, thread, team, 64);
    const HostAccess access;
    cpu::in_pieces(mine, 256, [&](const cpu::Range& piece) {
      for (Index i = piece.begin; i < piece.end; ++i)
        item(access, i);
    });
  });
}

#elif defined(RIDGE_TARGET_GPU)

/// The first is aligned to four numbers, or to 16 bytes where these are fewer.
template <class Lane, class T>
RIDGE_DEVICE Four<std::remove_const_t<T>> load_four(const Lane& lane, const Span<T>& from,
                                                    Index i) {
  constexpr int together = sizeof(T) == 8 ? 2 : 4;
  Four<std::remove_const_t<T>> values;
  RIDGE_UNROLL
  for (int part = 0; part < 4; part += together) {
    const auto words = lane.template load_pack<together>(from, i + part);
    RIDGE_UNROLL
    for (int c = 0; c < together; ++c)
      values.at[part + c] = words[c];
  }
  return values;
}
template <class Lane, class T>
RIDGE_DEVICE void store_four(const Lane& lane, const Span<T>& to, Index i, const Four<T>& values) {
  constexpr int together = sizeof(T) == 8 ? 2 : 4;
  RIDGE_UNROLL
  for (int part = 0; part < 4; part += together) {
    Pack<T, together> words;
    RIDGE_UNROLL
    for (int c = 0; c < together; ++c)
      words.set(c, values.at[part + c]);
    lane.store(to, i + part, words);
  }
}

template <class Item>
struct ForItems {
  static constexpr int max_threads = 256;
  static constexpr const char* name = Item::name;
  Item item;
  Index count;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = Index{lane.block().x} * max_threads + lane.thread().x;
    if (i < count) item(lane, i);
  }
};

/// Calls `item(access, i)` for each i below `count`, in queue order.
template <class Item>
void for_each_item(Queue& queue, Index count, const Item& item) {
  using Body = ForItems<Item>;
  const auto blocks = static_cast<int>(ceil_div(count, Body::max_threads));
  if (blocks == 0) return;
  launch_body(queue, {{blocks, 1, 1}, {Body::max_threads, 1, 1}, 0}, Body{item, count});
}

#else

template <class Access, class T>
Four<std::remove_const_t<T>> load_four(const Access& access, const Span<T>& from, Index i);
template <class Access, class T>
void store_four(const Access& access, const Span<T>& to, Index i, const Four<T>& values);

#endif

} // namespace ridge::spatial::inline RIDGE_TARGET_NAME
