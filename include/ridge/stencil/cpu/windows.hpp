// Several planes at once on the cpu, from windows of rows that stay in the L1.
//
// A tile of the field, `tile` points wide, is walked along y for `depth` planes together, so that a
// neighbour above or below is loaded once for all of them. The rows whose neighbours in x and y are
// read lie in a ring of rows in the L1, copied there when they come into use: where rows of the
// field are a multiple of 4096 bytes apart, all of a stencil's rows fall into one set of the L1 and
// push each other out (docs/design/stencils_on_cpus.md).
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu/windows_access.hpp>
#include <ridge/stencil/cpu/windows_prefetch.hpp>
#include <ridge/stencil/cpu/windows_shape.hpp>
#include <ridge/stencil/cpu_schedule.hpp>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace ridge::stencil::cpu {

/// One tile: points [x_begin, x_end) of the rows and `depth` planes from z on. x_begin is where a
/// line of the result begins, and may lie before the first interior point.
template <bool Stream, class K, class T>
class DeepTile {
public:
  DeepTile(const Call<K, T>& call, T* windows, Index x_begin, Index z, const DeepSpan& span,
           Index ahead)
      : call_(call), windows_(windows), x_begin_(x_begin), z_(z), span_(span), ahead_(ahead),
        x_end_(std::min(x_begin + S::tile, call.out.extents.x - r.x)) {}

  void run() {
    for (Index next = span_.y_begin - r.y; next < span_.y_begin + r.y; ++next)
      fetch(next);
    for (Index row = span_.y_begin; row < span_.y_end; ++row) {
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
  using Results = std::array<V, S::depth>;

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
      T* const row = windows_ + S::template begin<I>() + p * S::pitch + oldest_ * S::slot;
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

  void compute(Index y) const { compute(y, std::make_index_sequence<inputs>{}); }

  template <std::size_t... I>
  void compute(Index y, std::index_sequence<I...> all) const {
    const K kernel = call_.kernel; // a copy, so that no store can change its numbers
    Strides row;
    Strides plane;
    Window window;
    int slot = oldest_; // the lowest
    for (const T*& row_of_window : window) {
      row_of_window = windows_ + slot * S::slot + S::halo;
      slot = slot + 1 == S::rows ? 0 : slot + 1;
    }
    Pointers field;
    for (int i = 0; i < inputs; ++i) {
      field[i] = call_.in[i].data + call_.in[i].at(x_begin_, y, z_);
      row[i] = call_.in[i].row;
      plane[i] = call_.in[i].plane;
    }
    const std::tuple ahead{DeepAhead<K, T, I>(span_, y, ahead_, row[I], plane[I])...};
    const Index out_plane = call_.out.plane;
    T* const out = call_.out.data + call_.out.at(x_begin_, y, z_);
    const Index first = r.x - x_begin_; // interior points are [first, end) of the tile
    const Index end = x_end_ - x_begin_;
    // A line's first vectors may lie wholly before them; a vector that is a line does not.
    const Index begin = width < S::line ? std::max<Index>(first, 0) / width * width : 0;
    for (Index x = begin; x < end; x += width) {
      if (ahead_ > 0) (std::get<I>(ahead).prefetch(field[I] + x), ...);
      const Index at = opaque(x);
      Window here;
      RIDGE_UNROLL
      for (int j = 0; j < S::rows; ++j)
        here[j] = window[j] + at;
      Pointers field_here;
      RIDGE_UNROLL
      for (int i = 0; i < inputs; ++i)
        field_here[i] = field[i] + at;
      const auto result = evaluate_planes(kernel, here, field_here, row, plane, all,
                                          std::make_index_sequence<S::depth>{});
      if (x >= first && x + width <= end) {
        RIDGE_UNROLL
        for (int k = 0; k < S::depth; ++k) {
          if constexpr (Stream) {
            result[k].stream(out + x + k * out_plane);
          } else {
            result[k].store(out + x + k * out_plane);
          }
        }
      } else {
        const auto from = static_cast<int>(std::max<Index>(first - x, 0));
        const auto to = static_cast<int>(std::min<Index>(end - x, width));
        RIDGE_UNROLL
        for (int k = 0; k < S::depth; ++k)
          result[k].store_part(out + x + k * out_plane, from, to);
      }
    }
  }

  template <std::size_t... I, std::size_t... Plane>
  static RIDGE_FN Results evaluate_planes(const K& kernel, const Window& window,
                                          const Pointers& field, const Strides& row,
                                          const Strides& plane, std::index_sequence<I...> /*all*/,
                                          std::index_sequence<Plane...> /*all*/) {
    const std::array<Column<S, V>, inputs> columns{
        load_column<S, I, V>(window, field[I], plane[I])...};
    return {evaluate<static_cast<int>(Plane)>(kernel, window, field, row, plane, columns,
                                              std::index_sequence<I...>{})...};
  }

  template <int Plane, std::size_t... I>
  static RIDGE_FN V evaluate(const K& kernel, const Window& window, const Pointers& field,
                             const Strides& row, const Strides& plane,
                             const std::array<Column<S, V>, inputs>& columns,
                             std::index_sequence<I...> /*all*/) {
    return V(
        kernel(DeepNeighbours<S, I, Plane, V>{window, field[I], row[I], plane[I], columns[I]}...));
  }

  const Call<K, T>& call_;
  T* windows_;
  Index x_begin_, z_;
  DeepSpan span_;
  Index ahead_, x_end_;
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
  const Index misfit = misfit_of(call.out.data + call.out.at(0, y.begin, z.begin));
  // Lines of the result begin at x = -misfit and every S::line points from there.
  const Index x_first = (S::r.x + misfit) / S::line * S::line - misfit;
  const Index x_last = call.out.extents.x - S::r.x;
  const Index z_last = z.end - S::depth;
  for (Index at = z.begin; at < z.end && ridge::cpu::goes_on(); at += S::depth) {
    const Index here = std::min(at, z_last);
    for (Index x = x_first; x < x_last; x += S::tile) {
      const bool wraps = x + S::tile >= x_last;
      const DeepSpan span{y.begin, y.end, wraps ? x_first - x : S::tile,
                          wraps ? std::min(at + S::depth, z_last) - here : 0};
      const T* const tile = call.in[0].data + call.in[0].at(x, y.begin, z.begin);
      DeepTile<Stream, K, T>(call, S::first_slot(windows, tile), x, here, span, ahead).run();
    }
  }
}

} // namespace ridge::stencil::cpu
