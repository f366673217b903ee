// Values that lanes of a pass hand to each other.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/shared_pack.hpp>

#if defined(RIDGE_TARGET_CUDA)
#include <ridge/device/gpu/tile_copy.hpp>
#elif !defined(RIDGE_TARGET_SIMT)
#include <ridge/device/gpu/lane.hpp>
#endif

#include <cstdint>
#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CUDA)
using PassMap = ridge::gpu::KernelTileMap;
inline constexpr bool copies_tiles = ridge::gpu::has_tile_copy;
#else
struct PassMap {};
inline constexpr bool copies_tiles = false;
#endif

/// Numbers of a pack of elements of memory, and elements of a pack of numbers.
template <class T, int N>
RIDGE_DEVICE auto numbers_of(const Pack<T, N>& elements) {
  if constexpr (is_stored<T>) {
    return widened(elements);
  } else {
    return elements;
  }
}
template <class T, int N>
RIDGE_DEVICE Pack<T, N> elements_of(const Pack<NumberOf<T>, N>& numbers) {
  if constexpr (is_stored<T>) {
    return rounded_to<T>(numbers);
  } else {
    return numbers;
  }
}

/// As Lane::copy_async; the data are read once more soon, by the block beside: of 16 bytes the L2
/// keeps them in preference to results.
template <int N, class Lane, class Array, class T>
RIDGE_DEVICE void copy_kept(Lane& lane, Array& to, int at, const Span<const T>& from, Index i) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (N * sizeof(T) != 16) {
    lane.template copy_async<N>(to, at, from, i);
    return;
  }
  std::uint64_t keep;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to + at))),
               "l"(from.data + i), "l"(keep)
               : "memory");
#else
  lane.template copy_async<N>(to, at, from, i);
#endif
}

/// A truth that is the same for all lanes of a warp, and known to the compiler as such.
RIDGE_DEVICE bool in_warp(bool value) {
#if defined(__CUDA_ARCH__)
  return __any_sync(0xffffffffu, value) != 0;
#else
  return value;
#endif
}

/// The number given, of which the compiler no longer knows where it is from: it does not keep what
/// follows from it in registers from step to step.
template <class I>
RIDGE_DEVICE I forgotten(I value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Calls `f` with 0 to Count - 1: as compile-time constants where registers are found by them, as a
/// number on the emulated GPU, for which one function is compiled.
template <int Count, class F>
RIDGE_DEVICE void for_each_row(F&& f) {
#if defined(RIDGE_TARGET_SIMT)
  for (int row = 0; row < Count; ++row)
    f(row);
#else
  unrolled<Count>(f);
#endif
}

/// The bit of a value in a row of packs of `Size`, a constant where the row is.
template <int Size, int Place, class Row>
RIDGE_DEVICE constexpr auto bit_of([[maybe_unused]] Row row) {
#if defined(RIDGE_TARGET_SIMT)
  return row * Size + Place;
#else
  return std::integral_constant<int, Row::value * Size + Place>{};
#endif
}

/// `yes` where this bit of `bits` is set, `no` elsewhere. Tested where it is used: a compiler that
/// kept the outcome of each test would need more predicates than a GPU has. `ByMask`: without any,
/// in more instructions.
template <bool ByMask, class Bit, class T>
RIDGE_DEVICE T chosen([[maybe_unused]] Bit bit, unsigned bits, T yes, T no) {
#if defined(__CUDA_ARCH__)
  if constexpr (ByMask) {
    int mask = static_cast<int>(bits << (31 - Bit::value)) >> 31;
    asm("" : "+r"(mask)); // else it becomes a predicate again
    const auto of = [mask](int a, int b) { return (a & mask) | (b & ~mask); };
    if constexpr (std::is_same_v<T, double>) {
      return __hiloint2double(of(__double2hiint(yes), __double2hiint(no)),
                              of(__double2loint(yes), __double2loint(no)));
    } else {
      return __int_as_float(of(__float_as_int(yes), __float_as_int(no)));
    }
  } else if constexpr (std::is_same_v<T, double>) {
    T value;
    asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %3, %4; setp.ne.u32 p, t, 0; "
        "selp.f64 %0, %1, %2, p; }"
        : "=d"(value)
        : "d"(yes), "d"(no), "r"(bits), "n"(1u << Bit::value));
    return value;
  } else {
    T value;
    asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %3, %4; setp.ne.u32 p, t, 0; "
        "selp.f32 %0, %1, %2, p; }"
        : "=f"(value)
        : "f"(yes), "f"(no), "r"(bits), "n"(1u << Bit::value));
    return value;
  }
#else
  return (bits >> bit & 1u) != 0 ? yes : no;
#endif
}

/// Stores a value where this bit of `bits` is set, which is tested here, likewise.
template <Store How, class Lane, class Bit, class T>
RIDGE_DEVICE void put_chosen(Lane& lane, [[maybe_unused]] Bit bit, unsigned bits, const Span<T>& to,
                             Index at, T value) {
#if defined(__CUDA_ARCH__)
  (void)lane;
  if constexpr (sizeof(T) == 2 && How == Store::nontemporal) {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.cs.u16 [%0], %1; }" ::"l"(to.data + at),
                 "h"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.u16 [%0], %1; }" ::"l"(to.data + at),
                 "h"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  } else if constexpr (sizeof(T) == 8 && How == Store::nontemporal) {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.cs.f64 [%0], %1; }" ::"l"(to.data + at),
                 "d"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.f64 [%0], %1; }" ::"l"(to.data + at),
                 "d"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  } else if constexpr (How == Store::nontemporal) {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.cs.f32 [%0], %1; }" ::"l"(to.data + at),
                 "f"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  } else {
    asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "@p st.global.f32 [%0], %1; }" ::"l"(to.data + at),
                 "f"(value), "r"(bits), "n"(1u << Bit::value)
                 : "memory");
  }
#else
  if ((bits >> bit & 1u) != 0) put<How>(lane, to, at, Pack<T, 1>(value));
#endif
}

/// The values given, of which the compiler no longer knows where they are from: what computes on
/// them is not fused with what made them, so that the bits are those of results read from memory.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> as_if_loaded(Pack<T, N> value) {
#if defined(__CUDA_ARCH__)
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      asm("" : "+d"(value.lane[i]));
    } else {
      asm("" : "+f"(value.lane[i]));
    }
  }
#elif defined(RIDGE_TARGET_SIMT)
  for (int i = 0; i < N; ++i)
    asm("" : "+m"(value.lane[i]));
#endif
  return value;
}

/// A row's values, of which each lane of a warp holds a pack, from `Reach` points before the lane's
/// own to as many behind. Those beyond the ends of the row are some of the row's.
template <class T, int N, int Reach>
struct RowValues {
  T value[N + 2 * Reach];

  /// That of the lane so many further on in the warp, or where there is none of another lane.
  template <int Further, class Lane>
  static RIDGE_DEVICE T of_lane(Lane& lane, T value) {
#if defined(RIDGE_TARGET_CUDA)
    (void)lane;
    return Further < 0 ? __shfl_up_sync(0xffffffffu, value, -Further)
                       : __shfl_down_sync(0xffffffffu, value, Further);
#else
    const int width = lane.width();
    return lane.shuffle(value, (lane.lane() + width + Further) % width);
#endif
  }

  template <class Lane>
  static RIDGE_DEVICE RowValues around(Lane& lane, const Pack<T, N>& value) {
    RowValues row;
    unrolled<N>([&](auto i) { row.value[Reach + i] = value[i]; });
    unrolled<Reach>([&](auto q) {
      constexpr int lanes = q / N + 1;
      row.value[Reach - 1 - q] = of_lane<-lanes>(lane, value[lanes * N - 1 - q]);
      row.value[Reach + N + q] = of_lane<lanes>(lane, value[q % N]);
    });
    return row;
  }
  /// `i` counts from the lane's first value on.
  RIDGE_DEVICE T& operator[](int i) {
    return value[i + Reach];
  }
  RIDGE_DEVICE const T& operator[](int i) const {
    return value[i + Reach];
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
