// GPU executor "symmetric": every pair of bodies is computed once, for both.
//
// Bodies are cut into rows of `block * tile`. An item of work is row I against row J = I + p, for
// p = 0 to half the number of rows. A block keeps the bodies of I and their sums in registers;
// chunks of J lie in shared memory, each group of a warp's width twice in a row, so that at step k
// lane l reads entry l + k. The sums for J travel the other way, from lane to lane by shuffles, so
// that after a warp's width of steps each lane holds those of the body it began with. Sums for I,
// and what is to be subtracted for J, are kept apart and added to in turn: the same bits from run
// to run.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/pairs/gpu/bodies.hpp>
#include <ridge/pairs/gpu/turns.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// Who meets whom: rows, and for each the partners at distance 0 to `reach`.
struct Rows {
  static constexpr bool among_themselves = true;
  Index bodies = 0;
  int rows = 0;

  /// The number of bodies that rows meet: these.
  [[nodiscard]] RIDGE_FN Index partners() const { return bodies; }
  [[nodiscard]] RIDGE_FN int partner(int i, int p) const {
    return i + p < rows ? i + p : i + p - rows;
  }

  /// Most distance of a partner; at an even number of rows, only the first half of them meets those
  /// half way round.
  [[nodiscard]] RIDGE_FN int reach() const { return rows / 2; }
  [[nodiscard]] RIDGE_FN bool even() const { return rows % 2 == 0; }
  [[nodiscard]] RIDGE_FN int items() const {
    return rows + rows * ((rows - 1) / 2) + (even() ? rows / 2 : 0);
  }
  /// Turns in which row `i` adds to the sums it keeps as I.
  [[nodiscard]] RIDGE_FN int turns_as_i(int i) const {
    return even() && i >= rows / 2 ? reach() : reach() + 1;
  }
  /// Turns in which others add to the sums of row `j` as J.
  [[nodiscard]] RIDGE_FN int turns_as_j(int j) const {
    return even() && j < rows / 2 ? reach() - 1 : reach();
  }
  /// Which of these a meeting at distance `p` is; at 0 a row meets itself.
  [[nodiscard]] RIDGE_FN static int turn_as_j(int p) { return p - 1; }
};

/// Rows of some bodies and as many of others: row i meets those at distances `begin` to
/// `begin + turns - 1` above i, counted round. The last of either may be empty.
struct RowsBetween {
  static constexpr bool among_themselves = false;
  Index bodies = 0, others = 0;
  int rows = 0, begin = 0, turns = 0;

  [[nodiscard]] RIDGE_FN Index partners() const { return others; }
  [[nodiscard]] RIDGE_FN int partner(int i, int p) const { return (i + begin + p) % rows; }
  [[nodiscard]] RIDGE_FN int items() const { return rows * turns; }
  [[nodiscard]] RIDGE_FN int turns_as_i(int /*i*/) const { return turns; }
  [[nodiscard]] RIDGE_FN int turns_as_j(int /*j*/) const { return turns; }
  [[nodiscard]] RIDGE_FN static int turn_as_j(int p) { return p; }
};

/// Sums of bodies among themselves, or between two sets of them (R = RowsBetween).
template <class I, class P, SymmetricVariant S, class R = Rows>
struct Mutual {
  static constexpr int tile = S.tile;
  static constexpr int max_threads = most_threads(Stage::shared, tile);
  static constexpr int min_blocks = tile == 8 && sizeof(typename P::Computed) == 4 ? 4 : 0;
  static constexpr const char* name = "pairs symmetric";
  using Summed = typename P::Summed;
  using Computed = typename P::Computed;
  using V = Value<P>;
  using Sources = SharedBodies<P, I::sources>;
  using Sums = SharedBodies<P, I::sums>;
  using Partners = std::array<Span<const typename P::Stored>, I::sources>;
  struct None {};
  static constexpr int chunk = symmetric_chunk; ///< bodies of J in shared memory
  static constexpr int control_bytes = 16;

  Call<I, P> call;
  R rows;
  Span<unsigned> counters; ///< tickets; turns of each row as I; of each chunk of each row as J
  Span<Summed> others;     ///< what J is to lose: [component][body]
  std::conditional_t<R::among_themselves, None, Partners> others_bodies = {};

  [[nodiscard]] static int shared_bytes(int block, int warp_width) {
    return control_bytes + 2 * chunk * Sources::bytes + block / warp_width * chunk * Sums::bytes;
  }
  [[nodiscard]] static Index counters_needed(const R& rows, int block) {
    return 1 + Index{rows.rows} * (1 + block * tile / chunk);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int item = draw_ticket(lane, counters, 0, 0, rows.items());
    const int p = item / rows.rows;
    const int i = item % rows.rows;
    const int j = rows.partner(i, p);
    const int threads = lane.block_extent().x;
    const Index row = Index{threads} * tile;
    const Index count = rows.bodies;
    const Origin<I, P> origin(lane, call.sources, origin_of(i * row));

    Body<P, I::sources> mine[tile];
    Body<P, I::sums> sum[tile];
    const Index first = i * row + lane.rank();
    RIDGE_UNROLL
    for (int k = 0; k < tile; ++k) {
      const Index body = first + Index{k} * threads;
      mine[k] =
          load_body<P, I::sources>(lane, origin, call.sources, body < count ? body : count - 1);
      clear(sum[k]);
    }
    const bool whole = (i + 1) * row <= count && (j + 1) * row <= rows.partners();
    for (int c = 0; c < static_cast<int>(row) / chunk; ++c) {
      const Index begin = j * row + Index{c} * chunk;
      stage(lane, origin, begin);
      lane.barrier();
      if (R::among_themselves && p == 0) {
        with_itself(lane, mine, sum, first, begin);
        lane.barrier();
      } else {
        const int turn = rows.turn_as_j(p);
        if (whole) {
          with_others<true>(lane, mine, sum, first, begin);
        } else {
          with_others<false>(lane, mine, sum, first, begin);
        }
        const Index counter = 1 + rows.rows + Index{j} * (row / chunk) + c;
        wait_for_turn(lane, counters, counter, turn);
        add_others(lane, begin, turn == 0);
        end_turn(lane, counters, counter, turn, rows.turns_as_j(j));
      }
    }
    wait_for_turn(lane, counters, 1 + i, p);
    RIDGE_UNROLL
    for (int k = 0; k < tile; ++k) {
      const Index body = first + Index{k} * threads;
      if (body < count) {
        RIDGE_UNROLL
        for (int c = 0; c < I::sums; ++c) {
          const Summed before = p == 0 ? Summed{0} : lane.load_relaxed(call.sums[c], body);
          lane.store(call.sums[c], body, before + static_cast<Summed>(sum[k].at[c][0]));
        }
      }
    }
    end_turn(lane, counters, 1 + i, p, rows.turns_as_i(i));
  }

private:
  RIDGE_DEVICE Index origin_of(Index first) const {
    if constexpr (R::among_themselves) {
      return first;
    } else { // of an empty row, too
      return first < rows.bodies ? first : rows.bodies - 1;
    }
  }
  RIDGE_DEVICE const Partners& partners() const {
    if constexpr (R::among_themselves) {
      return call.sources;
    } else {
      return others_bodies;
    }
  }

  template <int N>
  static RIDGE_DEVICE void clear(Body<P, N>& body) {
    RIDGE_UNROLL
    for (int c = 0; c < N; ++c)
      body.at[c] = V(0);
  }

  template <class Lane>
  static RIDGE_DEVICE auto sources_of(Lane& lane) {
    return lane.template shared<Computed>(control_bytes, 2 * chunk * Sources::padded);
  }
  template <class Lane>
  static RIDGE_DEVICE auto sums_of(Lane& lane) {
    const int warps = lane.block_extent().x / lane.width();
    return lane.template shared<Computed>(control_bytes + 2 * chunk * Sources::bytes,
                                          warps * chunk * Sums::padded);
  }

  template <class Lane>
  RIDGE_DEVICE void stage(Lane& lane, const Origin<I, P>& origin, Index begin) const {
    const int width = lane.width();
    const auto shared = sources_of(lane);
    for (int s = lane.rank(); s < chunk; s += lane.block_extent().x) {
      const Index at = begin + s < rows.partners() ? begin + s : rows.partners() - 1;
      const auto body = load_body<P, I::sources>(lane, origin, partners(), at);
      const int slot = s / width * 2 * width + s % width;
      Sources::put(shared, slot, body);
      Sources::put(shared, slot + width, body);
    }
  }

  /// A row with itself: each body visits all, as in the direct form.
  template <class Lane>
  RIDGE_DEVICE void with_itself(Lane& lane, const Body<P, I::sources> (&mine)[tile],
                                Body<P, I::sums> (&sum)[tile], Index first, Index begin) const {
    const int width = lane.width();
    const auto shared = sources_of(lane);
    const Index threads = lane.block_extent().x;
    const int count = rows.bodies - begin < chunk ? static_cast<int>(rows.bodies - begin) : chunk;
    for (int s = 0; s < count; ++s) {
      const auto source = Sources::get(lane, shared, s / width * 2 * width + s % width);
      RIDGE_UNROLL
      for (int k = 0; k < tile; ++k) {
        if (call.skip_self && begin + s == first + k * threads) continue;
        call.interaction(mine[k].at, source.at, sum[k].at);
      }
    }
  }

  /// A chunk of another row, for both; what the chunk gets lies in shared memory then, for each
  /// warp.
  template <bool Whole, class Lane>
  RIDGE_DEVICE void with_others(Lane& lane, const Body<P, I::sources> (&mine)[tile],
                                Body<P, I::sums> (&sum)[tile], Index first, Index begin) const {
    const int width = lane.width();
    const auto shared = sources_of(lane);
    const auto given = sums_of(lane);
    const int me = lane.lane();
    const int warp = lane.rank() / width;
    const Index threads = lane.block_extent().x;
    const int next = (me + 1) % width;
    for (int group = 0; group < chunk; group += width) {
      Body<P, I::sums> other;
      clear(other);
      for (int step = 0; step < width; step += S.unroll) {
        RIDGE_UNROLL
        for (int u = 0; u < S.unroll; ++u) {
          const auto source = Sources::get(lane, shared, 2 * group + me + step + u);
          RIDGE_UNROLL
          for (int k = 0; k < tile; ++k) {
            if constexpr (!Whole) {
              const Index body = begin + group + (me + step + u) % width;
              if (body >= rows.partners() || first + k * threads >= rows.bodies) continue;
            }
            call.interaction.mutual(mine[k].at, source.at, sum[k].at, other.at);
          }
          other = shuffled(lane, other, next);
        }
      }
      Sums::put(given, warp * chunk + group + me, other);
    }
  }

  /// Adds what all warps have for a chunk of J.
  template <class Lane>
  RIDGE_DEVICE void add_others(Lane& lane, Index begin, bool first) const {
    const auto given = sums_of(lane);
    const int warps = lane.block_extent().x / lane.width();
    for (int s = lane.rank(); s < chunk && begin + s < rows.partners();
         s += lane.block_extent().x) {
      Summed total[I::sums];
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c) {
        total[c] = first ? Summed{0} : lane.load_relaxed(others, c * rows.partners() + begin + s);
      }
      for (int w = 0; w < warps; ++w) {
        const auto sum = Sums::get(lane, given, w * chunk + s);
        RIDGE_UNROLL
        for (int c = 0; c < I::sums; ++c)
          total[c] += static_cast<Summed>(sum.at[c][0]);
      }
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        lane.store(others, c * rows.partners() + begin + s, total[c]);
    }
  }
};

/// Takes what a body has as J from the sums it has as I.
template <class I, class P>
struct JoinSums {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "pairs symmetric, join";
  std::array<Span<typename P::Summed>, I::sums> sums;
  Span<const typename P::Summed> others;
  Rows rows;
  Index row; ///< bodies of a row

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = Index{lane.block().x} * lane.block_extent().x + lane.rank();
    if (i >= rows.bodies || rows.turns_as_j(static_cast<int>(i / row)) < 1) return;
    RIDGE_UNROLL
    for (int c = 0; c < I::sums; ++c) {
      const typename P::Summed sum = lane.load_relaxed(sums[c], i);
      lane.store(sums[c], i, sum - lane.load(others, c * rows.bodies + i));
    }
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
