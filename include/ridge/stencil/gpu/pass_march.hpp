// GPU executor of several sweeps in one pass: persistent blocks march through z with all sweeps at
// once.
//
// A warp is one row of the tile, a lane some neighbouring values of it, in as many rows as it owns.
// Of each sweep the two planes that the next one still needs stay in registers. Sweep l computes
// plane k - l in step k, so that all it reads of other warps was written a step before, and one
// barrier serves a step:
// - neighbours in x come from the lanes beside (shuffles);
// - in y from the lane's own rows, or from the first or last row of the warp beside, which are all
//   that goes through shared memory, in two halves by turns;
// - in z from the lane's own registers.
// Each lane copies its own values of the input, asynchronously, into a ring of planes. Halos in x
// and y are computed again by the tiles beside. Points that no sweep computes keep what the input
// holds.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/pass_exchange.hpp>
#include <ridge/stencil/pass_plan.hpp>
#include <ridge/stencil/pass_variants.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, GpuPassVariant P>
struct PassMarch {
  static constexpr int sweeps = P.sweeps;
  static constexpr int rows = P.rows;
  static constexpr int warps = P.warps;
  static constexpr int tile_y = rows * warps;
  static constexpr int vector = 16 / static_cast<int>(sizeof(T));
  static constexpr int ring = 4; ///< planes of the input: two are read, two under way
  static constexpr int widest_warp = std::is_same_v<Here, target::Simt> ? 64 : 32;
  static constexpr int max_threads = warps * widest_warp;
  static constexpr int min_blocks = 1;
  static constexpr const char* name = "stencil pass";

  // Rows in shared memory. Beside each plane, and beside what warps hand on of each sweep, is one
  // that nobody writes: what the first and the last warp of a block read there no result needs.
  static constexpr int slot_rows = tile_y + 1;
  static constexpr int plane_rows = ring * slot_rows + 1;
  static constexpr int level_rows = 2 * warps + 1;
  static constexpr int half_rows = (sweeps - 1) * level_rows;
  static constexpr int edge_rows = 2 * half_rows + 1;

  /// Shared memory of a block on a device of this warp width.
  static constexpr int shared_bytes(int warp_width) {
    return (plane_rows + edge_rows) * warp_width * 16;
  }

  K kernel;
  View<const T> in;
  Span<const T> in_rows; ///< all of its rows, what lies between them included
  View<T> out;
  Span<const PassJob> jobs;
  Span<const int> first;              ///< job of each block, and one more
  int lead_x, lead_y, step_x, step_y; ///< results of a tile (PassPlan)

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int end = lane.load(first, lane.block().x + 1);
    for (int j = lane.load(first, lane.block().x); j < end; ++j)
      march(lane, lane.load_written(jobs, j));
  }

private:
  static constexpr Offset r = radius_of<K>();
  static constexpr auto footprint = footprint_of<K, 0>;
  using Value = Pack<T, vector>;

  /// A lane's part of a job.
  struct Place {
    int z_begin, z_end, planes_end; ///< the last: of what is fetched
    Index from;                     ///< the first value of the plane that is fetched next
    Index to;                       ///< the first value of the plane that is written next
    int own;                        ///< in a slot: the lane's first value
    int edge;                       ///< likewise among the rows that warps hand on
    unsigned fetched = 0;           ///< rows, by bits
    unsigned written = 0;           ///< rows
    unsigned inside = 0;            ///< values, by row and place in the pack, that are computed
    int begin = 0, end = 0;         ///< of each pack, what is written
  };

  /// Planes of each sweep (0: the input) that stay: in one half those below the one that the next
  /// sweep computes, in the other those it computes; the halves change places with each step.
  struct Held {
    Value plane[2][sweeps][rows];
  };

  template <class Lane>
  struct Neighbours {
    Lane& lane;
    const Value &centre, &left, &right, &before, &behind, &below, &above;
    RIDGE_DEVICE const Value& operator()(int dx, int dy = 0, int dz = 0) const {
      check_declared<footprint>(lane, dx, dy, dz);
      if (dx != 0) return dx < 0 ? left : right;
      if (dy != 0) return dy < 0 ? before : behind;
      if (dz != 0) return dz < 0 ? below : above;
      return centre;
    }
  };

  template <class Lane>
  static constexpr int row_elements = Lane::warp_width* vector;
  static RIDGE_DEVICE int within(int value, int most) {
    return value < 0 ? 0 : value > most ? most : value;
  }

  template <class Lane>
  RIDGE_DEVICE Place place_of(Lane& lane, const PassJob& job, int begin) const {
    constexpr int row = row_elements<Lane>;
    const int nx = static_cast<int>(in.extents.x);
    const int ny = static_cast<int>(in.extents.y);
    const int nz = static_cast<int>(in.extents.z);
    const int me = lane.lane() * vector;
    const int warp = lane.rank() / Lane::warp_width;
    const int x = job.x + me;
    const int y = job.y + warp * rows;
    Place p;
    p.z_begin = job.z_begin;
    p.z_end = job.z_end;
    p.planes_end = job.z_end + sweeps < nz ? job.z_end + sweeps : nz;
    p.from = in.at(x, y, begin);
    p.to = out.at(x, y, job.z_begin);
    p.own = (1 + warp * rows) * row + me;
    p.edge = (1 + warp * 2) * row + me;

    const int lead = job.x + lead_x;
    const int x_begin = lead > r.x ? lead : r.x;
    const int x_end = lead + step_x < nx - r.x ? lead + step_x : nx - r.x;
    p.begin = within(x_begin - x, vector);
    p.end = within(x_end - x, vector);
    for (int j = 0; j < rows; ++j) {
      const bool computed = y + j >= r.y && y + j < ny - r.y;
      const int in_y = y + j - job.y - lead_y;
      if (y + j >= 0 && y + j < ny && x >= 0 && x < nx) p.fetched |= 1u << j;
      if (computed && in_y >= 0 && in_y < step_y) p.written |= 1u << j;
      for (int i = 0; i < vector; ++i) {
        if (computed && x + i >= r.x && x + i < nx - r.x) p.inside |= 1u << (j * vector + i);
      }
    }
    return p;
  }

  template <class Lane>
  RIDGE_DEVICE void march(Lane& lane, const PassJob& job) const {
    const int begin = job.z_begin > sweeps ? job.z_begin - sweeps : 0;
    Place p = place_of(lane, job, begin);
    for (int z = begin; z < begin + ring - 2; ++z)
      fetch(lane, p, z, z - begin);
    Held held;
    for (auto& half : held.plane) {
      for (auto& plane : half) {
        for (auto& value : plane)
          value = Value(T(0));
      }
    }
    // In pairs of steps: which half of the registers a step has is compiled in.
    const auto until = [&](auto masked, int k, int end) {
      RIDGE_NO_UNROLL
      for (; k + 1 < end; k += 2) {
        const int slot = (k - begin) % ring;
        step<0, masked>(lane, p, held, k, slot);
        step<1, masked>(lane, p, held, k + 1, slot + 1);
      }
      return k;
    };
    using Masked = std::integral_constant<bool, true>;
    using Plain = std::integral_constant<bool, false>;
    const int end = job.z_end + sweeps;
    int k = begin;
    if (job.at_edge == 0) {
      k = until(Masked{}, k, job.z_begin + sweeps + 1);
      k = until(Plain{}, k, p.planes_end);
    }
    until(Masked{}, k, end + 1);
  }

  /// Begins to copy plane `z` into a slot.
  template <class Lane>
  RIDGE_DEVICE void fetch(Lane& lane, Place& p, int z, int slot) const {
    constexpr int row = row_elements<Lane>;
    auto planes = lane.template shared<T>(0, plane_rows * row);
    if (z < p.planes_end) {
      unrolled<rows>([&](auto j) {
        if ((p.fetched >> j & 1u) != 0) {
          copy_kept<vector>(lane, planes, (slot * slot_rows + j) * row + p.own, in_rows,
                            p.from + j * in.row);
        }
      });
      p.from += in.plane;
    }
    lane.copy_commit(); // also of nothing, to keep count
  }

  /// All sweeps, one plane each: sweep l that of z = k - l.
  template <int Half, bool Masked, class Lane>
  RIDGE_DEVICE void step(Lane& lane, Place& p, Held& held, int k, int slot) const {
    constexpr int row = row_elements<Lane>;
    constexpr int edges_at = plane_rows * row * static_cast<int>(sizeof(T));
    auto planes = lane.template shared<T>(0, plane_rows * row);
    auto edges = lane.template shared<T>(edges_at, edge_rows * row);
    fetch(lane, p, k + ring - 2, (slot + ring - 2) % ring);
    lane.template copy_wait<ring - 2>();

    Value fresh[rows];
    unrolled<rows>([&](auto j) {
      fresh[j] =
          lane.template load_shared_pack<vector>(planes, (slot * slot_rows + j) * row + p.own);
    });
    unrolled<sweeps>([&](auto level) {
      Value before, behind;
      if constexpr (level == 0) {
        const int at = (slot + ring - 1) % ring * slot_rows * row + p.own;
        before = lane.template load_shared_pack<vector>(planes, at - row);
        behind = lane.template load_shared_pack<vector>(planes, at + rows * row);
      } else {
        const int at = ((1 - Half) * half_rows + (level - 1) * level_rows) * row + p.edge;
        before = lane.template load_shared_pack<vector>(edges, at - row);
        behind = lane.template load_shared_pack<vector>(edges, at + 2 * row);
      }
      auto& below = held.plane[Half][level];
      const auto& centre = held.plane[1 - Half][level];
      Value next[rows];
      [[maybe_unused]] const int z = k - level - 1;
      [[maybe_unused]] const unsigned inside =
          !Masked || (z >= r.z && z < in.extents.z - r.z) ? p.inside : 0;
      unrolled<rows>([&](auto j) {
        const Value left = from_left(lane, centre[j]);
        const Value right = from_right(lane, centre[j]);
        const Neighbours<Lane> u{lane,
                                 centre[j],
                                 left,
                                 right,
                                 j > 0 ? centre[j > 0 ? j - 1 : 0] : before,
                                 j + 1 < rows ? centre[j + 1 < rows ? j + 1 : 0] : behind,
                                 below[j],
                                 fresh[j]};
        next[j] = as_if_loaded(Value(kernel(u)));
        if constexpr (Masked) {
          next[j] = Value::make([&](int i) {
            return (inside >> (j * vector + i) & 1u) != 0 ? next[j][i] : centre[j][i];
          });
        }
      });
      unrolled<rows>([&](auto j) { below[j] = fresh[j]; });
      if constexpr (level + 1 < sweeps) {
        const int at = (Half * half_rows + level * level_rows) * row + p.edge;
        store_shared_pack(lane, edges, at, next[0]);
        store_shared_pack(lane, edges, at + row, next[rows - 1]);
      }
      unrolled<rows>([&](auto j) { fresh[j] = next[j]; });
    });
    if (!Masked || (k - sweeps >= p.z_begin && k - sweeps < p.z_end)) store(lane, p, fresh);
    lane.barrier();
  }

  /// Writes the next plane of results.
  template <class Lane>
  RIDGE_DEVICE void store(Lane& lane, Place& p, const Value (&results)[rows]) const {
    const bool whole = p.begin == 0 && p.end == vector;
    unrolled<rows>([&](auto j) {
      if (whole && (p.written >> j & 1u) != 0)
        put<P.store>(lane, out.elements(), p.to + j * out.row, results[j]);
    });
    if (!whole && p.begin < p.end) {
      unrolled<rows>([&](auto j) {
        unrolled<vector>([&](auto i) {
          if ((p.written >> j & 1u) != 0 && i >= p.begin && i < p.end)
            put<P.store>(lane, out.elements(), p.to + j * out.row + i, Pack<T, 1>(results[j][i]));
        });
      });
    }
    p.to += out.plane;
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
