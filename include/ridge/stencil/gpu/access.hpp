// How a lane reaches neighbours: straight from memory, or through a window of registers.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/schedule_fields.hpp>

#include <utility>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// On the emulated GPU: throws when a kernel reads outside the footprint it declares.
template <auto Footprint, class Lane>
RIDGE_DEVICE void check_declared(const Lane& lane, int dx, int dy, int dz) {
  if constexpr (requires { Lane::emulated; }) {
    if (!Footprint.contains({dx, dy, dz})) lane.undeclared_access(dx, dy, dz);
  }
}

/// Neighbours of one point, loaded when asked for.
template <auto Footprint, class Lane, class T>
struct DirectNeighbours {
  Lane& lane;
  Span<const T> field;
  Index at, row, plane;

  RIDGE_DEVICE Pack<T, 1> operator()(int dx, int dy = 0, int dz = 0) const {
    check_declared<Footprint>(lane, dx, dy, dz);
    return Pack<T, 1>(lane.load(field, at + dx + dy * row + dz * plane));
  }
};

/// The footprint of `Tile` points in y, held in registers. Slots outside the union of their
/// footprints are never touched, and so never exist.
template <auto Footprint, int Tile, class T>
struct Window {
  static constexpr Offset r = Footprint.radius();
  T value[2 * r.z + 1][2 * r.y + Tile][2 * r.x + 1];

  /// True when some point of the tile reads row `row` of the window at (dx, dz).
  static constexpr bool wanted(int dx, int row, int dz) {
    for (int i = 0; i < Tile; ++i) {
      if (Footprint.contains({dx, row - r.y - i, dz})) return true;
    }
    return false;
  }
};

template <auto Footprint, int Tile, class Lane, class T>
struct WindowNeighbours {
  const Lane& lane;
  const Window<Footprint, Tile, T>& window;
  int point;

  RIDGE_DEVICE Pack<T, 1> operator()(int dx, int dy = 0, int dz = 0) const {
    constexpr Offset r = Footprint.radius();
    check_declared<Footprint>(lane, dx, dy, dz);
    return Pack<T, 1>(window.value[dz + r.z][point + dy + r.y][dx + r.x]);
  }
};

/// Not a deduction guide: clang before 17 needs one here, and takes each for a host function.
template <auto Footprint, int Tile, class Lane, class T>
RIDGE_DEVICE WindowNeighbours<Footprint, Tile, Lane, T>
neighbours_in(const Lane& lane, const Window<Footprint, Tile, T>& window, int point) {
  return {lane, window, point};
}

/// Where a member of this alignment lies behind what ends at `end`.
constexpr int behind(std::size_t end, std::size_t alignment) {
  return static_cast<int>((end + alignment - 1) / alignment * alignment);
}

/// Accesses of a body whose members begin with `call` and `plan`.
template <class Body>
constexpr BodyFacts body_facts() {
  using C = decltype(Body::call);
  using K = decltype(C::kernel);
  BodyFacts f;
  f.bytes = static_cast<int>(sizeof(Body));
  f.call_bytes = static_cast<int>(sizeof(C));
  f.in_offset = behind(sizeof(K), alignof(decltype(C::in)));
  f.out_offset = f.in_offset + static_cast<int>(sizeof(C::in));
  f.plan_offset = behind(sizeof(C), alignof(decltype(Body::plan)));
  f.inputs = inputs_of<K>;
  f.element_bytes = static_cast<int>(sizeof(*C::out.data));
  f.radius = radius_of<K>();
  return f;
}

/// Such a constant as a type: compilers at run time do not take it from a lambda's
/// capture.
template <class Constant>
inline constexpr int number = std::remove_reference_t<Constant>::value;

/// The number given. For AMD GPUs the compiler no longer knows that it is: conditions on it are
/// worked out anew each time, where kept ones would take so many scalar registers that some spill.
RIDGE_DEVICE int anew(int value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(value));
#endif
  return value;
}

/// The number given, as `anew` gives it, where it is the same for all lanes.
RIDGE_DEVICE int anew_for_all(int value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+s"(value));
#endif
  return value;
}

/// Calls `f` with 0 to Count - 1 as compile-time constants.
template <int Count, class F>
RIDGE_DEVICE void unrolled(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

#if defined(__HIP_DEVICE_COMPILE__)
/// Code after it runs when the value has arrived.
template <class T>
RIDGE_DEVICE void arrived(const T& value) {
  asm volatile("" : : "v"(value));
}
#endif

/// On AMD GPUs: nothing is asked for after this before plane `K` of the window has arrived.
/// NVIDIA's compiler orders loads as it likes, and no figure asks for more there.
template <int K, auto Footprint, int Tile, class T>
RIDGE_DEVICE void wait_for_plane([[maybe_unused]] const Window<Footprint, Tile, T>& window) {
#if defined(__HIP_DEVICE_COMPILE__)
  using W = Window<Footprint, Tile, T>;
  constexpr Offset r = W::r;
  unrolled<2 * r.y + Tile>([&](auto j) {
    unrolled<2 * r.x + 1>([&](auto i) {
      constexpr int row = number<decltype(j)>;
      constexpr int dx = number<decltype(i)> - r.x;
      if constexpr (W::wanted(dx, row, K - r.z)) arrived(window.value[K][j][i]);
    });
  });
  __builtin_amdgcn_sched_barrier(0);
#endif
}

/// Loads the window around `Tile` points from (x, y, z) on, by ascending address, and waits for
/// each plane before it asks for the next: blocks that run behind one another come together in the
/// planes that they share (docs/design/model.md).
template <auto Footprint, int Tile, class Lane, class T>
RIDGE_DEVICE Window<Footprint, Tile, T> load_window(Lane& lane, const View<const T>& field, Index x,
                                                    Index y, Index z) {
  using W = Window<Footprint, Tile, T>;
  constexpr Offset r = W::r;
  W window;
  const Span<const T> elements = field.elements();
  const Index at = field.at(x, y, z);
  unrolled<2 * r.z + 1>([&](auto k) {
    unrolled<2 * r.y + Tile>([&](auto j) {
      unrolled<2 * r.x + 1>([&](auto i) {
        constexpr int dx = number<decltype(i)> - r.x;
        constexpr int dz = number<decltype(k)> - r.z;
        if constexpr (W::wanted(dx, number<decltype(j)>, dz)) {
          window.value[k][j][i] =
              lane.load(elements, at + dx + (j - r.y) * field.row + dz * field.plane);
        }
      });
    });
    constexpr int plane = number<decltype(k)>;
    if constexpr (plane < 2 * W::r.z) wait_for_plane<plane>(window);
  });
  return window;
}

/// One window an input, as a tuple.
template <int Tile, class Lane, class K, class T>
RIDGE_DEVICE auto load_windows(Lane& lane, const Call<K, T>& call, Index x, Index y, Index z) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::make_tuple(load_window<footprint_of<K, I>, Tile>(lane, call.in[I], x, y, z)...);
  }
  (std::make_index_sequence<inputs_of<K>>{});
}

template <class K, class Lane, class Windows>
RIDGE_DEVICE auto evaluate_windows(const Lane& lane, const K& kernel, const Windows& windows,
                                   int point) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return kernel(neighbours_in(lane, std::get<I>(windows), point)...);
  }
  (std::make_index_sequence<inputs_of<K>>{});
}

/// The kernel at one point, its neighbours loaded as it asks for them.
template <class Lane, class K, class T>
RIDGE_DEVICE Pack<T, 1> evaluate_direct(Lane& lane, const Call<K, T>& call, Index x, Index y,
                                        Index z) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Pack<T, 1>(call.kernel(DirectNeighbours<footprint_of<K, I>, Lane, T>{
        lane, call.in[I].elements(), call.in[I].at(x, y, z), call.in[I].row, call.in[I].plane}...));
  }
  (std::make_index_sequence<inputs_of<K>>{});
}

/// Stores one value or pack from element `at` on.
template <Store How, class Lane, class T, int N>
RIDGE_DEVICE void put(Lane& lane, const Span<T>& elements, Index at, const Pack<T, N>& value) {
  if constexpr (N == 1) {
    if constexpr (How == Store::nontemporal) {
      lane.store_nontemporal(elements, at, value[0]);
    } else {
      lane.store(elements, at, value[0]);
    }
  } else {
    if constexpr (How == Store::nontemporal) {
      lane.store_nontemporal(elements, at, value);
    } else {
      lane.store(elements, at, value);
    }
  }
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
