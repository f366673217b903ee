// The stencil pattern on the cpu: rows of packs, blocks of rows, past-the-cache stores.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu_schedule.hpp>
#include <ridge/stencil/executor.hpp>

#include <algorithm>
#include <cstdint>
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

/// One row: points [begin, end) of x. The kernel is a copy, so that no store can change its
/// numbers.
template <bool Stream, class K, class T>
void run_row(const K kernel, const std::array<const T*, inputs_of<K>>& rows,
             const std::array<Index, inputs_of<K>>& row,
             const std::array<Index, inputs_of<K>>& plane, T* out, Index begin, Index end) {
  using Vector = NativePack<T>;
  using One = Pack<T, 1, abi::Native>;
  constexpr auto inputs = std::make_index_sequence<inputs_of<K>>{};
  constexpr Index width = lanes_of<Vector>;
  Index x = begin;
  if constexpr (Stream) {
    const auto misfit = static_cast<Index>(reinterpret_cast<std::uintptr_t>(out + begin) /
                                           sizeof(T) % static_cast<std::size_t>(width));
    const Index head = std::min(end, begin + (misfit == 0 ? 0 : width - misfit));
    for (; x < head; ++x)
      evaluate<One>(kernel, rows, x, row, plane, inputs).store(out + x);
  }
  for (; x + width <= end; x += width) {
    const Vector value = evaluate<Vector>(kernel, rows, x, row, plane, inputs);
    if constexpr (Stream) {
      value.stream(out + x);
    } else {
      value.store(out + x);
    }
  }
  for (; x < end; ++x)
    evaluate<One>(kernel, rows, x, row, plane, inputs).store(out + x);
}

/// A box of interior points: [y.begin, y.end) x [z.begin, z.end) of whole rows.
template <bool Stream, class K, class T>
void run_box(const Call<K, T>& call, ridge::cpu::Range y_range, ridge::cpu::Range z_range) {
  constexpr Offset r = radius_of<K>();
  std::array<Index, inputs_of<K>> row;
  std::array<Index, inputs_of<K>> plane;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = call.in[i].row;
    plane[i] = call.in[i].plane;
  }
  for (Index z = z_range.begin; z < z_range.end; ++z) {
    for (Index y = y_range.begin; y < y_range.end; ++y) {
      std::array<const T*, inputs_of<K>> rows;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = call.in[i].data + call.in[i].at(0, y, z);
      }
      run_row<Stream>(call.kernel, rows, row, plane, call.out.data + call.out.at(0, y, z),
                      Index{r.x}, call.out.extents.x - r.x);
    }
  }
}

/// Blocks of rows and planes, dealt to the threads in turn; a block belongs to one thread.
template <bool Stream, class K, class T>
void run_blocks(const Call<K, T>& call, const CpuSchedule& s, int thread, int threads) {
  constexpr Offset r = radius_of<K>();
  const Index3 n = call.out.extents;
  const Index ny = n.y - 2 * r.y;
  const Index nz = n.z - 2 * r.z;
  const Index rows = s.rows > 0 ? std::min<Index>(s.rows, ny) : ny;
  const Index planes = s.planes > 0 ? std::min<Index>(s.planes, nz) : nz;
  const Index blocks_y = (ny + rows - 1) / rows;
  // Each thread marches through planes of its own: neighbours share only the planes at the seams.
  const auto mine = ridge::cpu::share_of(nz, thread, threads);
  for (Index z = mine.begin; z < mine.end; z += planes) {
    for (Index b = 0; b < blocks_y; ++b) {
      run_box<Stream>(call, {r.y + b * rows, r.y + std::min(ny, (b + 1) * rows)},
                      {r.z + z, r.z + std::min(mine.end, z + planes)});
    }
  }
}

} // namespace ridge::stencil::cpu

namespace ridge::stencil {

template <class K, class T>
void Executor<K, T, target::Cpu>::run(Queue& /*queue*/, const Call<K, T>& call,
                                      const CpuSchedule& s) {
  const int threads = s.threads > 0 ? s.threads : ridge::cpu::default_threads();
  ridge::cpu::run(threads, [&](int thread, int all) {
    if (s.store == Store::nontemporal) {
      cpu::run_blocks<true>(call, s, thread, all);
    } else {
      cpu::run_blocks<false>(call, s, thread, all);
    }
  });
}

} // namespace ridge::stencil
