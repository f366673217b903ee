// The tile of a marching block: its shape, its place in shared memory, and what its lanes compute.
// What they do with it: march_target.hpp.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/march_block.hpp>
#include <ridge/stencil/gpu/march_parts.hpp>
#include <ridge/stencil/gpu/plan.hpp>
#include <ridge/stencil/gpu/shared_pack.hpp>
#include <ridge/stencil/variants.hpp>

#include <array>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// One row to fetch: `count` elements by bulk copy, `rest` more by hand.
struct MarchRow {
  Index from;
  int to;
  int count;
  int rest;
};

template <class K, class T, MarchVariant M>
struct MarchTile : MarchBlock<K, T, M> {
  using Block = MarchBlock<K, T, M>;
  static constexpr Offset r = Block::r;
  static constexpr int inputs = Block::inputs;
  static constexpr int vector = Block::vector;
  using Block::tile_x, Block::tile_y;
  using typename Block::Results, typename Block::Value;

  static constexpr int piece = 16 / static_cast<int>(sizeof(T)); ///< elements of 16 bytes
  static constexpr int line = 128 / static_cast<int>(sizeof(T)); ///< elements of 128 bytes
  static constexpr bool shifted = M.rows != Rows::lines && !M.tiles;
  static constexpr bool joins = M.rows == Rows::joined;
  static constexpr int rows_joined = joins ? M.tile + 2 * r.y : 1; ///< of a lane
  /// Whether all rows of a plane lie in the ring as far behind each other, up to whole lines, as
  /// in the field, so that the first one's shift is that of all. Otherwise each has its own, which
  /// is faster where more rows are read (docs/design/stencils_on_gpus.md).
  static constexpr bool in_step = r.y <= 1;
  /// The elements of an input that are read around the tile.
  template <int I>
  static constexpr Offset reach = footprint_of<K, I>.radius();
  template <int I>
  static constexpr int rows_of = tile_y + 2 * reach<I>.y;
  static constexpr int up(int elements, int to) { return (elements + to - 1) / to * to; }
  /// Rows that begin anywhere come in whole 16 bytes, with elements of the row before and behind.
  static constexpr bool overhangs = M.rows == Rows::anywhere || joins;
  /// A row begins one line behind the last one's end where more than the tile's width comes, and
  /// up to one more for its shift. Rows of tiles follow each other with their halos, in whole 16
  /// bytes.
  template <int I>
  static constexpr int lead_of = M.tiles                       ? up(reach<I>.x, piece)
                                 : reach<I>.x > 0 || overhangs ? line
                                                               : 0;
  template <int I>
  static constexpr int least_pitch_of = M.tiles ? tile_x + 2 * lead_of<I>
                                                : up(tile_x, line) + lead_of<I>;
  template <int I>
  static constexpr int
      plane_elements = M.tiles ? up(rows_of<I>* least_pitch_of<I>, line)
                               : rows_of<I>*(least_pitch_of<I> + (shifted ? line : 0)) + lead_of<I>;
  template <int I>
  static constexpr int tile_bytes = rows_of<I>* least_pitch_of<I>* static_cast<int>(sizeof(T));
  /// Extents of each input's tile. For host code, too, which calls nothing of lanes.
  static constexpr auto tile_extents = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array{TileExtent{least_pitch_of<I>, rows_of<I>}...};
  }
  (std::make_integer_sequence<int, inputs>{});
  static constexpr int most_ring = 16;
  static constexpr int header_bytes = 2 * 8 * most_ring;

  /// Whether each plane's part of all sums is added when it comes, and the plane then given back.
  static constexpr bool parts = M.parts && takes_parts<K>;

  /// Values below the point are carried in registers where they are all in its column; then a plane
  /// can be given back as soon as it was the centre.
  static constexpr bool carries = column_below<K>() && !parts;
  /// And from the point's own plane upwards so many of a single input whose planes come as tiles:
  /// reads of shared memory limit these blocks (docs/design/stencils_on_gpus.md). More spill.
  static constexpr int kept = carries && M.tiles && inputs == 1 && r.z > 1
                                  ? (sizeof(T) == 8 ? 2 : 1)
                                  : 0;
  /// Planes kept from one output to the next: of an input, and of the one that is read furthest.
  template <int I>
  static constexpr int held_of = parts     ? 0
                                 : carries ? reach<I>.z
                                           : 2 * reach<I>.z;
  static constexpr int held = parts ? 0 : carries ? r.z : 2 * r.z;

  /// Each input has a ring of its own, as many planes shorter as it keeps fewer, and its planes are
  /// fetched when the first result needs them: `late_of` planes after those that are read furthest.
  /// So an input that is read at the point alone takes no more than what is on its way.
  template <int I>
  static constexpr int shorter_by = held - held_of<I>;
  template <int I>
  static constexpr int late_of = parts ? 0 : r.z - reach<I>.z;
  /// Elements of all rings are `each` a plane of the longest, less `fewer`; so are those of the
  /// inputs before I.
  struct RingSize {
    int each, fewer;
    [[nodiscard]] RIDGE_DEVICE int of(int ring) const { return ring * each - fewer; }
  };
  template <int I>
  static constexpr RingSize rings_before() {
    if constexpr (I == 0) {
      return {0, 0};
    } else {
      constexpr RingSize before = rings_before<I - 1>();
      return {before.each + plane_elements<I - 1>,
              before.fewer + shorter_by<I - 1> * plane_elements<I - 1>};
    }
  }
  static constexpr int stage_bytes = rings_before<inputs>().each * static_cast<int>(sizeof(T));
  static constexpr int spared_bytes = rings_before<inputs>().fewer * static_cast<int>(sizeof(T));

  /// Which of the inputs before it, or itself, has a ring as long.
  template <int I>
  static constexpr int ring_like() {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      int like = I;
      ((like = J < like && shorter_by<J> == shorter_by<I> ? J : like), ...);
      return like;
    }
    (std::make_integer_sequence<int, I>{});
  }
  /// The first input with the longest ring.
  static constexpr int furthest() {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      int first = inputs;
      ((first = first == inputs && shorter_by<J> == 0 ? J : first), ...);
      return first;
    }
    (std::make_integer_sequence<int, inputs>{});
  }
  /// Where a plane of each input lies in its ring.
  struct Slots {
    int at[inputs] = {};
    template <int I>
    [[nodiscard]] RIDGE_DEVICE int of() const {
      constexpr int like = ring_like<I>();
      return at[like];
    }
    /// That of the barriers, which are as many as the longest ring has planes.
    [[nodiscard]] RIDGE_DEVICE int newest() const {
      constexpr int longest = furthest();
      return at[longest];
    }
    /// Flips `parity` where the longest ring begins anew.
    RIDGE_DEVICE void advance(int ring, int& parity) {
      unrolled<inputs>([&](auto input) {
        constexpr int i = number<decltype(input)>;
        if constexpr (ring_like<i>() == i) {
          if (++at[i] == ring - shorter_by<i>) {
            at[i] = 0;
            if constexpr (i == furthest()) parity ^= 1;
          }
        }
      });
    }
  };

  /// Elements of all rings.
  static RIDGE_DEVICE int ring_elements(int ring) {
    constexpr RingSize all = rings_before<inputs>();
    return all.of(ring);
  }
  /// Where a plane of input I begins.
  template <int I>
  static RIDGE_DEVICE int plane_at(int ring, int slot) {
    constexpr RingSize before = rings_before<I>();
    return before.of(ring) + slot * plane_elements<I>;
  }

  /// Where rows do not begin at sectors their ends share them with other rows, and kernels that
  /// read beside the columns below wait for shared memory instead.
  static constexpr bool fills_sectors = !shifted && (carries || parts);

  struct Carried {
    Value column[inputs][r.z > 0 ? r.z + kept : 1][M.tile]; ///< from the lowest plane on
  };
  /// The sums that planes to come have parts in, those of the lowest results first.
  struct Sums {
    Value of[r.z > 0 ? 2 * r.z : 1][M.tile];
  };

  /// Where a lane is: its first point, its place in the tile, the newest plane in the ring.
  struct Place {
    Index x, y, z;
    int tx, ty;
    Slots slots;
    int ring;
    Index z_begin; ///< of the unit's results
    /// Whether the lane's plane of an input is one of those that are fetched.
    template <int I>
    [[nodiscard]] RIDGE_DEVICE bool has() const {
      return late_of<I> == 0 || z >= z_begin - reach<I>.z;
    }
    /// Where a plane of an input lies in shared memory; of parts the newest.
    template <int I>
    [[nodiscard]] RIDGE_DEVICE int plane_of(int dz) const {
      const int s = slots.template of<I>() - (parts ? 0 : reach<I>.z - dz);
      return plane_at<I>(ring, s < 0 ? s + ring - shorter_by<I> : s);
    }
  };

  /// How far a row is from a multiple of 128 bytes, in elements, in the field and in the ring
  /// alike.
  template <class U>
  static RIDGE_DEVICE int shift(const View<U>& field, unsigned misfit, Index y, Index z) {
    if constexpr (!shifted) return 0;
    const unsigned at = misfit + static_cast<unsigned>(z) * static_cast<unsigned>(field.plane) +
                        static_cast<unsigned>(y) * static_cast<unsigned>(field.row);
    return static_cast<int>(at % static_cast<unsigned>(line));
  }

  /// Elements from one row of a plane in the ring to the next.
  template <int I, class U>
  static RIDGE_DEVICE int pitch(const View<U>& field) {
    if constexpr (!shifted) return least_pitch_of<I>;
    if constexpr (!in_step) return least_pitch_of<I> + line;
    return least_pitch_of<I> +
           static_cast<int>(static_cast<unsigned>(field.row) % static_cast<unsigned>(line));
  }

  /// Row `j` of the tile's planes, which is row `y` of plane `z` of the field. `to` is within the
  /// plane.
  template <int I>
  static RIDGE_DEVICE MarchRow row_at(const View<const T>& field, unsigned misfit, int j,
                                      const MarchUnit& unit, Index y, Index z) {
    const Index start = field.at(0, y, z);
    const Index x_begin = unit.x_begin;
    const Index left = (x_begin > unit.x_first ? x_begin : unit.x_first) - reach<I>.x;
    const Index behind = x_begin + tile_x + reach<I>.x;
    const Index right = behind < field.extents.x ? behind : field.extents.x;
    const Index begin = (start + left) & ~Index{piece - 1};
    const Index wanted = start + right;
    const Index whole = field.span() & ~Index{piece - 1}; // nothing behind the field is read
    Index end = (wanted + piece - 1) & ~Index{piece - 1};
    end = end < whole ? end : whole;
    const int to = j * pitch<I>(field) + lead_of<I> + shift(field, misfit, in_step ? y - j : y, z) +
                   static_cast<int>(begin - (start + x_begin));
    return {begin, to, end > begin ? static_cast<int>(end - begin) : 0,
            wanted > end ? static_cast<int>(wanted - (end > begin ? end : begin)) : 0};
  }

  /// Packs of joined rows above and below a lane's in its plane, and between: put together once
  /// for all points that read them.
  struct Centre {
    Value row[inputs][rows_joined];
  };

  /// Neighbours of the `vector` points of row `point` of a lane's tile.
  template <int I, auto Footprint, class Lane, class Planes>
  struct Neighbours {
    Lane& lane;
    const Planes& planes;
    const Carried& carried;
    const Centre& centre;
    const View<const T>& field;
    const Place& place;
    unsigned misfit;
    int point;

    /// Instructions limit these blocks, too, and rounding a weight is one a plane.
    static constexpr bool rounded_weights = kept > 0 && std::is_same_v<T, float>;

    RIDGE_DEVICE Value operator()(int dx, int dy = 0, int dz = 0) const {
      check_declared<Footprint>(lane, dx, dy, dz);
      if constexpr (carries) {
        if (dz < 0) return carried.column[I][r.z + dz][point];
      }
      return spliced<T, vector>(dx, [&](int first) {
        if (joins && first == 0 && dz == 0) return centre.row[I][joins ? r.y + point + dy : 0];
        return aligned(first, dy, dz);
      });
    }

    /// The value of the point's plane, for a kernel that takes it for one `dz` above.
    RIDGE_DEVICE Value of_plane(int dx, int dy, int dz) const {
      check_declared<Footprint>(lane, dx, dy, dz);
      return spliced<T, vector>(dx, [&](int first) {
        if (joins && first == 0) return centre.row[I][joins ? r.y + point + dy : 0];
        return aligned(first, dy, 0);
      });
    }

    RIDGE_DEVICE Value aligned(int dx, int dy, int dz) const {
      if constexpr (kept > 0) {
        const int own = point + dy;
        if (dx == 0 && dz < kept && own >= 0 && own < M.tile)
          return carried.column[I][r.z + dz][own];
      }
      return loaded(dx, dy, dz);
    }

    RIDGE_DEVICE Value loaded(int dx, int dy, int dz) const {
      const int row = reach<I>.y + point + dy; // behind the lane's first
      const Index y = in_step ? place.y - place.ty * M.tile - reach<I>.y : place.y + point + dy;
      const int at = place.template plane_of<I>(dz) + place.ty * M.tile * pitch<I>(field) +
                     row * pitch<I>(field) + lead_of<I> + place.tx * vector +
                     shift(field, misfit, y, place.z + dz);
      if constexpr (joins) {
        const int skip = at & (vector - 1);
        const int first = at - skip + dx;
        const auto a = lane.template load_shared_pack<vector>(planes, first);
        const auto b = lane.template load_shared_pack<vector>(planes, first + vector);
        return from_both(a, b, skip);
      } else if constexpr (kept > 0) {
        return load_shared_values<vector>(lane, planes, at + dx);
      } else {
        return lane.template load_shared_pack<vector>(planes, at + dx);
      }
    }
  };

  /// The lane's packs of the plane `place.z` that rows of its tile share.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE Centre centre_of(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                       const Misfits& misfit, const Place& place,
                                       const Carried& carried) {
    Centre centre{};
    if constexpr (joins) {
      unrolled<inputs>([&](auto input) {
        constexpr int i = number<decltype(input)>;
        unrolled<rows_joined>([&](auto row) {
          // Rows of the tile that this input is not read around are not in the ring.
          constexpr int dy = number<decltype(row)> - r.y;
          if constexpr (dy >= -reach<i>.y && dy < M.tile + reach<i>.y) {
            if (!place.template has<i>()) return;
            const Neighbours<i, point_footprint, Lane, Planes> at{
                lane, planes, carried, centre, call.in[i], place, misfit[i], 0};
            centre.row[i][row] = at.aligned(0, dy, 0);
          }
        });
      });
    }
    return centre;
  }

  /// Remembers the lane's own values of the plane `place.z`.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void carry(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                 const Misfits& misfit, const Place& place, const Centre& centre,
                                 Carried& carried) {
    if constexpr (carries && r.z > 0) {
      unrolled<inputs>([&](auto input) {
        unrolled<M.tile>([&](auto point) {
          constexpr int i = number<decltype(input)>;
          constexpr int last = r.z - 1 + kept;
          unrolled<last>(
              [&](auto k) { carried.column[i][k][point] = carried.column[i][k + 1][point]; });
          if constexpr (reach<i>.z > 0) {
            if (!place.template has<i>()) return;
            const Neighbours<i, point_footprint, Lane, Planes> own{
                lane, planes, carried, centre, call.in[i], place, misfit[i], point};
            carried.column[i][last][point] = kept > 0 ? own.loaded(0, 0, kept) : own(0, 0, 0);
          }
        });
      });
    }
  }

  /// The points of a lane in one plane.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void compute_plane(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                         const Misfits& misfit, const Place& place,
                                         Carried& carried, Results& results) {
    const Centre centre = centre_of(lane, call, planes, misfit, place, carried);
    unrolled<M.tile>([&](auto point) {
      results[point] = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Value(call.kernel(Neighbours<static_cast<int>(I), footprint_of<K, I>, Lane, Planes>{
            lane, planes, carried, centre, call.in[I], place, misfit[I], point}...));
      }
      (std::make_index_sequence<inputs>{});
    });
    carry(lane, call, planes, misfit, place, centre, carried);
  }

  /// Adds the newest plane's part to all sums that it has one in. Those of the lowest plane are
  /// complete then.
  template <class Lane, class Planes, class Misfits>
  static RIDGE_DEVICE void add_parts(Lane& lane, const Call<K, T>& call, const Planes& planes,
                                     const Misfits& misfit, const Place& place, Sums& sums,
                                     Results& results) {
    const Carried none{};
    Place newest = place;
    newest.z += r.z; // as if its plane were the point's
    const Centre centre = centre_of(lane, call, planes, misfit, newest, none);
    unrolled<M.tile>([&](auto point) {
      unrolled<2 * r.z + 1>([&](auto k) {                // results from the lowest on
        constexpr int above = r.z - number<decltype(k)>; // the newest plane is above them
        const Value part = [&]<std::size_t... I>(std::index_sequence<I...>) {
          return part_value(call.kernel(
              PartNeighbours<Neighbours<static_cast<int>(I), footprint_of<K, I>, Lane, Planes>,
                             above>{
                  {lane, planes, none, centre, call.in[I], newest, misfit[I], point}}...));
        }
        (std::make_index_sequence<inputs>{});
        constexpr int last = 2 * r.z;
        const Value sum = k < last ? Value(sums.of[k < last ? k : 0][point] + part) : part;
        if constexpr (number<decltype(k)> == 0) {
          results[point] = sum;
        } else {
          sums.of[k - 1][point] = sum;
        }
      });
    });
  }

private:
  static constexpr auto point_footprint = stencil::point();
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
