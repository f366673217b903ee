// Several planes at once on the cpu, from windows of rows that stay in the L1.
//
// A tile of the field, `tile` points wide, is walked along y for `depth` planes together, so that a
// neighbour above or below is loaded once for all of them. The rows whose neighbours in x and y are
// read lie in a ring of rows in the L1, copied there when they come into use: where rows of the
// field are a multiple of 4096 bytes apart, all of a stencil's rows fall into one set of the L1 and
// push each other out (docs/performance.md).
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu_schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ridge::stencil::cpu {

inline constexpr int line_bytes = 64;

/// The planes whose rows a window holds, as distances from the first plane of a result: those of
/// which more than the own column is read.
struct WindowPlanes {
  int first = 0, count = 0;
};

template <auto Footprint>
constexpr WindowPlanes window_planes() {
  int low = 1;
  int high = 0;
  for (const Offset& o : Footprint.offsets) {
    if (o.x == 0 && o.y == 0) continue;
    if (low > high) low = high = o.z;
    low = o.z < low ? o.z : low;
    high = o.z > high ? o.z : high;
  }
  return low > high ? WindowPlanes{} : WindowPlanes{low, CpuSchedule::deep + high - low};
}

/// What a tile of a kernel is like.
template <class K, class T>
struct DeepShape {
  static constexpr Offset r = radius_of<K>();
  static constexpr int depth = CpuSchedule::deep;
  static constexpr int line = line_bytes / static_cast<int>(sizeof(T));
  static constexpr int halo = (r.x + line - 1) / line * line;
  static constexpr int tile = 16 * line;
  static constexpr int pitch = tile + 2 * halo;
  static constexpr int rows = 2 * r.y + 1;
  static constexpr int plane = rows * pitch + line; // planes begin at different sets

  template <std::size_t I>
  static constexpr WindowPlanes planes = window_planes<footprint_of<K, I>>();

  /// Where the window of input I begins.
  template <std::size_t I>
  static constexpr int begin() {
    if constexpr (I == 0) {
      return 0;
    } else {
      return begin<I - 1>() + planes<I - 1>.count * plane;
    }
  }
  static constexpr int elements = begin<inputs_of<K>>();
};

/// The pointer, of which the compiler forgets where it came from. Otherwise it keeps one pointer
/// for each address that a loop reads, many more than there are registers.
template <class T>
RIDGE_FN const T* opaque(const T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

/// Neighbours of a vector of points of plane `Plane` of the tile.
template <class S, std::size_t I, int Plane, class V>
struct DeepNeighbours {
  using T = Element<V>;
  const std::array<const T*, S::rows>& window; ///< rows of the first window, at the points
  const T* field;                              ///< at the points, in plane 0
  Index row, plane;

  RIDGE_FN V operator()(int dx, int dy = 0, int dz = 0) const {
    constexpr WindowPlanes held = S::template planes<I>;
    const int z = Plane + dz;
    if (z >= held.first && z < held.first + held.count) {
      return V::load(window[dy + S::r.y] + (S::template begin<I>() + (z - held.first) * S::plane) +
                     dx);
    }
    return V::load(field + z * plane + dy * row + dx);
  }
};

/// One tile: points [x_begin, x_end) of the rows and `depth` planes from z on. x_begin is where a
/// line of the result begins, and may lie before the first interior point.
template <bool Stream, class K, class T>
class DeepTile {
public:
  DeepTile(const Call<K, T>& call, T* windows, Index x_begin, Index z, Index ahead)
      : call_(call), windows_(windows), x_begin_(x_begin), z_(z), ahead_(ahead),
        x_end_(std::min(x_begin + S::tile, call.out.extents.x - r.x)) {}

  void run(ridge::cpu::Range y) {
    for (Index next = y.begin - r.y; next < y.begin + r.y; ++next)
      fetch(next);
    for (Index row = y.begin; row < y.end; ++row) {
      fetch(row + r.y);
      compute(row);
    }
  }

private:
  using S = DeepShape<K, T>;
  using V = NativePack<T>;
  static constexpr Offset r = S::r;
  static constexpr int width = lanes_of<V>;
  static constexpr int inputs = inputs_of<K>;
  using Window = std::array<const T*, S::rows>;
  using Pointers = std::array<const T*, inputs>;
  using Strides = std::array<Index, inputs>;

  /// Copies row y of all planes of the windows to where the oldest was.
  void fetch(Index y) {
    const Index from = std::max<Index>(x_begin_ - S::halo, 0);
    const Index to = std::min(x_begin_ + S::tile + S::halo, call_.out.extents.x);
    fetch_inputs(y, from, to, std::make_index_sequence<inputs>{});
    oldest_ = oldest_ + 1 == S::rows ? 0 : oldest_ + 1;
  }

  template <std::size_t... I>
  void fetch_inputs(Index y, Index from, Index to, std::index_sequence<I...> /*all*/) {
    (fetch_input<I>(y, from, to), ...);
  }

  template <std::size_t I>
  void fetch_input(Index y, Index from, Index to) {
    constexpr WindowPlanes held = S::template planes<I>;
    for (int p = 0; p < held.count; ++p) {
      const T* const source = call_.in[I].data + call_.in[I].at(0, y, z_ + held.first + p);
      T* const row = windows_ + S::template begin<I>() + p * S::plane + oldest_ * S::pitch;
      T* const target = row + S::halo - x_begin_;
      if (from == x_begin_ - S::halo && to == x_begin_ + S::tile + S::halo) {
        RIDGE_UNROLL
        for (int x = 0; x < S::pitch; x += width)
          V::load(source + from + x).store(row + x);
      } else {
        std::memcpy(target + from, source + from, static_cast<std::size_t>(to - from) * sizeof(T));
      }
    }
  }

  void compute(Index y) const {
    const K kernel = call_.kernel; // a copy, so that no store can change its numbers
    const Index ahead = ahead_;
    Strides row;
    Strides plane;
    Window window;
    int slot = oldest_; // the lowest
    for (const T*& row_of_window : window) {
      row_of_window = windows_ + slot * S::pitch + S::halo;
      slot = slot + 1 == S::rows ? 0 : slot + 1;
    }
    Pointers field;
    for (int i = 0; i < inputs; ++i) {
      field[i] = call_.in[i].data + call_.in[i].at(x_begin_, y, z_);
      row[i] = call_.in[i].row;
      plane[i] = call_.in[i].plane;
    }
    const Index out_plane = call_.out.plane;
    T* const out = call_.out.data + call_.out.at(x_begin_, y, z_);
    const Index first = r.x - x_begin_; // interior points are [first, end) of the tile
    const Index end = x_end_ - x_begin_;
    for (Index x = 0; x < end; x += width) {
      V result[S::depth];
      if (ahead > 0) prefetch(field, row, plane, ahead, x);
      Window here;
      RIDGE_UNROLL
      for (int j = 0; j < S::rows; ++j)
        here[j] = opaque(window[j] + x);
      Pointers field_here;
      RIDGE_UNROLL
      for (int i = 0; i < inputs; ++i)
        field_here[i] = opaque(field[i] + x);
      [&]<std::size_t... Plane>(std::index_sequence<Plane...>) {
        ((result[Plane] = evaluate<static_cast<int>(Plane)>(kernel, here, field_here, row, plane,
                                                            std::make_index_sequence<inputs>{})),
         ...);
      }
      (std::make_index_sequence<S::depth>{});
      RIDGE_UNROLL
      for (int k = 0; k < S::depth; ++k) {
        T* const to = out + k * out_plane + x;
        if (x >= first && x + width <= end) {
          if constexpr (Stream) {
            result[k].stream(to);
          } else {
            result[k].store(to);
          }
        } else {
          for (Index i = std::max<Index>(first - x, 0); i < std::min<Index>(end - x, width); ++i)
            to[i] = result[k][static_cast<int>(i)];
        }
      }
    }
  }

  /// The leading planes come from memory, those behind them from a cache.
  static RIDGE_FN void prefetch(const Pointers& field, const Strides& row, const Strides& plane,
                                Index ahead, Index x) {
    RIDGE_UNROLL
    for (int i = 0; i < inputs; ++i) {
      RIDGE_UNROLL
      for (int k = -r.z; k < S::depth + r.z; ++k) {
        const Index rows = k >= r.z ? ahead : k >= 0 && k < S::depth ? ahead / 2 + r.y : ahead / 2;
        __builtin_prefetch(field[i] + x + k * plane[i] + rows * row[i], 0, 3);
      }
    }
  }

  template <int Plane, std::size_t... I>
  static RIDGE_FN V evaluate(const K& kernel, const Window& window, const Pointers& field,
                             const Strides& row, const Strides& plane,
                             std::index_sequence<I...> /*all*/) {
    return V(kernel(DeepNeighbours<S, I, Plane, V>{window, field[I], row[I], plane[I]}...));
  }

  const Call<K, T>& call_;
  T* windows_;
  Index x_begin_, z_, ahead_, x_end_;
  int oldest_ = 0;
};

/// Whether a block of so many planes can be computed so; fields whose rows are shorter than a line
/// cannot.
template <class K, class T>
bool deep_fits(const Call<K, T>& call, Index planes) {
  using S = DeepShape<K, T>;
  return planes >= S::depth && call.out.extents.x >= S::line;
}

/// The rows and planes of a block. The last planes are computed twice where their number is no
/// multiple of `depth`. Stores past the caches need rows of the result that begin at the same
/// distance from a line.
template <bool Stream, class K, class T>
void run_deep_block(const Call<K, T>& call, const ridge::cpu::Range& y, const ridge::cpu::Range& z,
                    Index ahead) {
  using S = DeepShape<K, T>;
  if constexpr (Stream) {
    if (call.out.row % S::line != 0 || call.out.plane % S::line != 0) {
      run_deep_block<false>(call, y, z, ahead);
      return;
    }
  }
  alignas(line_bytes) T windows[S::elements] = {};
  const T* const first = call.out.data + call.out.at(0, y.begin, z.begin);
  const auto misfit =
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(first) % line_bytes / sizeof(T));
  // Lines of the result begin at x = -misfit and every S::line points from there.
  const Index x_first = (S::r.x + misfit) / S::line * S::line - misfit;
  for (Index at = z.begin; at < z.end; at += S::depth) {
    for (Index x = x_first; x < call.out.extents.x - S::r.x; x += S::tile)
      DeepTile<Stream, K, T>(call, windows, x, std::min(at, z.end - S::depth), ahead).run(y);
  }
}

} // namespace ridge::stencil::cpu
