// Launches of one operation, or of several joined in registers, that say which items are interior:
// lanes march through these, several of a row at a time. The others are a shell around them, whose
// lanes have an item each and compute it as Points does.
#pragma once

#include <ridge/chain/gpu/interior_columns.hpp>
#include <ridge/chain/gpu/memory.hpp>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Items from `begin` on and before `end`.
struct ItemBox {
  int begin[3] = {0, 0, 0}, end[3] = {0, 0, 0};

  [[nodiscard]] RIDGE_FN int extent(int d) const {
    return end[d] > begin[d] ? end[d] - begin[d] : 0;
  }
  [[nodiscard]] RIDGE_FN int items() const { return extent(0) * extent(1) * extent(2); }
};

/// The items of a box that are not in another one, in six parts.
struct Shell {
  static constexpr int parts = 6;
  ItemBox part[parts];
  int end[parts]; ///< items of a part and of those before it

  [[nodiscard]] int items() const { return end[parts - 1]; }
};

/// Items before and behind `inner` along z, along y of its planes, and along x of its rows.
inline Shell shell_between(const ItemBox& all, const ItemBox& inner) {
  Shell made;
  for (int i = 0; i < Shell::parts; ++i) {
    const int along = 2 - i / 2;
    const bool is_before = i % 2 == 0;
    ItemBox& part = made.part[i];
    for (int d = 0; d < 3; ++d) {
      const bool is_outer = d < along || (d == along && is_before);
      const bool is_whole = d < along || (d == along && !is_before);
      part.begin[d] = is_outer ? all.begin[d] : d == along ? inner.end[d] : inner.begin[d];
      part.end[d] = is_whole ? all.end[d] : d == along ? inner.begin[d] : inner.end[d];
    }
    made.end[i] = part.items() + (i > 0 ? made.end[i - 1] : 0);
  }
  return made;
}

/// The run First to Last over the items around the interior, one a lane.
template <class C, class T, int First, int Last>
struct PointsShell {
  static constexpr int max_threads = most_block_threads;
  static constexpr int min_blocks = 2; ///< 128 registers
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;

  C chain;
  NarrowWindows<C, T, First, Last, false> windows;
  Index3 n;
  ItemBox inner;
  Shell shell;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Dim3 shape = lane.block_extent();
    item(lane, lane.block().x * (shape.x * shape.y * shape.z) + lane.rank());
  }
  /// An item by its number.
  template <class Lane>
  RIDGE_DEVICE void item(Lane& lane, int number) const {
    if (number >= shell.end[Shell::parts - 1]) return;
    int i = 0;
    RIDGE_UNROLL
    for (int k = 0; k + 1 < Shell::parts; ++k)
      i += number >= shell.end[k] ? 1 : 0;
    const ItemBox& part = shell.part[i];
    const int at = i > 0 ? number - shell.end[i - 1] : number;
    const int row = part.extent(0);
    const int above = at / row;
    const int rows = part.extent(1);
    const int plane = above / rows;
    const Memory<Lane, C, T, First, Last, false> memory{lane, windows, n, 0, 0, true};
    run_item<Pack<T, 1>, First, Last, true>(chain, memory, part.begin[0] + at - above * row,
                                            part.begin[1] + above - plane * rows,
                                            part.begin[2] + plane);
  }
};

/// The run First to Last over all its items: `rows` packs of Items a lane of the interior.
template <class C, class T, int First, int Last, int Items>
struct PointsInterior {
  static constexpr int max_threads = most_block_threads;
  static constexpr int min_blocks = 2; ///< 128 registers
  static constexpr bool prepared_early = true;
  static constexpr const char* name = Operation<C, First>::name;
  static constexpr int march = InteriorRows<C, First, Last>::march;

  PointsShell<C, T, First, Last> around;
  AlikeWindows<C, T, First, Last> alike;
  int blocks[3]; ///< of the interior, along x, y and z
  int rows;
  int before; ///< the first item, from the begin of a line

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int block = lane.block().x;
    const int inside = blocks[0] * blocks[1] * blocks[2];
    if (block < inside) {
      const int above = block / blocks[0];
      column(lane, block - above * blocks[0], above % blocks[1], above / blocks[1]);
    } else {
      const Dim3 shape = lane.block_extent();
      around.item(lane, (block - inside) * (shape.x * shape.y * shape.z) + lane.rank());
    }
  }

private:
  /// The items of a lane of the interior.
  template <class Lane>
  RIDGE_DEVICE void column(Lane& lane, int block_x, int block_y, int block_z) const {
    const ItemBox& inner = around.inner;
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    // From the begin of a line on, so that warps have whole lines.
    const int x = (block_x * shape.x + t.x) * Items - before;
    int y = 0;
    int z = 0;
    int begin = (march == 1 ? block_y * shape.y + t.y : block_z * shape.z + t.z) * rows;
    if constexpr (march == 2) y = inner.begin[1] + block_y * shape.y + t.y;
    begin += inner.begin[march];
    const int end = inner.end[march] - begin < rows ? inner.end[march] : begin + rows;
    if (x < inner.begin[0] || x >= inner.end[0] || begin >= end) return;
    if (march == 2 ? y >= inner.end[1] : t.z > 0) return;
    (march == 1 ? y : z) = begin;
    const auto row = static_cast<int>(alike.row);
    const auto plane = static_cast<int>(alike.plane);
    InteriorColumn<Lane, C, T, First, Last, Items> memory{
        lane, alike, around.n, row, plane, x + y * row + z * plane, {}, {}};
    memory.begin();
    RIDGE_NO_UNROLL
    for (int i = begin; i < end; ++i) {
      memory.look_ahead(i + 1 < end);
      run_item<Pack<T, Items>, First, Last, false, true>(around.chain, memory, x,
                                                         march == 1 ? i : y, march == 1 ? 0 : i);
      memory.go_on();
    }
  }
};

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
