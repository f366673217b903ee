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
  static constexpr int widest_warp = std::is_same_v<Here, target::Simt> ? 64 : 32;
  static constexpr int max_threads = warps * widest_warp;
  static constexpr int min_blocks = 1;
  /// Whether the copy engine of a device that has one brings whole planes of the tile. It cannot
  /// fetch what lies beyond periodic faces.
  static constexpr bool takes_tiles = !P.moving;
  static constexpr bool by_tiles = copies_tiles && takes_tiles;

  static constexpr const char* name = "stencil pass";

  /// Rows of each warp that others read: the first and the last, or all.
  static constexpr int handed = radius == 1 && rows > 2 ? 2 : rows;
  static constexpr int level_rows = handed * warps + radius;
  static constexpr int half_rows = (sweeps - 1) * level_rows;
  static constexpr int edge_rows = 2 * half_rows + radius;

  /// Planes of the input that are held, in shared memory.
  struct Ring {
    int ahead;     ///< that are under way
    int read_back; ///< that are read again from the ring, since registers are too few for them
    /// Those from the newest to the oldest that is read, and those under way.
    [[nodiscard]] constexpr int planes() const {
      return (read_back > 0 ? 2 * radius : radius) + 1 + ahead;
    }
    [[nodiscard]] constexpr int older_planes() const { return levels > 1 ? 1 + ahead : 0; }
    // Beside each plane, and beside what warps hand on of each sweep, are rows that nobody writes:
    // what the first and the last warps of a block read there no result needs. The last row of a
    // plane holds the barrier that counts its bytes, where tiles are copied.
    static constexpr int slot_rows(bool tiles) {
      return tile_y + radius + (tiles ? radius + 1 : 0);
    }
    [[nodiscard]] constexpr int rows_of_planes(bool tiles) const {
      return planes() * slot_rows(tiles) + (tiles ? 0 : radius);
    }
    /// All rows in shared memory.
    [[nodiscard]] constexpr int all_rows(bool tiles) const {
      return rows_of_planes(tiles) + edge_rows + older_planes() * tile_y;
    }
  };
  /// Copies are two planes ahead: more, counted with tiles, are no faster. What registers are too
  /// few for was counted with nvcc 13 (docs/decisions/0035).
  static constexpr Ring ring_of(bool tiles) {
    if (!tiles) return {2, 0};
    constexpr int room =
        (227 * 1024 - 16) / (32 * 16); // rows of what a block on a Hopper GPU can have
    constexpr int registers = warps <= 8 ? 255 : 2048 / warps;
    const bool scarce = registers - 8 * halo * rows < 26 * rows;
    Ring ring{2, scarce ? 2 * radius : 0};
    if (ring.all_rows(true) > room) ring.read_back = 0;
    return ring;
  }

  /// Shared memory of a block on a device of this warp width, which copies tiles or does not. What
  /// lies behind all rows is the job that the block takes.
  static constexpr int shared_bytes(int warp_width, bool tiles) {
    return ring_of(tiles && takes_tiles).all_rows(tiles && takes_tiles) * warp_width * 16 + 16;
  }

  struct Nothing {};
  /// The time level before, with rows and planes like the newest's.
  struct Older {
    Span<const T> in_rows;
    Span<T> out;
    std::conditional_t<takes_tiles, PassMap, Nothing> map;
  };

  K kernel;
  View<const T> in;
  Span<const T> in_rows; ///< all of its rows, what lies between them included
  View<T> out;
  Span<const PassJob> jobs;
  Span<int> taken; ///< how many jobs are, and how many blocks have ended; both 0 between launches
  std::conditional_t<(levels > 1), Older, Nothing> older;
  std::conditional_t<P.moving, PassFaces<T, radius>, Nothing> faces;
  std::conditional_t<takes_tiles, PassMap, Nothing> map;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    Turns turns;
    if constexpr (by_tiles) {
      auto planes = lane.template shared<T>(0, plane_rows * row_elements(lane));
      if (lane.rank() == 0) {
        for (int i = 0; i < ring; ++i)
          lane.phase_begin(phase_of(lane, planes, i * slot_elements(lane)), 0, 1);
        lane.phase_begin(phase_of(lane, planes, 0), steps_phase, warps);
      }
      lane.barrier();
    }
    for (int j = next_job(lane); j < jobs.size; j = next_job(lane))
      march(lane, lane.load_written(jobs, j), turns);
    // The block that ends last leaves all as it was.
    if (lane.rank() == 0 && lane.atomic_add(taken, 1, 1) == lane.grid_extent().x - 1) {
      lane.store(taken, 0, 0);
      lane.store(taken, 1, 0);
    }
  }

private:
  /// Blocks take jobs as they come to them: some take longer than others, and some multiprocessors
  /// than others.
  template <class Lane>
  RIDGE_DEVICE int next_job(Lane& lane) const {
    auto next = lane.template shared<int>(job_at(lane), 1);
    if (lane.rank() == 0) next[0] = lane.atomic_add(taken, 0, 1);
    lane.barrier();
    const int job = next[0];
    lane.barrier();
    return job;
  }

  static constexpr Offset r = radius_of<K>();
  static constexpr auto footprint = footprint_of<K, 0>;
  static constexpr int turn = 2 * radius + 1; ///< steps after which registers are where they were
  using Value = Pack<T, vector>;
  /// Of four values a lane, ptxas keeps so many outcomes of tests that it gives up: of two levels
  /// always, of one where it optimizes little.
  static constexpr bool by_mask = vector > 2;
  static constexpr int ahead = ring_of(by_tiles).ahead;
  static constexpr int from_ring = ring_of(by_tiles).read_back;
  static constexpr int ring = ring_of(by_tiles).planes();
  static constexpr int slot_rows = Ring::slot_rows(by_tiles);
  static constexpr int plane_rows = ring_of(by_tiles).rows_of_planes(by_tiles);
  /// A lane reads none but its own rows of the level before.
  static constexpr int older_ring = ring_of(by_tiles).older_planes();
  static constexpr int older_rows = older_ring * tile_y;

  /// Where the ring has come to.
  struct Turns {
    int slot = 0;   ///< of the newest plane, in elements
    int parity = 0; ///< of the phase that counts its bytes
    int half = 0;   ///< of what warps hand on, the one that this step writes, in elements
    int older = 0;  ///< as `slot`, of the level before
  };

  /// What a step takes care of: of all points that no sweep computes, and of all that is to be
  /// fetched or written only at times; of such points on both ends of rows alone; of nothing.
  enum class Mask { none, along_x, all };

  /// Where a lane fetches next: what lies from its first value of plane `plane` on.
  struct Source {
    Span<const T> from;
    int plane = 0;
  };

  /// What a lane has to do with rows and places of packs, all in one register.
  class Shares {
  public:
    RIDGE_DEVICE Shares(bool first_of_warp, bool first_of_block)
        : bits_((first_of_warp ? 1u << 6 : 0u) | (first_of_block ? 1u << 7 : 0u)) {}
    /// Whether the lane is the first of its warp, or of its block.
    [[nodiscard]] RIDGE_DEVICE bool first_of_warp() const { return has(6); }
    [[nodiscard]] RIDGE_DEVICE bool first_of_block() const { return has(7); }
    RIDGE_DEVICE void set_fetched(int row) { bits_ |= 1u << row; }
    RIDGE_DEVICE void set_whole(int row) { bits_ |= 1u << (row + 8); }
    RIDGE_DEVICE void set_inside_x(int place) { bits_ |= 1u << (inside_x_bit + place); }
    [[nodiscard]] RIDGE_DEVICE bool fetched(int row) const { return has(row); }
    /// Rows of which the lane writes all of its values.
    [[nodiscard]] RIDGE_DEVICE bool whole(int row) const { return has(row + 8); }
    /// The same, tested anew in each step: what the compiler knew of them it would keep for each
    /// bit in a register, and of these too few are left.
    RIDGE_DEVICE void forget() { bits_ = forgotten(bits_); }
    /// From this bit on: places in packs that lie within both ends of rows.
    static constexpr int inside_x_bit = 16;
    [[nodiscard]] RIDGE_DEVICE unsigned bits() const { return bits_; }

  private:
    unsigned bits_;

    [[nodiscard]] RIDGE_DEVICE bool has(int bit) const { return (bits_ >> bit & 1u) != 0; }
  };
  static_assert(rows <= 6 && vector <= 4);

  /// A lane's part of a job, and where its march has come to. Places in fields advance by a plane
  /// each step.
  struct Place {
    int z_begin, z_end, planes_end; ///< the last: of what is fetched
    Source newest, before;          ///< of each time level
    Span<T> to, older_to;           ///< from the lane's first result on, of each time level
    int own;                        ///< in a slot: the lane's first value
    int edge;                       ///< likewise among the rows that warps hand on
    Turns turns;
    unsigned inside = 0; ///< values, by row and place in the pack, that are computed
    unsigned parts = 0;  ///< that are written one by one: of packs that are not written whole
    Shares shares{false, false};
    int x = 0, y = 0;                        ///< of the lane's first value
    Mask edges = Mask::none;                 ///< that the warp's rows need
    bool beside_x = false, beside_y = false; ///< it reads points beyond faces
    int first_plane = 0;                     ///< that is fetched
  };

  /// Planes of each sweep (0: the input): that of step k is k % turn.
  struct Held {
    Value plane[turn][sweeps][rows];

    /// So that those of the next step are where those of this step were.
    void move_on() {
      for (int level = 0; level < sweeps; ++level) {
        for (int j = 0; j < rows; ++j) {
          const Value first = plane[0][level][j];
          for (int i = 1; i < turn; ++i)
            plane[i - 1][level][j] = plane[i][level][j];
          plane[turn - 1][level][j] = first;
        }
      }
    }
  };

  /// Elements of a row of the tile.
  template <class Lane>
  static RIDGE_DEVICE constexpr int row_elements(const Lane& lane) {
    return lane.width() * vector;
  }
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
  RIDGE_DEVICE Place place_of(Lane& lane, const PassJob& job, int begin, const Turns& turns) const {
    const int row = row_elements(lane);
    const int nx = static_cast<int>(in.extents.x);
    const int ny = static_cast<int>(in.extents.y);
    const int nz = static_cast<int>(in.extents.z);
    const bool around_x = periodic_in(0);
    const bool around_y = periodic_in(1);
    const bool around_z = periodic_in(2);
    const int me = lane.lane() * vector;
    const int warp = lane.rank() / lane.width();
    const int x = job.x + me;
    const int y = job.y + warp * rows;
    Place p;
    p.z_begin = job.z_begin;
    p.z_end = job.z_end;
    p.planes_end = job.z_end + halo < nz || around_z ? job.z_end + halo : nz;
    if constexpr (by_tiles) // one for each step, of zeros beyond the field
      p.planes_end = begin + (job.z_end + halo - begin + turn - 1) / turn * turn;
    p.turns = turns;
    p.shares = Shares(lane.lane() == 0, lane.rank() == 0);
    int plane = begin;
    if constexpr (P.moving) {
      if (around_z) plane = faces.wrapped(begin, nz);
    }
    p.newest = {moved(in_rows, in.at(x, y, plane)), plane};
    if constexpr (levels > 1) p.before = {moved(older.in_rows, in.at(x, y, plane)), plane};
    p.own = (radius + warp * rows) * row + me;
    if constexpr (!by_tiles) {
      // So turned that what a lane copies lies alike in lines of memory and of shared memory:
      // else a copy takes three times as long (docs/decisions/0071).
      constexpr int line = 128 / static_cast<int>(sizeof(T));
      p.own += (me + (job.x & (line - 1))) % row - me;
    }
    p.edge = (radius + warp * handed) * row + me;
    p.x = x;
    p.y = y;
    if constexpr (P.moving) {
      p.beside_x = faces.template beside<vector>(0, x);
      p.beside_y = faces.template beside<rows>(1, y);
    }
    p.first_plane = begin;
    // Between faces that move a warp reads rows that others replace.
    constexpr int far = P.moving ? 2 * radius : radius;
    const bool edge_x = job.at_edge != 0 && (job.x < r.x || job.x + row > nx - r.x);
    const bool edge_y = job.at_edge != 0 && (y < far || y + rows > ny - far);
    // Masks along x alone are for what the copy engine fetches for: elsewhere they take more
    // predicates than there are.
    p.edges = in_warp(edge_y) || (!takes_tiles && edge_x) ? Mask::all
              : edge_x                                    ? Mask::along_x
                                                          : Mask::none;

    const int from = within(job.x_begin - x, vector);
    const int until = within(job.x_end - x, vector);
    for (int j = 0; j < rows; ++j) {
      const bool own = y + j >= r.y && y + j < ny - r.y;
      const bool computed = own || around_y;
      const bool is_result = y + j >= job.y_begin && y + j < job.y_end;
      const bool in_x = (x >= 0 && x < nx) || around_x;
      if (((y + j >= 0 && y + j < ny) || around_y) && in_x) p.shares.set_fetched(j);
      if (is_result && from == 0 && until == vector) p.shares.set_whole(j);
      for (int i = 0; i < vector; ++i) {
        if (is_result && !p.shares.whole(j) && i >= from && i < until)
          p.parts |= 1u << (j * vector + i);
        if (!((x + i >= r.x && x + i < nx - r.x) || around_x)) continue;
        p.shares.set_inside_x(i);
        if (computed) p.inside |= 1u << (j * vector + i);
      }
    }
    // Results of the first step, which has none, would lie in the plane that it is of.
    const Index to = out.at(x, y, begin - halo);
    p.to = moved(out.elements(), to);
    if constexpr (levels > 1) p.older_to = moved(older.out, to);
    return p;
  }

  /// Strides of all fields. In 32 bits, so that a place is found in one instruction.
  RIDGE_DEVICE int row_of_field() const { return static_cast<int>(in.row); }
  RIDGE_DEVICE int plane_of_field() const { return static_cast<int>(in.plane); }

  /// What lies from element `n` on; before the first one, what is none of the array is never asked
  /// for.
  template <class E>
  static RIDGE_DEVICE Span<E> moved(const Span<E>& from, Index n) {
    return {from.data + n, from.size - n};
  }

  template <class Lane>
  RIDGE_DEVICE void march(Lane& lane, const PassJob& job, Turns& turns) const {
    const int begin = job.z_begin > halo || periodic_in(2) ? job.z_begin - halo : 0;
    Place p = place_of(lane, job, begin, turns);
    for (int i = 0; i < ahead; ++i) {
      fetch<Mask::all>(lane, p, begin + i, i);
    }
    Held held;
    for (auto& half : held.plane) {
      for (auto& plane : half) {
        for (auto& value : plane)
          value = Value(T(0));
      }
    }
    // From `clear` to before `until` no step has to care about ends of the field in z, nor, but for
    // masks along x, about others; nor, where lanes copy, about ends of the job. What is read
    // beyond faces that move is known to others only.
    const int nz = static_cast<int>(in.extents.z);
    constexpr int beyond = P.moving ? radius : 0;
    int clear = by_tiles && begin > 0 ? begin : job.z_begin + halo + beyond;
    if (p.edges == Mask::all) clear = job.z_end + 2 * halo;
    int until = nz;
    if constexpr (!by_tiles) {
      until = job.z_end + halo < p.planes_end - ahead ? job.z_end + halo : p.planes_end - ahead;
      if (!periodic_in(2) && nz - beyond < until) until = nz - beyond;
    }
    // Warps of a block go different ways here, all of as many steps.
    RIDGE_NO_UNROLL
    for (int k = begin; k < job.z_end + halo; k += turn) {
      if (k < clear || k + turn > until) {
        steps<Mask::all>(lane, p, held, k, std::make_integer_sequence<int, turn>{});
      } else if (takes_tiles && p.edges == Mask::along_x) {
        if constexpr (takes_tiles)
          steps<Mask::along_x>(lane, p, held, k, std::make_integer_sequence<int, turn>{});
      } else {
        steps<Mask::none>(lane, p, held, k, std::make_integer_sequence<int, turn>{});
      }
    }
    turns = p.turns;
  }

  /// As many steps as it takes until all planes are in the same registers: which those are is
  /// compiled in.
  template <Mask M, class Lane, int... Phase>
  RIDGE_DEVICE void steps(Lane& lane, Place& p, Held& held, int k,
                          std::integer_sequence<int, Phase...> /*phases*/) const {
    if constexpr (std::is_same_v<Here, target::Simt>) {
      // The same function for all phases, which takes a third of the time to compile: here the
      // planes move on instead.
      for (int i = 0; i < turn; ++i) {
        step<0, M>(lane, p, held, k + i);
        held.move_on();
      }
    } else {
      (step<Phase, M>(lane, p, held, k + Phase), ...);
    }
  }

  /// Elements of a plane of the ring.
  template <class Lane>
  static RIDGE_DEVICE constexpr int slot_elements(const Lane& lane) {
    return slot_rows * row_elements(lane);
  }
  template <class Lane>
  static RIDGE_DEVICE constexpr int older_elements(const Lane& lane) {
    return tile_y * row_elements(lane);
  }

  /// Begins to copy plane `z`, and that of the level before which goes with it, into the slots
  /// `further` than the newest.
  template <Mask M, class Lane>
  RIDGE_DEVICE void fetch(Lane& lane, Place& p, int z, int further) const {
    const int row = row_elements(lane);
    const int size = slot_elements(lane);
    const int slot = in_ring(ring * size, p.turns.slot + further * size);
    [[maybe_unused]] int older_slot = 0;
    if constexpr (levels > 1) {
      const int older_size = older_elements(lane);
      older_slot = in_ring(older_ring * older_size, p.turns.older + further * older_size);
    }
    auto planes = lane.template shared<T>(0, plane_rows * row);
    if constexpr (by_tiles) {
      if (p.shares.first_of_block() && z < p.planes_end) fetch_tile(lane, p, z, slot, older_slot);
      return;
    }
    if (M != Mask::all || z < p.planes_end) copy_plane<M>(lane, p, p.newest, planes, slot);
    advance(p.newest);
    if constexpr (levels > 1) {
      auto older_planes = lane.template shared<T>(older_at(lane), older_rows * row);
      if (z - radius >= p.first_plane) {
        if (M != Mask::all || z < p.planes_end)
          copy_plane<M>(lane, p, p.before, older_planes, older_slot - radius * row);
        advance(p.before);
      }
    }
    lane.copy_commit(); // also of nothing, to keep count
  }

  /// The same by the first lane of the block, whose point is the first of the tile.
  template <class Lane>
  RIDGE_DEVICE void fetch_tile(Lane& lane, const Place& p, int z, int slot,
                               [[maybe_unused]] int older_slot) const {
    if constexpr (by_tiles) {
      const int row = row_elements(lane);
      auto planes = lane.template shared<T>(0, plane_rows * row);
      const int bytes = tile_y * row * static_cast<int>(sizeof(T));
      auto phase = phase_of(lane, planes, slot);
      // What lanes read of this slot they have used for what they handed on before the last step.
      lane.phase_arrive_expecting(phase, 0, bytes * levels);
      copy_tile(phase, planes + slot + radius * row, map, p.x, p.y, z);
      if constexpr (levels > 1) {
        auto older_planes = lane.template shared<T>(older_at(lane), older_rows * row);
        copy_tile(phase, older_planes + older_slot, older.map, p.x, p.y, z - radius);
      }
    }
  }

  /// All that this warp reads or writes of shared memory in this step is done: others need not wait
  /// until it has computed its results.
  template <class Lane, class Array>
  RIDGE_DEVICE void arrive(Lane& lane, const Place& p, Array& planes) const {
    if constexpr (by_tiles) {
      lane.warp_barrier();
      if (p.shares.first_of_warp()) lane.phase_arrive(phase_of(lane, planes, 0), steps_phase);
    }
  }

  static constexpr int steps_phase = 1; ///< beside the first slot's: that of a step
  /// Of the plane in a slot.
  template <class Lane, class Array>
  static RIDGE_DEVICE PhaseBarrier* phase_of(const Lane& lane, Array& planes, int slot) {
    return reinterpret_cast<PhaseBarrier*>(planes + slot + (slot_rows - 1) * row_elements(lane));
  }

  // Bytes of shared memory before what lies behind planes.
  template <class Lane>
  static RIDGE_DEVICE constexpr int edges_at(const Lane& lane) {
    return plane_rows * row_elements(lane) * static_cast<int>(sizeof(T));
  }
  template <class Lane>
  static RIDGE_DEVICE constexpr int older_at(const Lane& lane) {
    return (plane_rows + edge_rows) * row_elements(lane) * static_cast<int>(sizeof(T));
  }
  template <class Lane>
  static RIDGE_DEVICE constexpr int job_at(const Lane& lane) {
    return (plane_rows + edge_rows + older_rows) * row_elements(lane) * static_cast<int>(sizeof(T));
  }

  /// Begins to copy the next plane of a field to an array, the first row of the first warp to
  /// `at`.
  template <Mask M, class Lane, class Array>
  RIDGE_DEVICE void copy_plane(Lane& lane, const Place& p, const Source& source, Array& to,
                               int at) const {
    const int row = row_elements(lane);
    if constexpr (P.moving && M == Mask::all) {
      copy_around(lane, p, source, to, at);
    } else {
      for_each_row<rows>([&](auto j) {
        if (M == Mask::none || p.shares.fetched(j))
          copy_kept<vector>(lane, to, at + p.own + j * row, source.from, j * row_of_field());
      });
    }
  }

  RIDGE_DEVICE void advance(Source& source) const {
    source.from = moved(source.from, plane_of_field());
    if constexpr (P.moving) {
      const int nz = static_cast<int>(in.extents.z);
      if (++source.plane == nz - radius && faces.periodic[2]) {
        source.plane = radius;
        source.from = moved(source.from, (2 * radius - nz) * in.plane);
      }
    }
  }

  /// The same of a tile that may lie beyond periodic faces.
  template <class Lane, class Array>
  RIDGE_DEVICE void copy_around(Lane& lane, const Place& p, const Source& source, Array& to,
                                int at) const {
    const int row = row_elements(lane);
    const int nx = static_cast<int>(in.extents.x);
    const int ny = static_cast<int>(in.extents.y);
    const bool whole = !faces.periodic[0] || (p.x >= radius && p.x + vector <= nx - radius);
    RIDGE_NO_UNROLL
    for (int j = 0; j < rows; ++j) {
      if (!p.shares.fetched(j)) continue;
      const int y = p.y + j;
      const int beyond = faces.periodic[1] ? faces.wrapped(y, ny) - y : 0;
      const Span<const T> from = moved(source.from, (j + beyond) * in.row);
      const int to_row = at + p.own + j * row;
      if (whole) {
        copy_kept<vector>(lane, to, to_row, from, 0);
        continue;
      }
      RIDGE_NO_UNROLL
      for (int i = 0; i < vector; ++i) {
        const int beside = faces.wrapped(p.x + i, nx) - p.x;
        lane.template copy_async<1>(to, to_row + i, moved(from, beside), 0);
      }
    }
  }

  /// Which of the planes held is the one `age` steps older than the newest.
  template <int Phase>
  static constexpr int place_of_age(int age) {
    return (Phase + turn - age) % turn;
  }

  /// `at` in a ring of `size`, for 0 <= at < 2 size.
  static RIDGE_DEVICE int in_ring(int size, int at) {
    const auto over = static_cast<unsigned>(at - size);
    const auto here = static_cast<unsigned>(at);
    return static_cast<int>(over < here ? over : here);
  }

  /// All sweeps, one plane each: sweep l that of z = k - l r.
  template <int Phase, Mask M, class Lane>
  RIDGE_DEVICE void step(Lane& lane, Place& p, Held& held, int k) const {
    const int row = row_elements(lane);
    const int slot = slot_elements(lane);
    const int all = ring * slot;
    constexpr int newest = Phase;
    constexpr int centre = place_of_age<Phase>(radius);
    constexpr int oldest = place_of_age<Phase>(2 * radius);
    auto planes = lane.template shared<T>(0, plane_rows * row);
    auto edges = lane.template shared<T>(edges_at(lane), edge_rows * row);
    p.shares.forget();
    p.own = forgotten(p.own);
    p.edge = forgotten(p.edge);
    p.inside = forgotten(p.inside);
    p.parts = forgotten(p.parts);
    fetch<M>(lane, p, k + ahead, ahead);
    if constexpr (by_tiles) {
      lane.phase_wait(phase_of(lane, planes, p.turns.slot), 0, p.turns.parity);
    } else {
      lane.template copy_wait<ahead>();
    }

    for_each_row<rows>([&](auto j) {
      held.plane[newest][0][j] =
          load_shared_values<vector>(lane, planes, p.turns.slot + p.own + j * row);
    });
    unrolled<from_ring>([&](auto i) {
      constexpr int age = 2 * radius - i;
      const int older_slot = in_ring(all, p.turns.slot + (ring - age) * slot);
      for_each_row<rows>([&](auto j) {
        held.plane[place_of_age<Phase>(age)][0][j] =
            load_shared_values<vector>(lane, planes, older_slot + p.own + j * row);
      });
    });
    [[maybe_unused]] Value first_before[rows]; // the level before of the first sweep
    if constexpr (levels > 1) {
      auto older_planes = lane.template shared<T>(older_at(lane), older_rows * row);
      const int older_at_row = p.turns.older + p.own - radius * row;
      for_each_row<rows>([&](auto j) {
        first_before[j] = load_shared_values<vector>(lane, older_planes, older_at_row + j * row);
      });
      const int older_size = older_elements(lane);
      p.turns.older = in_ring(older_ring * older_size, p.turns.older + older_size);
    }
    Value results[rows];
    unrolled<sweeps>([&](auto level) {
      constexpr int owned = level == 0 ? rows : handed;
      const int level_at = level == 0 ? 0 : (level - 1) * level_rows * row;
      Value before[radius], behind[radius]; // rows of other warps, the nearest first
      const int at = level == 0 ? in_ring(all, p.turns.slot + (ring - radius) * slot) + p.own
                                : half_rows * row - p.turns.half + level_at + p.edge;
      auto& beside = level == 0 ? planes : edges;
      unrolled<radius>([&](auto m) {
        before[m] = load_shared_values<vector>(lane, beside, at - (m + 1) * row);
        behind[m] = load_shared_values<vector>(lane, beside, at + (owned + m) * row);
      });
      if constexpr (level + 1 == sweeps) arrive(lane, p, planes);
      // Planes by their distance from the one that is computed, rows from the lane's first.
      const auto plane = [&](int dz, int j) -> const Value& {
        return held.plane[(Phase + turn - radius + dz) % turn][level][j];
      };
      const auto row_at = [&](int j) -> const Value& {
        return j < 0 ? before[-1 - j] : j < rows ? plane(0, j) : behind[j - rows];
      };
      if constexpr (P.moving && M == Mask::all) {
        reflect_planes<Phase, level>(held, k - level * radius);
        if (p.beside_y) {
          faces.template reflect<rows>(1, p.y, [&](auto j) -> Value& {
            if constexpr (j < 0) {
              return before[-1 - j];
            } else if constexpr (j < rows) {
              return held.plane[centre][level][j];
            } else {
              return behind[j - rows];
            }
          });
        }
      }
      [[maybe_unused]] const int z = k - (level + 1) * radius;
      [[maybe_unused]] const unsigned inside =
          periodic_in(2) || (z >= r.z && z < in.extents.z - r.z) ? p.inside : 0;
      for_each_row<rows>([&](auto j) {
        auto values = RowValues<T, vector, radius>::around(lane, plane(0, j));
        if constexpr (P.moving && M == Mask::all) {
          if (p.beside_x)
            faces.template reflect<vector>(0, p.x, [&](auto i) -> T& { return values[i]; });
        }
        const auto u = [&](int dx, int dy = 0, int dz = 0) {
          check_declared<footprint>(lane, dx, dy, dz);
          if (dx != 0) return Value::make([&](int i) { return values[i + dx]; });
          if (dy != 0) return row_at(j + dy);
          return plane(dz, j);
        };
        Value next;
        if constexpr (levels > 1) {
          const auto before_here = [&](int dx, int dy = 0, int dz = 0) {
            check_declared<point()>(lane, dx, dy, dz);
            // What the sweep before reads for the last time.
            if constexpr (level == 0) {
              return first_before[j];
            } else {
              return held.plane[oldest][level - 1][j];
            }
          };
          next = as_if_loaded(Value(kernel(u, before_here)));
        } else {
          next = as_if_loaded(Value(kernel(u)));
        }
        if constexpr (M != Mask::none) {
          Value kept = plane(0, j);
          unrolled<vector>([&](auto i) {
            constexpr int place = number<decltype(i)>;
            if constexpr (M == Mask::along_x) {
              kept.lane[place] =
                  chosen<by_mask>(constant<Shares::inside_x_bit + place>, p.shares.bits(),
                                  next.lane[place], kept.lane[place]);
            } else {
              kept.lane[place] = chosen<by_mask>(bit_of<vector, place>(j), inside, next.lane[place],
                                                 kept.lane[place]);
            }
          });
          next = kept;
        }
        if constexpr (level + 1 < sweeps) {
          held.plane[newest][level + 1][j] = next;
        } else {
          results[j] = next;
        }
      });
      if constexpr (level + 1 < sweeps) {
        // What the next sweep reads of other warps in the next step.
        const int to = p.turns.half + level * level_rows * row + p.edge;
        const auto& handed_on = held.plane[place_of_age<Phase>(radius - 1)][level + 1];
        if constexpr (handed == rows) {
          for_each_row<rows>(
              [&](auto j) { store_shared_pack(lane, edges, to + j * row, handed_on[j]); });
        } else {
          store_shared_pack(lane, edges, to, handed_on[0]);
          store_shared_pack(lane, edges, to + row, handed_on[rows - 1]);
        }
      }
    });
    const bool result =
        (M != Mask::all && !by_tiles) || (k - halo >= p.z_begin && k - halo < p.z_end);
    store<M>(lane, p, p.to, results, result);
    p.to = moved(p.to, plane_of_field());
    if constexpr (levels > 1) {
      store<M>(lane, p, p.older_to, held.plane[centre][sweeps - 1], result);
      p.older_to = moved(p.older_to, plane_of_field());
    }
    p.turns.slot = in_ring(all, p.turns.slot + slot);
    if constexpr (by_tiles) p.turns.parity ^= p.turns.slot == 0 ? 1 : 0;
    if constexpr (by_tiles) {
      lane.phase_wait(phase_of(lane, planes, 0), steps_phase, p.turns.half == 0 ? 0 : 1);
    } else {
      lane.barrier();
    }
    p.turns.half = half_rows * row - p.turns.half;
  }

  /// Gives the planes beyond faces their values as soon as what they are images of is there.
  /// `newest` is the plane that came last.
  template <int Phase, int Level>
  RIDGE_DEVICE void reflect_planes(Held& held, int newest) const {
    auto& fresh = held.plane[Phase][Level];
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
      for_each_row<rows>([&](auto j) {
        if (newest == low.at + beyond && low.behind == 0)
          plane(point, j) = low.image(beyond, fresh[j], fresh[j], plane(here, j));
        if (newest == low.at + beyond - 1 && low.behind != 0)
          plane(half, j) = low.image(beyond, fresh[j], fresh[j], fresh[j]);
        if (newest == high.at + beyond)
          fresh[j] = high.image(beyond, plane(point, j), plane(half, j), plane(here, j));
      });
    });
  }

  /// Writes the results of a plane, if they are some. Packs are whole but at ends of rows.
  template <Mask M, class Lane>
  RIDGE_DEVICE void store(Lane& lane, const Place& p, const Span<T>& to,
                          const Value (&results)[rows], bool some) const {
    for_each_row<rows>([&](auto j) {
      if (some && p.shares.whole(j)) put<P.store>(lane, to, j * row_of_field(), results[j]);
    });
    if constexpr (M != Mask::none) {
      const unsigned parts = some ? p.parts : 0;
      for_each_row<rows>([&](auto j) {
        unrolled<vector>([&](auto i) {
          constexpr int place = number<decltype(i)>;
          put_chosen<P.store>(lane, bit_of<vector, place>(j), parts, to, j * row_of_field() + place,
                              results[j].lane[place]);
        });
      });
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
