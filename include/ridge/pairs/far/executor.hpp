// Executors of sums by a far field: a group of neighbouring targets, a pack on the cpu and one on a
// GPU, walks the octree, and meets bodies that are near and proxies of what is far.
//
// A kernel source, compiled once per device kind, instantiates them:
//
//   #include <ridge/pairs/far/executor.hpp>
//   template struct ridge::pairs::FarExecutor<Coulomb, ridge::pairs::Fp32, ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/pairs/far/call.hpp>
#include <ridge/pairs/far/items.hpp>
#include <ridge/pairs/far/schedule.hpp>

namespace ridge::pairs {

/// GPUs, real and emulated.
template <class I, class P, class Target>
struct FarExecutor {
  using Schedule = GpuFarSchedule;
  /// Each run takes the field as it is then.
  [[nodiscard]] static Bound bind(Queue& queue, const Far<I, P>& call, const Schedule& schedule);
  static const Offer offered;
};

/// The cpu.
template <class I, class P>
struct FarExecutor<I, P, target::Cpu> {
  using Schedule = CpuFarSchedule;
  [[nodiscard]] static Bound bind(Queue& queue, const Far<I, P>& call, const Schedule& schedule);
  static const Offer offered;
};

} // namespace ridge::pairs

#if defined(RIDGE_TARGET_CPU) || defined(RIDGE_TARGET_GPU)

namespace ridge::pairs {

namespace far::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)
template <class T>
using TargetPack = NativePack<T>;
#else
template <class T>
using TargetPack = Pack<T, 1>;
#endif

/// The sums of one group of targets.
template <class I, class P>
struct SumFar {
  using T = typename P::Computed;
  using V = TargetPack<T>;
  static constexpr const char* name = "sums by a far field";
  static constexpr int lanes = lanes_of<V>;
  /// Positions are taken from the tree's origin, as nodes are, where only their differences count.
  static constexpr bool by_differences = positions_of<I>() >= 3;
  /// Nodes that wait: of each level the brothers of one that was opened.
  static constexpr int most_waiting = 8 * spatial::most_levels + 8;

  I interaction;
  std::array<Span<const T>, I::sources> bodies;
  std::array<Span<typename P::Summed>, I::sums> sums;
  FarData<T> d;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index group) const {
    Targets t;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      t.origin[c] = access.load(d.tree.cube, 4 + c);
    t.first = group * lanes;
    t.count = static_cast<int>(d.tree.count - t.first < lanes ? d.tree.count - t.first : lanes);
    load_targets(access, t);
    V sum[I::sums];
    RIDGE_UNROLL
    for (int c = 0; c < I::sums; ++c)
      sum[c] = V(T(0));
    std::uint32_t waiting[most_waiting];
    int count = 1;
    waiting[0] = 0;
    while (count > 0) {
      const Index node = waiting[--count];
      const Index begin = access.load(d.ranges, 2 * node);
      const Index members = access.load(d.ranges, 2 * node + 1);
      const NodeBox<T> box = box_of(access, d, node);
      // Bodies that are no more than proxies are met sooner themselves.
      const bool far = is_far(t, box);
      if (far && members > d.proxies_of_node()) {
        meet_proxies(access, t, node, box, sum);
        continue;
      }
      const std::uint32_t link = access.load(d.tree.links, 2 * node + 1);
      if (far || (link & spatial::leaf_bit) != 0) {
        meet_bodies(access, t, begin, begin + members, sum);
        continue;
      }
      const std::uint32_t child = access.load(d.tree.links, 2 * node);
      for (std::uint32_t k = 0; k < link; ++k)
        waiting[count++] = child + k;
    }
    for (int l = 0; l < t.count; ++l) {
      const Index to = access.load(d.tree.sorted_order, t.first + l);
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        access.store(sums[c], to, static_cast<typename P::Summed>(sum[c][l]));
    }
  }

private:
  struct Targets {
    Index first;
    int count;
    T origin[3]; ///< of the tree's coordinates
    V at[I::targets];
    T low[3], high[3];
  };

  template <class Access>
  RIDGE_FN void load_targets(Access& access, Targets& t) const {
    for (int l = 0; l < lanes; ++l) {
      const Index from = access.load(d.tree.sorted_order, t.first + (l < t.count ? l : 0));
      RIDGE_UNROLL
      for (int c = 0; c < I::targets; ++c) {
        const T value = access.load(bodies[c], from);
        if (c >= 3) {
          t.at[c].set(l, value);
          continue;
        }
        const T within = value - t.origin[c];
        t.at[c].set(l, by_differences ? within : value);
        t.low[c] = l == 0 || within < t.low[c] ? within : t.low[c];
        t.high[c] = l == 0 || within > t.high[c] ? within : t.high[c];
      }
    }
  }

  /// By the distance from the middle and, beyond theta 0.8, from the box: else a target beside a
  /// corner would have a proxy right beside it.
  RIDGE_FN bool is_far(const Targets& t, const NodeBox<T>& box) const {
    constexpr T least_gap = T(0.25); // in radii: as far from its box is what theta 0.8 calls far
    T distance = 0;
    T gap = 0;
    T radius = 0;
    for (int c = 0; c < 3; ++c) {
      const T below = t.low[c] - box.middle[c];
      const T above = box.middle[c] - t.high[c];
      const T off = below > above ? below : above;
      const T outside = off - box.half[c];
      if (off > 0) distance += off * off;
      if (outside > 0) gap += outside * outside;
      radius += box.half[c] * box.half[c];
    }
    return static_cast<T>(d.theta * d.theta) * distance > radius &&
           (d.theta <= 0.8 || gap >= least_gap * least_gap * radius);
  }

  template <class Access>
  RIDGE_FN void meet_bodies(Access& access, const Targets& t, Index begin, Index end,
                            V (&sum)[I::sums]) const {
    for (Index j = begin; j < end; ++j) {
      const Index from = access.load(d.tree.sorted_order, j);
      V source[I::sources];
      RIDGE_UNROLL
      for (int c = 0; c < I::sources; ++c) {
        const T value = access.load(bodies[c], from);
        source[c] = V(by_differences && c < 3 ? value - t.origin[c % 3] : value);
      }
      const Index own = j - t.first;
      if (own < 0 || own >= t.count) {
        interaction(t.at, source, sum);
        continue;
      }
      V with[I::sums]; // none acts on itself
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        with[c] = sum[c];
      interaction(t.at, source, with);
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c) {
        with[c].set(static_cast<int>(own), sum[c][static_cast<int>(own)]);
        sum[c] = with[c];
      }
    }
  }

  template <class Access>
  RIDGE_FN void meet_proxies(Access& access, const Targets& t, Index node, NodeBox<T> box,
                             V (&sum)[I::sums]) const {
    Index from = node * d.proxies_of_node() * d.weights;
    RIDGE_UNROLL
    for (int c = 0; c < 3 && !by_differences; ++c)
      box.middle[c] += t.origin[c];
    V source[I::sources];
    for (int z = 0; z < d.points; ++z) {
      source[2] = V(box.middle[2] + box.half[2] * d.place[z]);
      for (int y = 0; y < d.points; ++y) {
        source[1] = V(box.middle[1] + box.half[1] * d.place[y]);
        for (int x = 0; x < d.points; ++x) {
          source[0] = V(box.middle[0] + box.half[0] * d.place[x]);
          if constexpr (I::sources > 3) {
            RIDGE_UNROLL
            for (int c = 3; c < I::sources; ++c)
              source[c] = V(access.load(d.proxies, from++));
            interaction(t.at, source, sum);
          } else { // as many bodies as the proxy stands for
            V one[I::sums];
            RIDGE_UNROLL
            for (int c = 0; c < I::sums; ++c)
              one[c] = V(T(0));
            interaction(t.at, source, one);
            const V weight(access.load(d.proxies, from++));
            RIDGE_UNROLL
            for (int c = 0; c < I::sums; ++c)
              sum[c] = sum[c] + weight * one[c];
          }
        }
      }
    }
  }
};

template <class I, class P>
Bound bind_far(Queue& queue, const Far<I, P>& call) {
  return Bound([&queue, call] {
    const auto& field = *call.field;
    using Sum = SumFar<I, P>;
    spatial::for_each_item(queue, ceil_div(field.tree.count, Index{Sum::lanes}),
                           Sum{call.interaction, call.bodies, call.sums, field});
  });
}

} // namespace far::inline RIDGE_TARGET_NAME

#if defined(RIDGE_TARGET_CPU)
template <class I, class P>
Bound FarExecutor<I, P, target::Cpu>::bind(Queue& queue, const Far<I, P>& call,
                                           const Schedule& /*schedule*/) {
  return far::bind_far(queue, call);
}

template <class I, class P>
const Offer FarExecutor<I, P, target::Cpu>::offered =
    launch::offer<FarExecutor, Far<I, P>>(DeviceKind::cpu, this_source);
#else
template <class I, class P, class Target>
Bound FarExecutor<I, P, Target>::bind(Queue& queue, const Far<I, P>& call,
                                      const Schedule& /*schedule*/) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return far::bind_far(queue, call);
}

template <class I, class P, class Target>
const Offer FarExecutor<I, P, Target>::offered =
    launch::offer<FarExecutor, Far<I, P>>(kind_of<Target>, this_source);
#endif

} // namespace ridge::pairs

#endif
