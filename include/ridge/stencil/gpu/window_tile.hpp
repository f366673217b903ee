// The tile of a block that marches with windows of registers: which planes lie where.
//
// Of each input a lane keeps its own column, from the lowest to the highest plane that the
// footprint reads, in registers. Only planes of which points beside the column are read lie in
// shared memory as well: of a star one. Where the GPU copies into shared memory by itself, planes
// are on their way there, several at a time, and the column is read from there.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>
#include <ridge/stencil/gpu/plan.hpp>

#include <array>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Planes, by their distance from the point's.
struct PlaneRange {
  int low = 0, high = 0;
  [[nodiscard]] constexpr int count() const { return high - low + 1; }
};

/// The reads of an input's footprint.
struct ColumnReads {
  PlaneRange planes;      ///< all, the point's own among them
  bool beside = false;    ///< of other columns
  bool corners = false;   ///< beside in x and y at once
  PlaneRange beside_from; ///< where `beside`
};

template <auto Footprint>
constexpr ColumnReads column_reads() {
  ColumnReads reads;
  for (const Offset& o : Footprint.offsets) {
    reads.planes.low = o.z < reads.planes.low ? o.z : reads.planes.low;
    reads.planes.high = o.z > reads.planes.high ? o.z : reads.planes.high;
    if (o.x == 0 && o.y == 0) continue;
    PlaneRange& from = reads.beside_from;
    from.low = !reads.beside || o.z < from.low ? o.z : from.low;
    from.high = !reads.beside || o.z > from.high ? o.z : from.high;
    reads.beside = true;
    reads.corners = reads.corners || (o.x != 0 && o.y != 0);
  }
  return reads;
}

/// The columns that all inputs have in shared memory: the union of theirs.
template <class K>
constexpr ColumnReads shared_reads() {
  ColumnReads all;
  const auto add = [&](const ColumnReads& one) {
    if (!one.beside) return;
    PlaneRange& from = all.beside_from;
    from.low = !all.beside || one.beside_from.low < from.low ? one.beside_from.low : from.low;
    from.high = !all.beside || one.beside_from.high > from.high ? one.beside_from.high : from.high;
    all.beside = true;
    all.corners = all.corners || one.corners;
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (add(column_reads<footprint_of<K, I>>()), ...);
  }
  (std::make_integer_sequence<int, inputs_of<K>>{});
  return all;
}

/// How many of the inputs before this one lie in shared memory.
template <class K>
constexpr int shared_inputs_before(int input) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return (0 + ... + (I < input && column_reads<footprint_of<K, I>>().beside ? 1 : 0));
  }
  (std::make_integer_sequence<int, inputs_of<K>>{});
}

/// `Copied`: planes reach shared memory by asynchronous copies.
template <class K, class T, MarchVariant M, bool Copied>
struct WindowTile : MarchBlock<K, T, M> {
  using Block = MarchBlock<K, T, M>;
  using Block::inputs, Block::r, Block::rows, Block::threads_x, Block::tile_x, Block::tile_y,
      Block::vector;
  using typename Block::Results, typename Block::Value;

  static constexpr int tile_rows = M.tile; ///< of a lane
  static constexpr ColumnReads shared = shared_reads<K>();
  template <int Input>
  static constexpr ColumnReads reads = column_reads<footprint_of<K, Input>>();

  /// The newest plane in shared memory.
  static constexpr int newest = Copied ? r.z : shared.beside_from.high;
  /// Planes of an input that a lane keeps of its column: those read, and up to the newest that lies
  /// in shared memory, too.
  template <int Input>
  static constexpr PlaneRange own = {
      reads<Input>.planes.low, (Copied || reads<Input>.beside) && newest > reads<Input>.planes.high
                                   ? newest
                                   : reads<Input>.planes.high};
  static constexpr int most_planes = 2 * r.z + 1;
  struct Own {
    Value plane[inputs][most_planes][M.tile];

    /// The next plane of an input's column; the lowest is gone.
    template <class Input, class Row>
    RIDGE_DEVICE void push(Input input, Row row, const Value& value) {
      constexpr int last = own<number<Input>>.count() - 1;
      unrolled<last>([&](auto k) { plane[input][k][row] = plane[input][k + 1][row]; });
      plane[input][last][row] = value;
    }
  };

  /// Ends of rows come with the planes. An AMD GPU's cache keeps which bytes of a line were
  /// written, and fetches none of the others.
  static constexpr bool fills_sectors = Copied && vector > 1;

  /// Planes of a unit: before its first results those that fill the columns.
  static constexpr int lead = 2 * r.z;
  static RIDGE_DEVICE int planes_of(const MarchUnit& unit) {
    return lead + static_cast<int>(unit.z_end - unit.z_begin);
  }

  /// Inputs that lie in shared memory, and the place of one among them.
  static constexpr int shared_before(int input) {
    return Copied ? input : shared_inputs_before<K>(input);
  }
  static constexpr int shared_inputs = shared_before(inputs);

  /// Packs of a row to each side of the tile's.
  static constexpr int side = (r.x + vector - 1) / vector;
  /// The pitch of a row. A GPU that copies into shared memory takes sectors as they lie in memory:
  /// the tile's own packs lie within lines as they do there, and between them is room for what is
  /// beside.
  static constexpr WindowPitch in_shared =
      window_pitch(threads_x * vector * static_cast<int>(sizeof(T)),
                   side* vector* static_cast<int>(sizeof(T)), Copied);
  static constexpr int own_first =
      in_shared.first / static_cast<int>(sizeof(T)); ///< of the tile's own points
  static constexpr int pitch = in_shared.bytes / static_cast<int>(sizeof(T));
  static constexpr int plane_elements =
      rows * pitch + in_shared.behind / static_cast<int>(sizeof(T));
  static constexpr int stage_elements = shared_inputs * plane_elements;
  static constexpr int stage_bytes = stage_elements * static_cast<int>(sizeof(T));
  /// Planes on their way to shared memory; one is written at a time where lanes do it.
  static constexpr int ahead = Copied ? window_planes_ahead : 1;
  /// Planes in shared memory: those that are read, and those that are being written meanwhile.
  static constexpr int ring = shared.beside ? newest - shared.beside_from.low + 1 + ahead
                              : Copied      ? 1 + ahead
                                            : 1;

  /// Where a lane is: its place in the tile, and the newest plane in the ring.
  struct Place {
    int tx, ty, slot;
    /// First element of the lane's own pack in row `row` of those it computes.
    [[nodiscard]] RIDGE_DEVICE int at(int row) const {
      return (r.y + ty * M.tile + row) * pitch + own_first + tx * vector;
    }
    [[nodiscard]] RIDGE_DEVICE int stage(int dz) const {
      const int s = slot - (newest - dz);
      return (s < 0 ? s + ring : s) * stage_elements;
    }
    /// Where a plane lies that comes so many, up to `ahead`, after the newest.
    [[nodiscard]] RIDGE_DEVICE int stage_after(int planes) const {
      const int s = slot + planes;
      return (s < ring ? s : s - ring) * stage_elements;
    }
    RIDGE_DEVICE void advance() {
      if (++slot == ring) slot = 0;
    }
  };

  /// Neighbours of the `vector` points of row `point` of a lane's tile.
  template <int Input, class Lane, class Planes>
  struct Neighbours {
    Lane& lane;
    const Planes& planes;
    const Own& column;
    const Place& place;
    int point;

    RIDGE_DEVICE Value operator()(int dx, int dy = 0, int dz = 0) const {
      check_declared<footprint_of<K, Input>>(lane, dx, dy, dz);
      return spliced<T, vector>(dx, [&](int first) { return aligned(first, dy, dz); });
    }

  private:
    RIDGE_DEVICE Value aligned(int dx, int dy, int dz) const {
      const int row = point + dy;
      if (dx == 0 && row >= 0 && row < M.tile) return column.plane[Input][dz - own<Input>.low][row];
      return lane.template load_shared_pack<vector>(
          planes, place.stage(dz) + shared_before(Input) * plane_elements + place.at(row) + dx);
    }
  };

  /// The points of a lane in one plane.
  template <class Lane, class Planes>
  static RIDGE_DEVICE void compute_plane(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                         const Own& column, const Place& place, Results& results) {
    unrolled<M.tile>([&](auto point) {
      results[point] = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Value(call.kernel(
            Neighbours<static_cast<int>(I), Lane, Planes>{lane, planes, column, place, point}...));
      }
      (std::make_index_sequence<inputs>{});
    });
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
