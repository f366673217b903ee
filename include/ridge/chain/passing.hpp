// How the operations of a group pass values to each other on a GPU where a lane computes one item
// at a time and keeps it: from lane to lane of a warp along x, from row to row of a lane that
// marches, or from lane to lane of a block.
#pragma once

#include <ridge/chain/operation.hpp>

#include <algorithm>

namespace ridge::chain {

enum class Passing {
  memory, ///< through a tile's memory
  lanes,  ///< operations read of each other along x: lanes of a warp exchange values
  march,  ///< along the last dimension: lanes march along it and keep what they read and computed
  block,  ///< so far along one of these that too much would be computed twice: lanes of a block
};

/// The operations First to Last of a chain, what they read of each other, and what follows from it.
template <class C, int First, int Last>
struct Flow {
  static constexpr int operations = Last - First + 1;
  static constexpr int march = static_cast<int>(C::dimensions.size()) - 1;
  static constexpr int most_overlap = 8; ///< of the 32 lanes of the smallest warp
  /// Rows that a marching lane computes for itself alone before its own: more would cost short
  /// marches too much.
  static constexpr int most_run_up = 6;
  static constexpr int most_block_overlap = 32; ///< of the lanes of a block along a dimension
  static constexpr int most_rows = 5;           ///< of an array that a marching lane keeps

  struct Use {
    bool reads = false, writes = false;
    Reach reach;
  };
  struct Uses {
    Use of[operations][arrays_of<C>];
    Domain domain[operations];
  };
  static constexpr Uses uses = []<int... K>(std::integer_sequence<int, K...>) {
    Uses all{};
    const auto fill = [&]<int N>(std::integral_constant<int, N>) {
      using Op = Operation<C, First + N>;
      all.domain[N] = domain_of<Op>();
      for (int a = 0; a < arrays_of<C>; ++a)
        all.of[N][a] = {chain::reads<Op>(a), chain::writes<Op>(a), reach_of<Op>(a)};
    };
    (fill(std::integral_constant<int, K>{}), ...);
    return all;
  }
  (std::make_integer_sequence<int, operations>{});

  /// The operation, counted from First, that writes an array; -1: none.
  static constexpr int writer_of(int array) {
    for (int k = 0; k < operations; ++k) {
      if (uses.of[k][array].writes) return k;
    }
    return -1;
  }
  /// Whether an operation reads an array that one before it writes.
  static constexpr bool passes(int k, int array) {
    const int writer = writer_of(array);
    return uses.of[k][array].reads && writer >= 0 && writer < k;
  }
  /// Whether any operation reads the array of one before it.
  static constexpr bool kept(int array) {
    for (int k = 0; k < operations; ++k) {
      if (passes(k, array)) return true;
    }
    return false;
  }

  struct Ahead {
    int low[operations] = {}, high[operations] = {};
  };
  /// How many items each operation computes before and behind those that the last one does.
  static constexpr Ahead ahead_along(int dimension) {
    Ahead ahead;
    for (int k = operations - 2; k >= 0; --k) {
      for (int j = k + 1; j < operations; ++j) {
        for (int a = 0; a < arrays_of<C>; ++a) {
          if (writer_of(a) != k || !passes(j, a)) continue;
          const Reach& r = uses.of[j][a].reach;
          ahead.low[k] = std::max(ahead.low[k], ahead.low[j] - r.low.along(dimension));
          ahead.high[k] = std::max(ahead.high[k], ahead.high[j] + r.high.along(dimension));
        }
      }
    }
    return ahead;
  }

private:
  /// All arrays have one writer at most, and whoever reads them comes after it; where reads go
  /// beyond an end of the dimension, all of the array has been written.
  static constexpr bool in_order(int dimension) {
    const bool clamps = dimension_of<C>(dimension).edge == Edge::clamp;
    for (int a = 0; a < arrays_of<C>; ++a) {
      const int writer = writer_of(a);
      for (int k = 0; writer >= 0 && k < operations; ++k) {
        if (uses.of[k][a].writes && k != writer) return false;
        if (uses.of[k][a].reads && k <= writer) return false;
      }
      if (writer < 0 || !kept(a)) continue;
      const Domain& d = uses.domain[writer];
      const Array& array = C::arrays[static_cast<std::size_t>(a)];
      if (clamps &&
          (d.begin.along(dimension) != 0 || d.end.along(dimension) != array.extra.along(dimension)))
        return false;
    }
    return true;
  }
  /// The halo that the dimension declares lets lanes compute what others do too.
  static constexpr bool within_halo(int dimension) {
    const Dimension& along = dimension_of<C>(dimension);
    const Ahead ahead = ahead_along(dimension);
    for (int k = 0; k < operations; ++k) {
      if (!along.independent || std::max(ahead.low[k], ahead.high[k]) > along.halo) return false;
    }
    return true;
  }
  /// Operations read of each other, and differ in their domains, along one dimension alone.
  static constexpr bool only_along(int dimension) {
    for (int k = 0; k < operations; ++k) {
      for (int d = 0; d < 3; ++d) {
        if (d == dimension) continue;
        if (uses.domain[k].begin.along(d) != uses.domain[0].begin.along(d) ||
            uses.domain[k].end.along(d) != uses.domain[0].end.along(d))
          return false;
        for (int a = 0; a < arrays_of<C>; ++a) {
          const Reach& r = uses.of[k][a].reach;
          if (passes(k, a) && (r.low.along(d) != 0 || r.high.along(d) != 0)) return false;
        }
      }
    }
    return true;
  }

  /// Whether what an operation reads of others along a dimension is read along it again.
  static constexpr bool chained(int dimension) {
    const auto across = [&](int k, int a) {
      const Reach& r = uses.of[k][a].reach;
      return passes(k, a) && (r.low.along(dimension) != 0 || r.high.along(dimension) != 0);
    };
    for (int k = 0; k < operations; ++k) {
      for (int a = 0; a < arrays_of<C>; ++a) {
        if (!across(k, a)) continue;
        for (int b = 0; b < arrays_of<C>; ++b) {
          if (across(writer_of(a), b)) return true;
        }
      }
    }
    return false;
  }

public:
  /// Items beyond the end of a dimension that some operations have and others do not.
  static constexpr int beyond(int dimension) {
    int most = 0;
    for (int k = 0; k < operations; ++k)
      most = std::max(most, uses.domain[k].end.along(dimension));
    return most;
  }
  /// Whether operations differ in where a periodic dimension ends, and pass values on across that:
  /// then what lies beyond its end is not what lies at its begin.
  static constexpr bool has_seam(int dimension) {
    bool differ = false;
    for (int k = 0; k < operations; ++k)
      differ = differ || uses.domain[k].begin.along(dimension) != 0 ||
               uses.domain[k].end.along(dimension) != 0;
    return differ && dimension_of<C>(dimension).edge == Edge::periodic && chained(dimension);
  }

private:
  /// Lanes of a block know of a seam where operations have all items, and some a few more.
  static constexpr bool seam_for_block(int dimension) {
    bool known = true;
    for (int k = 0; k < operations; ++k)
      known = known && uses.domain[k].begin.along(dimension) == 0 &&
              uses.domain[k].end.along(dimension) >= 0;
    return known || !has_seam(dimension);
  }
  static constexpr bool for_block(int dimension) {
    return only_along(dimension) && in_order(dimension) && within_halo(dimension) &&
           overlap(dimension) <= most_block_overlap && seam_for_block(dimension);
  }

public:
  /// Lanes at the begin and the end of a warp, or of a block along a dimension, that compute for
  /// others alone, or what lies beyond the range.
  static constexpr int overlap_low(int dimension = 0) {
    int most = 0;
    for (int k = 0; k < operations; ++k) {
      const int outside = -uses.domain[k].begin.along(dimension);
      most = std::max({most, ahead_along(dimension).low[k], outside});
    }
    return most + (has_seam(dimension) ? beyond(dimension) : 0);
  }
  static constexpr int overlap_high(int dimension = 0) {
    int most = 0;
    for (int k = 0; k < operations; ++k) {
      const int outside = uses.domain[k].end.along(dimension);
      most = std::max({most, ahead_along(dimension).high[k], outside});
    }
    return most + (has_seam(dimension) ? beyond(dimension) : 0);
  }
  static constexpr int overlap(int dimension) {
    return overlap_low(dimension) + overlap_high(dimension);
  }

  /// How far operations read along x.
  static constexpr int reach_low_x() {
    int least = 0;
    for (int k = 0; k < operations; ++k) {
      for (int a = 0; a < arrays_of<C>; ++a)
        least = std::min(least, uses.of[k][a].reach.low.x);
    }
    return least;
  }
  static constexpr int reach_high_x() {
    int most = 0;
    for (int k = 0; k < operations; ++k) {
      for (int a = 0; a < arrays_of<C>; ++a)
        most = std::max(most, uses.of[k][a].reach.high.x);
    }
    return most;
  }

  /// How many rows before its own a marching lane begins.
  static constexpr int run_up() {
    const Ahead along = ahead_along(march);
    int most = 0;
    for (int k = 0; k < operations; ++k) {
      const int outside = -uses.domain[k].begin.along(march);
      most = std::max(most, along.high[k] + std::max(along.low[k], outside));
    }
    return most;
  }

  static constexpr Passing passing = [] {
    if (operations < 2) return Passing::memory;
    if (march > 0 && only_along(march) && in_order(march) && within_halo(march) &&
        !has_seam(march) && run_up() <= most_run_up)
      return Passing::march;
    if (only_along(0) && in_order(0) && within_halo(0) && overlap(0) <= most_overlap &&
        !has_seam(0))
      return Passing::lanes;
    if (for_block(march) || for_block(0)) return Passing::block;
    return Passing::memory;
  }();
  /// The dimension that values are passed along.
  static constexpr int along = passing == Passing::lanes                        ? 0
                               : passing == Passing::block && !for_block(march) ? 0
                                                                                : march;

private:
  /// Whether an operation reads other items of an array than its own from one before it, or may
  /// where that lies beyond an end.
  static constexpr bool read_across(int array) {
    for (int k = 0; k < operations; ++k) {
      if (passes(k, array) && (!(uses.of[k][array].reach == Reach{}) ||
                               !(uses.domain[k] == uses.domain[writer_of(array)])))
        return true;
    }
    return false;
  }

public:
  // Of lanes of a block:

  /// Where a block keeps, lane by lane, what operations read of other lanes; -1: nowhere. A place
  /// serves several arrays, one after the other: there is a barrier behind each operation.
  struct SharedPlaces {
    int of[arrays_of<C>] = {};
    int count = 0;
  };
  static constexpr SharedPlaces shared_places = [] {
    SharedPlaces places;
    int free_after[arrays_of<C>] = {};
    for (int& place : places.of)
      place = -1;
    for (int k = 0; k < operations; ++k) {
      for (int a = 0; a < arrays_of<C>; ++a) {
        if (writer_of(a) != k || !read_across(a)) continue;
        int place = 0;
        while (place < places.count && free_after[place] >= k)
          ++place;
        if (place == places.count) ++places.count;
        places.of[a] = place;
        for (int j = k; j < operations; ++j) {
          if (passes(j, a)) free_after[place] = j;
        }
      }
    }
    return places;
  }();

  // Of marching lanes:

  static constexpr Ahead ahead = ahead_along(march);
  /// The rows of an array that a lane keeps: from `top` rows beyond the one that the last operation
  /// computes, `count` downwards; count 0: none.
  struct Rows {
    int top = 0, count = 0;
  };
  static constexpr Rows rows_of(int array) {
    const int writer = writer_of(array);
    if (writer >= 0) {
      int oldest = ahead.high[writer];
      for (int k = 0; k < operations; ++k) {
        if (passes(k, array))
          oldest = std::min(oldest, ahead.high[k] + uses.of[k][array].reach.low.along(march));
      }
      return {ahead.high[writer], kept(array) ? 1 + ahead.high[writer] - oldest : 0};
    }
    if (C::arrays[static_cast<std::size_t>(array)].profile) return {};
    Rows rows;
    for (int k = 0; k < operations; ++k) {
      if (!uses.of[k][array].reads || !straight(k, array)) continue;
      const int high = ahead.high[k] + uses.of[k][array].reach.high.along(march);
      const int low = ahead.high[k] + uses.of[k][array].reach.low.along(march);
      const int top = rows.count == 0 ? high : std::max(high, rows.top);
      const int bottom = rows.count == 0 ? low : std::min(low, rows.top - rows.count + 1);
      if (top - bottom < most_rows) rows = {top, 1 + top - bottom};
    }
    return rows;
  }
  /// Whether all that an operation reads of an array is among the rows that the lane keeps.
  static constexpr bool reads_kept(int k, int array) {
    const Rows rows = rows_of(array);
    if (rows.count == 0 || !straight(k, array)) return false;
    const Reach& r = uses.of[k][array].reach;
    return ahead.high[k] + r.high.along(march) <= rows.top &&
           ahead.high[k] + r.low.along(march) > rows.top - rows.count;
  }
  /// The most rows of any array.
  static constexpr int most_kept() {
    int most = 1;
    for (int a = 0; a < arrays_of<C>; ++a)
      most = std::max(most, rows_of(a).count);
    return most;
  }

private:
  static constexpr bool straight(int k, int array) {
    const Reach& r = uses.of[k][array].reach;
    for (int d = 0; d < 3; ++d) {
      if (d != march && (r.low.along(d) != 0 || r.high.along(d) != 0)) return false;
    }
    return true;
  }
};

} // namespace ridge::chain
