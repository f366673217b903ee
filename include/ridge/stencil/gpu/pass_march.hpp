// GPU executor of several sweeps in one pass: persistent blocks march through z with all sweeps at
// once.
//
// A warp is one row of the tile, a lane some neighbouring values of it, in as many rows as it owns.
// Of each sweep the 2 r planes that the next one still needs stay in registers, r the kernel's
// radius. Sweep l computes plane k - l r in step k, so that all it reads of other warps was written
// a step before, and one barrier serves a step:
// - neighbours in x come from the lanes beside (shuffles);
// - in y from the lane's own rows, or from rows of the warps beside, which are all that goes
// through
//   shared memory, in two halves by turns;
// - in z from the lane's own registers.
// Each lane copies its own values of the input, asynchronously, into a ring of planes. Halos in x
// and y are computed again by the tiles beside, those beyond periodic faces, too. Points that no
// sweep computes keep what the input holds, and what is read beyond faces that reflect is one of
// the values at hand (pass_faces.hpp).
//
// Of kernels with two time levels, each sweep reads the level before at its own point: what the
// sweep before holds of that plane for the last time.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/pass_exchange.hpp>
#include <ridge/stencil/gpu/pass_faces.hpp>
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
  static constexpr int radius = radius_of<K>().z;
  static constexpr int levels = levels_of<K>();
  static constexpr int halo = sweeps * radius;
  static constexpr int ahead = 2; ///< planes of the input that are under way
  /// Planes of the input: those from the newest to the one that is computed, and those under way.
  static constexpr int ring = radius + 1 + ahead;
  static constexpr int widest_warp = std::is_same_v<Here, target::Simt> ? 64 : 32;
  static constexpr int max_threads = warps * widest_warp;
  static constexpr int min_blocks = 1;
  static constexpr const char* name = "stencil pass";

  /// Rows of each warp that others read: the first and the last, or all.
  static constexpr int handed = radius == 1 && rows > 2 ? 2 : rows;

  // Rows in shared memory. Beside each plane, and beside what warps hand on of each sweep, are some
  // that nobody writes: what the first and the last warps of a block read there no result needs.
  static constexpr int slot_rows = tile_y + radius;
  static constexpr int plane_rows = ring * slot_rows + radius;
  static constexpr int level_rows = handed * warps + radius;
  static constexpr int half_rows = (sweeps - 1) * level_rows;
  static constexpr int edge_rows = 2 * half_rows + radius;
  static constexpr int older_ring = 1 + ahead; ///< a lane reads none but its own rows of these
  static constexpr int older_rows = levels > 1 ? older_ring* tile_y : 0;

  /// Shared memory of a block on a device of this warp width.
  static constexpr int shared_bytes(int warp_width) {
    return (plane_rows + edge_rows + older_rows) * warp_width * 16;
  }

  struct Nothing {};
  /// The time level before, with rows and planes like the newest's.
  struct Older {
    Span<const T> in_rows;
    Span<T> out;
  };

  K kernel;
  View<const T> in;
  Span<const T> in_rows; ///< all of its rows, what lies between them included
  View<T> out;
  Span<const PassJob> jobs;
  Span<const int> first;              ///< job of each block, and one more
  int lead_x, lead_y, step_x, step_y; ///< results of a tile (PassPlan)
  std::conditional_t<(levels > 1), Older, Nothing> older;
  std::conditional_t<P.moving, PassFaces<T, radius>, Nothing> faces;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int end = lane.load(first, lane.block().x + 1);
    for (int j = lane.load(first, lane.block().x); j < end; ++j)
      march(lane, lane.load_written(jobs, j));
  }

private:
  static constexpr Offset r = radius_of<K>();
  static constexpr auto footprint = footprint_of<K, 0>;
  static constexpr int turn = 2 * radius; ///< steps after which registers are where they were
  using Value = Pack<T, vector>;

  /// Where a lane fetches next.
  struct Source {
    Index from = 0; ///< the first value
    int plane = 0;
  };

  /// A lane's part of a job.
  struct Place {
    int z_begin, z_end, planes_end; ///< the last: of what is fetched
    Source newest, before;          ///< of each time level
    Index to;                       ///< the first value of the plane that is written next
    int own;                        ///< in a slot: the lane's first value
    int edge;                       ///< likewise among the rows that warps hand on
    unsigned fetched = 0;           ///< rows, by bits
    unsigned written = 0;           ///< rows
    unsigned inside = 0;            ///< values, by row and place in the pack, that are computed
    int begin = 0, end = 0;         ///< of each pack, what is written
    int x = 0, y = 0;               ///< of the lane's first value
    bool beside_x = false, beside_y = false; ///< it reads points beyond faces
    int first_plane = 0;                     ///< that is fetched
  };

  /// Planes of each sweep (0: the input) that stay, the oldest in the place of the step: that of
  /// step k is k % turn.
  struct Held {
    Value plane[turn][sweeps][rows];
  };

  template <class Lane>
  static constexpr int row_elements = Lane::warp_width* vector;
  static RIDGE_DEVICE int within(int value, int most) {
    return value < 0 ? 0 : value > most ? most : value;
  }

  /// Whether planes beyond the field are those at its other end.
  RIDGE_DEVICE bool periodic_in(int axis) const {
    if constexpr (P.moving) return faces.periodic[axis];
    (void)axis;
    return false;
  }

  template <class Lane>
  RIDGE_DEVICE Place place_of(Lane& lane, const PassJob& job, int begin) const {
    constexpr int row = row_elements<Lane>;
    const int nx = static_cast<int>(in.extents.x);
    const int ny = static_cast<int>(in.extents.y);
    const int nz = static_cast<int>(in.extents.z);
    const bool around_x = periodic_in(0);
    const bool around_y = periodic_in(1);
    const bool around_z = periodic_in(2);
    const int me = lane.lane() * vector;
    const int warp = lane.rank() / Lane::warp_width;
    const int x = job.x + me;
    const int y = job.y + warp * rows;
    Place p;
    p.z_begin = job.z_begin;
    p.z_end = job.z_end;
    p.planes_end = job.z_end + halo < nz || around_z ? job.z_end + halo : nz;
    int plane = begin;
    if constexpr (P.moving) {
      if (around_z) plane = faces.wrapped(begin, nz);
    }
    p.newest = p.before = {in.at(x, y, plane), plane};
    p.to = out.at(x, y, job.z_begin);
    p.own = (radius + warp * rows) * row + me;
    p.edge = (radius + warp * handed) * row + me;
    p.x = x;
    p.y = y;
    if constexpr (P.moving) {
      p.beside_x = faces.template beside<vector>(0, x);
      p.beside_y = faces.template beside<rows>(1, y);
    }
    p.first_plane = begin;

    const int lead = job.x + lead_x;
    const int x_begin = lead > r.x ? lead : r.x;
    const int x_end = lead + step_x < nx - r.x ? lead + step_x : nx - r.x;
    p.begin = within(x_begin - x, vector);
    p.end = within(x_end - x, vector);
    for (int j = 0; j < rows; ++j) {
      const bool own = y + j >= r.y && y + j < ny - r.y;
      const bool computed = own || around_y;
      const int in_y = y + j - job.y - lead_y;
      const bool in_x = (x >= 0 && x < nx) || around_x;
      if (((y + j >= 0 && y + j < ny) || around_y) && in_x) p.fetched |= 1u << j;
      if (own && in_y >= 0 && in_y < step_y) p.written |= 1u << j;
      for (int i = 0; i < vector; ++i) {
        if (computed && ((x + i >= r.x && x + i < nx - r.x) || around_x))
          p.inside |= 1u << (j * vector + i);
      }
    }
    return p;
  }

  template <class Lane>
  RIDGE_DEVICE void march(Lane& lane, const PassJob& job) const {
    const int begin = job.z_begin > halo || periodic_in(2) ? job.z_begin - halo : 0;
    Place p = place_of(lane, job, begin);
    for (int z = begin; z < begin + ahead; ++z)
      fetch<true>(lane, p, z, z - begin);
    Held held;
    for (auto& half : held.plane) {
      for (auto& plane : half) {
        for (auto& value : plane)
          value = Value(T(0));
      }
    }
    // As many steps at a time as it takes until all planes are in the same registers: which those
    // are is compiled in.
    const auto until = [&](auto masked, int k, int end) {
      RIDGE_NO_UNROLL
      for (; k + turn - 1 < end; k += turn) {
        const int slot = (k - begin) % ring;
        unrolled<turn>([&](auto i) {
          step<i, masked>(lane, p, held, k + i, ring % turn == 0 ? slot + i : (slot + i) % ring);
        });
      }
      return k;
    };
    using Masked = std::integral_constant<bool, true>;
    using Plain = std::integral_constant<bool, false>;
    constexpr int rest = turn - 1;
    const int end = job.z_end + halo;
    int k = begin;
    if (job.at_edge == 0) {
      if constexpr (P.moving) {
        // What is read beyond faces is known to masked steps only.
        const int nz = static_cast<int>(in.extents.z);
        const int clear =
            nz - radius < p.planes_end && !periodic_in(2) ? nz - radius : p.planes_end;
        k = until(Masked{}, k, job.z_begin + halo + radius + rest);
        k = until(Plain{}, k, clear);
      } else {
        k = until(Masked{}, k, job.z_begin + halo + rest);
        k = until(Plain{}, k, p.planes_end);
      }
    }
    until(Masked{}, k, end + rest);
  }

  /// Begins to copy plane `z`, and that of the level before which goes with it, into a slot.
  template <bool AtEdge, class Lane>
  RIDGE_DEVICE void fetch(Lane& lane, Place& p, int z, int slot) const {
    constexpr int row = row_elements<Lane>;
    auto planes = lane.template shared<T>(0, plane_rows * row);
    if (z < p.planes_end) copy_plane<AtEdge>(lane, p, p.newest, in_rows, planes, slot * slot_rows);
    if constexpr (levels > 1) {
      auto older_planes = lane.template shared<T>(older_at<Lane>, older_rows * row);
      if (z - radius >= p.first_plane && z < p.planes_end)
        copy_plane<AtEdge>(lane, p, p.before, older.in_rows, older_planes, older_row(p, z));
    }
    lane.copy_commit(); // also of nothing, to keep count
  }

  /// Where in its ring the plane of the level before begins that goes with plane `z`, in rows, for
  /// what counts from `Place::own` on.
  static RIDGE_DEVICE int older_row(const Place& p, int z) {
    return (z - p.first_plane) % older_ring * tile_y - radius;
  }

  template <class Lane>
  static constexpr int edges_at = plane_rows* row_elements<Lane>* static_cast<int>(sizeof(T));
  template <class Lane>
  static constexpr int
      older_at = (plane_rows + edge_rows) * row_elements<Lane>* static_cast<int>(sizeof(T));

  /// Begins to copy the next plane of a field to rows of an array, those of the first warp from
  /// `at` on.
  template <bool AtEdge, class Lane, class Array>
  RIDGE_DEVICE void copy_plane(Lane& lane, const Place& p, Source& source,
                               const Span<const T>& from, Array& to, int at) const {
    constexpr int row = row_elements<Lane>;
    if constexpr (P.moving && AtEdge) {
      copy_around(lane, p, source, from, to, at);
    } else {
      unrolled<rows>([&](auto j) {
        if ((p.fetched >> j & 1u) != 0)
          copy_kept<vector>(lane, to, (at + j) * row + p.own, from, source.from + j * in.row);
      });
    }
    source.from += in.plane;
    if constexpr (P.moving) {
      const int nz = static_cast<int>(in.extents.z);
      if (++source.plane == nz - radius && faces.periodic[2]) {
        source.plane = radius;
        source.from -= (nz - 2 * radius) * in.plane;
      }
    }
  }

  /// The same of a tile that may lie beyond periodic faces.
  template <class Lane, class Array>
  RIDGE_DEVICE void copy_around(Lane& lane, const Place& p, const Source& source,
                                const Span<const T>& from, Array& to, int at) const {
    constexpr int row = row_elements<Lane>;
    const int nx = static_cast<int>(in.extents.x);
    const int ny = static_cast<int>(in.extents.y);
    const bool whole = !faces.periodic[0] || (p.x >= radius && p.x + vector <= nx - radius);
    RIDGE_NO_UNROLL
    for (int j = 0; j < rows; ++j) {
      if ((p.fetched >> j & 1u) == 0) continue;
      const int y = p.y + j;
      const int beyond = faces.periodic[1] ? faces.wrapped(y, ny) - y : 0;
      const Index begin = source.from + (j + beyond) * in.row;
      const int to_row = (at + j) * row + p.own;
      if (whole) {
        copy_kept<vector>(lane, to, to_row, from, begin);
        continue;
      }
      RIDGE_NO_UNROLL
      for (int i = 0; i < vector; ++i) {
        const int beside = faces.wrapped(p.x + i, nx) - p.x;
        lane.template copy_async<1>(to, to_row + i, from, begin + beside);
      }
    }
  }

  /// All sweeps, one plane each: sweep l that of z = k - l r.
  template <int Phase, bool Masked, class Lane>
  RIDGE_DEVICE void step(Lane& lane, Place& p, Held& held, int k, int slot) const {
    constexpr int row = row_elements<Lane>;
    constexpr int half = Phase % 2;
    auto planes = lane.template shared<T>(0, plane_rows * row);
    auto edges = lane.template shared<T>(edges_at<Lane>, edge_rows * row);
    fetch<Masked>(lane, p, k + ahead, (slot + ahead) % ring);
    lane.template copy_wait<ahead>();

    Value fresh[rows];
    unrolled<rows>([&](auto j) {
      fresh[j] =
          lane.template load_shared_pack<vector>(planes, (slot * slot_rows + j) * row + p.own);
    });
    [[maybe_unused]] Value before_it[rows]; // the level before, at the points that are computed
    if constexpr (levels > 1) {
      auto older_planes = lane.template shared<T>(older_at<Lane>, older_rows * row);
      unrolled<rows>([&](auto j) {
        before_it[j] = lane.template load_shared_pack<vector>(older_planes,
                                                              (older_row(p, k) + j) * row + p.own);
      });
    }
    unrolled<sweeps>([&](auto level) {
      constexpr int owned = level == 0 ? rows : handed;
      Value before[radius], behind[radius]; // rows of other warps, the nearest first
      if constexpr (level == 0) {
        const int at = (slot + ring - radius) % ring * slot_rows * row + p.own;
        unrolled<radius>([&](auto m) {
          before[m] = lane.template load_shared_pack<vector>(planes, at - (m + 1) * row);
          behind[m] = lane.template load_shared_pack<vector>(planes, at + (owned + m) * row);
        });
      } else {
        const int at = ((1 - half) * half_rows + (level - 1) * level_rows) * row + p.edge;
        unrolled<radius>([&](auto m) {
          before[m] = lane.template load_shared_pack<vector>(edges, at - (m + 1) * row);
          behind[m] = lane.template load_shared_pack<vector>(edges, at + (owned + m) * row);
        });
      }
      // Planes by their distance from the one that is computed, rows from the lane's first.
      const auto plane = [&](int dz, int j) -> const Value& {
        return dz == radius ? fresh[j] : held.plane[(Phase + radius + dz) % turn][level][j];
      };
      const auto row_at = [&](int j) -> const Value& {
        return j < 0 ? before[-1 - j] : j < rows ? plane(0, j) : behind[j - rows];
      };
      if constexpr (P.moving && Masked) {
        reflect_planes<Phase, level>(held, fresh, k - level * radius);
        if (p.beside_y) {
          faces.template reflect<rows>(1, p.y, [&](auto j) -> Value& {
            if constexpr (j < 0) {
              return before[-1 - j];
            } else if constexpr (j < rows) {
              return held.plane[(Phase + radius) % turn][level][j];
            } else {
              return behind[j - rows];
            }
          });
        }
      }
      Value next[rows];
      [[maybe_unused]] const int z = k - (level + 1) * radius;
      [[maybe_unused]] const unsigned inside =
          !Masked || periodic_in(2) || (z >= r.z && z < in.extents.z - r.z) ? p.inside : 0;
      unrolled<rows>([&](auto j) {
        auto values = RowValues<T, vector, radius>::around(lane, plane(0, j));
        if constexpr (P.moving && Masked) {
          if (p.beside_x)
            faces.template reflect<vector>(0, p.x, [&](auto i) -> T& { return values[i]; });
        }
        const auto u = [&](int dx, int dy = 0, int dz = 0) {
          check_declared<footprint>(lane, dx, dy, dz);
          if (dx != 0) return Value::make([&](int i) { return values[i + dx]; });
          if (dy != 0) return row_at(j + dy);
          return plane(dz, j);
        };
        if constexpr (levels > 1) {
          const auto before_here = [&](int dx, int dy = 0, int dz = 0) {
            check_declared<point()>(lane, dx, dy, dz);
            return before_it[j];
          };
          next[j] = as_if_loaded(Value(kernel(u, before_here)));
        } else {
          next[j] = as_if_loaded(Value(kernel(u)));
        }
        if constexpr (Masked) {
          next[j] = Value::make([&](int i) {
            return (inside >> (j * vector + i) & 1u) != 0 ? next[j][i] : plane(0, j)[i];
          });
        }
      });
      if constexpr (levels > 1) {
        if constexpr (level + 1 == sweeps) {
          if (!Masked || is_result(p, k))
            store(lane, p, older.out, held.plane[(Phase + radius) % turn][level]);
        }
      }
      unrolled<rows>([&](auto j) {
        if constexpr (levels > 1) before_it[j] = plane(-radius, j);
        held.plane[Phase][level][j] = fresh[j];
      });
      if constexpr (level + 1 < sweeps) {
        // What the next sweep reads of other warps in the next step.
        const int at = (half * half_rows + level * level_rows) * row + p.edge;
        const auto handed_on = [&](int j) -> const Value& {
          return radius == 1 ? next[j] : held.plane[(Phase + radius + 1) % turn][level + 1][j];
        };
        if constexpr (handed == rows) {
          unrolled<rows>(
              [&](auto j) { store_shared_pack(lane, edges, at + j * row, handed_on(j)); });
        } else {
          store_shared_pack(lane, edges, at, handed_on(0));
          store_shared_pack(lane, edges, at + row, handed_on(rows - 1));
        }
      }
      unrolled<rows>([&](auto j) { fresh[j] = next[j]; });
    });
    if (!Masked || is_result(p, k)) {
      store(lane, p, out.elements(), fresh);
      p.to += out.plane;
    }
    lane.barrier();
  }

  /// Gives the planes beyond faces their values as soon as what they are images of is there.
  /// `newest` is the plane in `fresh`.
  template <int Phase, int Level>
  RIDGE_DEVICE void reflect_planes(Held& held, Value (&fresh)[rows], int newest) const {
    unrolled<radius>([&](auto i) {
      constexpr int beyond = i + 1;
      // By their distance from the newest one.
      const auto plane = [&](auto back, int j) -> Value& {
        return held.plane[(Phase + turn - back) % turn][Level][j];
      };
      const auto& low = faces.face[2][0];
      const auto& high = faces.face[2][1];
      constexpr auto here = constant<beyond>; // the face's own
      constexpr auto point = constant<2 * beyond>;
      constexpr auto half = constant<2 * beyond - 1>;
      unrolled<rows>([&](auto j) {
        if (newest == low.at + beyond && low.behind == 0)
          plane(point, j) = low.image(beyond, fresh[j], fresh[j], plane(here, j));
        if (newest == low.at + beyond - 1 && low.behind != 0)
          plane(half, j) = low.image(beyond, fresh[j], fresh[j], fresh[j]);
        if (newest == high.at + beyond)
          fresh[j] = high.image(beyond, plane(point, j), plane(half, j), plane(here, j));
      });
    });
  }
  /// Whether the last sweep computes a plane of this job in step k.
  static RIDGE_DEVICE bool is_result(const Place& p, int k) {
    return k - halo >= p.z_begin && k - halo < p.z_end;
  }

  /// Writes results of the plane that is next.
  template <class Lane>
  RIDGE_DEVICE void store(Lane& lane, const Place& p, const Span<T>& to,
                          const Value (&results)[rows]) const {
    const bool whole = p.begin == 0 && p.end == vector;
    unrolled<rows>([&](auto j) {
      if (whole && (p.written >> j & 1u) != 0)
        put<P.store>(lane, to, p.to + j * out.row, results[j]);
    });
    if (!whole && p.begin < p.end) {
      unrolled<rows>([&](auto j) {
        unrolled<vector>([&](auto i) {
          if ((p.written >> j & 1u) != 0 && i >= p.begin && i < p.end)
            put<P.store>(lane, to, p.to + j * out.row + i, Pack<T, 1>(results[j][i]));
        });
      });
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
