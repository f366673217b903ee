// The stencil pattern on the cpu: rows of packs, blocks of rows, past-the-cache stores.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu/prefetch.hpp>
#include <ridge/stencil/cpu/two_planes.hpp>
#include <ridge/stencil/cpu/windows.hpp>
#include <ridge/stencil/cpu_schedule.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/variants.hpp>

#include <algorithm>
#include <utility>

namespace ridge::stencil::cpu {

/// Neighbours of `lanes_of<V>` points that follow each other in x.
template <class V>
struct Neighbours {
  const Element<V>* at;
  Index row, plane;
  RIDGE_FN V operator()(int dx, int dy = 0, int dz = 0) const {
    return V::load(at + (dx + dy * row + dz * plane));
  }
};

/// Evaluates the kernel at `lanes_of<V>` points from (x, y, z) on.
template <class V, class K, class T, std::size_t... I>
RIDGE_FN V evaluate(const K& kernel, const std::array<const T*, sizeof...(I)>& rows, Index x,
                    const std::array<Index, sizeof...(I)>& row,
                    const std::array<Index, sizeof...(I)>& plane, std::index_sequence<I...>) {
  return V(kernel(Neighbours<V>{rows[I] + x, row[I], plane[I]}...));
}

/// Vectors of 32 bytes for stencils that wait for memory: their loads overlap with its stream where
/// those of 64 bytes do not (docs/design/stencils_on_cpus.md). Whole registers for those that
/// compute more.
template <class K, class T>
constexpr int pack_bytes() {
  return points_of<K>() <= 14 && simd_bytes > 32 ? 32 : simd_bytes;
}

/// `Lines` cache lines of results from x on: all are computed before the first is stored.
template <bool Stream, int Lines, class K, class T, class Rows, class Strides>
RIDGE_FN void run_lines(const K& kernel, const Rows& rows, const Strides& row, const Strides& plane,
                        T* out, Index x) {
  using Vector = Pack<T, pack_bytes<K, T>() / static_cast<int>(sizeof(T)), abi::Native>;
  constexpr int count = Lines * line_bytes / pack_bytes<K, T>();
  constexpr int width = lanes_of<Vector>;
  Vector result[count];
  RIDGE_UNROLL
  for (int i = 0; i < count; ++i) {
    result[i] = evaluate<Vector>(kernel, rows, x + i * width, row, plane,
                                 std::make_index_sequence<inputs_of<K>>{});
  }
  RIDGE_UNROLL
  for (int i = 0; i < count; ++i) {
    if constexpr (Stream) {
      result[i].stream(out + x + i * width);
    } else {
      result[i].store(out + x + i * width);
    }
  }
}

/// One row: points [begin, end) of x. The kernel is a copy, so that no store can change its
/// numbers. `later`: the row of results that comes next.
template <bool Stream, class K, class T>
void run_row(const K kernel, const std::array<const T*, inputs_of<K>> rows,
             const std::array<Index, inputs_of<K>> row, const std::array<Index, inputs_of<K>> plane,
             T* out, Index begin, Index end, const Ahead<1, K, T> ahead, T* later) {
  using One = Pack<T, 1, abi::Native>;
  using Few = Pack<T, std::min(simd_bytes, 32) / static_cast<int>(sizeof(T)), abi::Native>;
  constexpr Index line = line_bytes / static_cast<int>(sizeof(T));
  const auto store_at = [&]<class V>(Index x) {
    evaluate<V>(kernel, rows, x, row, plane, std::make_index_sequence<inputs_of<K>>{})
        .store(out + x);
  };
  // Less than a line. The last vector computes points of the one before again, since a single point
  // takes as long as a vector. Written here, since a call would take the kernel's numbers out of
  // registers.
  const auto part_of_line = [&](Index from, Index to) {
    constexpr Index width = lanes_of<Few>;
    if (to - from >= width) {
      for (Index x = from; x < to; x += width)
        store_at.template operator()<Few>(std::min(x, to - width));
    } else {
      for (Index x = from; x < to; ++x)
        store_at.template operator()<One>(x);
    }
  };
  const bool prefetch{ahead};
  const Index misfit = misfit_of(out + begin);
  Index x = std::min(end, begin + (misfit == 0 ? 0 : line - misfit));
  if (prefetch) {
    ahead.ask(0);
    if constexpr (Stream) {
      __builtin_prefetch(later + begin, 1, 3); // lines that are only partly written
      __builtin_prefetch(later + end - 1, 1, 3);
    }
  }
  part_of_line(begin, x);
  if (prefetch) {
    for (; x + 2 * line <= end; x += 2 * line) {
      ahead.ask(x);
      ahead.ask(x + line);
      run_lines<Stream, 2>(kernel, rows, row, plane, out, x);
    }
  } else {
    for (; x + 2 * line <= end; x += 2 * line) {
      run_lines<Stream, 2>(kernel, rows, row, plane, out, x);
    }
  }
  if (x + line <= end) {
    if (prefetch) ahead.ask(x);
    run_lines<Stream, 1>(kernel, rows, row, plane, out, x);
    x += line;
  }
  if (prefetch) ahead.ask(x);
  part_of_line(x, end);
}

inline constexpr Index rows_of_piece = 64;

/// The rows of a block, plane by plane. While one is computed, rows that lead by the radius in z
/// are prefetched.
template <bool Stream, class K, class T>
void run_block(const Call<K, T>& call, const Block& block, const Lead& lead) {
  constexpr Offset r = radius_of<K>();
  // Rows before a plane's first by which one of its lines is asked for: the look-up of the page's
  // address takes as long as a row.
  constexpr Index page_ahead = 8;
  std::array<Index, inputs_of<K>> row;
  std::array<Index, inputs_of<K>> plane;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = call.in[i].row;
    plane[i] = call.in[i].plane;
  }
  for (Index z = block.z.begin; z < block.z.end; ++z) {
    for (Index y = block.y.begin; y < block.y.end; ++y) {
      if ((y + z) % rows_of_piece == 0 && !ridge::cpu::goes_on()) return;
      std::array<const T*, inputs_of<K>> rows;
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = call.in[i].data + call.in[i].at(0, y, z);
      if (lead.rows > 0 && y == block.y.end - page_ahead)
        __builtin_prefetch(later_row(call.out, block, y, z, page_ahead) + r.x, 1, 3);
      run_row<Stream, K, T>(call.kernel, rows, row, plane, call.out.data + call.out.at(0, y, z),
                            Index{r.x}, call.out.extents.x - r.x, {call, block, y, z, lead},
                            later_row(call.out, block, y, z, 1));
    }
  }
}

/// Computes by pairs of planes; a plane that is left over is computed alone.
template <bool Stream, class K, class T>
void run_pair_block(const Call<K, T>& call, const Block& block, const Lead& lead) {
  constexpr Index pair = CpuSchedule::pair;
  Index z = block.z.begin;
  for (; z + pair <= block.z.end && ridge::cpu::goes_on(); z += pair) {
    for (Index y = block.y.begin; y < block.y.end; ++y) {
      if (whole_lines(call, y, z) && whole_lines(call, y, z + 1)) {
        PairOfRows<Stream, K, T>(call, block, y, z, lead).run(call.kernel);
      } else {
        run_block<Stream>(call, Block{{y, y + 1}, {z, z + pair}}, {});
      }
    }
  }
  if (z < block.z.end) run_block<Stream>(call, Block{block.y, {z, z + 1}}, lead);
}

/// Blocks of rows and planes, dealt to the threads in turn, so that neighbours in y are computed at
/// the same time and share their halo rows in the last-level cache.
template <bool Stream, CpuVariant Variant, class K, class T>
void run_blocks(const Call<K, T>& call, const CpuSchedule& s, int thread, int threads) {
  constexpr Offset r = radius_of<K>();
  const Index3 n = call.out.extents;
  const Index ny = n.y - 2 * r.y;
  const Index nz = n.z - 2 * r.z;
  // In two dimensions and more the rows are shared out, in one or two with few rows the planes.
  const Index rows = s.rows > 0 ? std::min<Index>(s.rows, ny) : ceil_div(ny, threads);
  const Index planes = s.planes > 0 ? std::min<Index>(s.planes, nz) : nz;
  const Index blocks_y =
      ceil_div(ceil_div(ny, rows), threads) * threads; // as many for every thread
  const Index blocks_z = ceil_div(nz, planes);
  const Lead lead{s.ahead, s.streams};
  for (Index bz = 0; bz < blocks_z; ++bz) {
    for (Index b = thread; b < blocks_y && ridge::cpu::goes_on(); b += threads) {
      const Block block{{r.y + ny * b / blocks_y, r.y + ny * (b + 1) / blocks_y},
                        {r.z + bz * planes, r.z + std::min(nz, (bz + 1) * planes)}};
      if constexpr (Variant.depth == CpuSchedule::deep) {
        if (deep_fits(call, block.z.end - block.z.begin)) {
          run_deep_block<Stream>(call, block.y, block.z, s.ahead);
          continue;
        }
      }
      if constexpr (Variant.depth == CpuSchedule::pair) {
        if (pairs_fit(call)) {
          run_pair_block<Stream>(call, block, lead);
          continue;
        }
      }
      run_block<Stream>(call, block, lead);
    }
  }
}

/// One-dimensional fields: a row is shared out among the threads.
template <bool Stream, class K, class T>
void run_line(const Call<K, T>& call, int thread, int threads) {
  constexpr Offset r = radius_of<K>();
  const auto mine = ridge::cpu::share_of(call.out.extents.x - 2 * r.x, thread, threads,
                                         line_bytes / static_cast<int>(sizeof(T)));
  if (mine.begin == mine.end) return;
  std::array<const T*, inputs_of<K>> rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = call.in[i].data;
  run_row<Stream, K, T>(call.kernel, rows, {}, {}, call.out.data, r.x + mine.begin, r.x + mine.end,
                        {}, nullptr);
}

template <bool Stream, CpuVariant Variant, class K, class T>
void run(const Call<K, T>& call, const CpuSchedule& s, int thread, int threads) {
  if (call.out.extents.y == 1 && call.out.extents.z == 1) {
    run_line<Stream>(call, thread, threads);
  } else {
    run_blocks<Stream, Variant>(call, s, thread, threads);
  }
  if constexpr (Stream) store_fence();
}

} // namespace ridge::stencil::cpu

namespace ridge::stencil {

namespace cpu {
template <CpuVariant Variant, class K, class T>
Bound bind_variant(const Call<K, T>& call, const CpuSchedule& s) {
  const int threads = s.threads > 0 ? s.threads : ridge::cpu::default_threads();
  return Bound([call, s, threads] {
    ridge::cpu::run(threads, [&](int thread, int all) {
      if (s.store == Store::nontemporal) {
        run<true, Variant>(call, s, thread, all);
      } else {
        run<false, Variant>(call, s, thread, all);
      }
    });
  });
}
} // namespace cpu

template <class K, class T>
Bound Executor<K, T, target::Cpu>::bind(Queue& /*queue*/, const Call<K, T>& call,
                                        const CpuSchedule& s) {
  using List = CpuList<K, T>;
  Bound bound;
  choose_from<List>(CpuVariant{s.depth}, [&](auto i) {
    bound = cpu::bind_variant<List::values[decltype(i)::value]>(call, s);
  });
  return bound;
}

template <class K, class T>
const Offer Executor<K, T, target::Cpu>::offered =
    launch::offer<Executor, Call<K, T>>(DeviceKind::cpu, this_source);

} // namespace ridge::stencil
