// How the operations of a group pass values to each other on a GPU where a lane computes one item
// at a time and keeps it: from lane to lane of a warp along x, from row to row of a lane that
// marches, or from lane to lane of a block.
#pragma once

#include <ridge/chain/gpu/limits.hpp>
#include <ridge/chain/uses.hpp>

#include <algorithm>

namespace ridge::chain {

enum class Passing {
  memory,  ///< through a tile's memory
  lanes,   ///< operations read of each other along x: lanes of a warp exchange values
  march,   ///< along the last dimension: lanes march along it and keep what they read and computed
  block,   ///< so far along one of these that too much would be computed twice: lanes of a block
  columns, ///< operations scan: lanes have columns, and keep in shared memory what they pass on
};

/// The operations `first` to `last` of a table, what they read of each other, and what follows from
/// it. Operations are counted from `first`.
template <class U>
class Passed {
public:
  static constexpr int most_overlap = 8; ///< of the 32 lanes of the smallest warp
  /// Rows that a marching lane computes for itself alone before its own: more would cost short
  /// marches too much.
  static constexpr int most_run_up = 6;
  static constexpr int most_block_overlap = 32; ///< of the lanes of a block along a dimension

  constexpr Passed(const U& uses, OperationRange range)
      : uses_(uses), first_(range.first), operations_(range.last - range.first + 1),
        march_(uses.rank() - 1) {
    for (int a = 0; a < uses_.arrays(); ++a) {
      writers_[a] = -1;
      for (int k = operations_ - 1; k >= 0; --k)
        writers_[a] = use(k, a).writes ? k : writers_[a];
    }
    ahead_ = ahead_along(march_);
  }

  [[nodiscard]] constexpr int operations() const { return operations_; }
  [[nodiscard]] constexpr const Use& use(int k, int array) const {
    return uses_.use(first_ + k, array);
  }
  [[nodiscard]] constexpr const Domain& domain(int k) const { return uses_.domain(first_ + k); }

  /// The operation, counted from `first`, that writes an array; -1: none.
  [[nodiscard]] constexpr int writer_of(int array) const { return writers_[array]; }
  /// Whether an operation reads an array that one before it writes.
  [[nodiscard]] constexpr bool passes(int k, int array) const {
    const int writer = writer_of(array);
    return use(k, array).reads && writer >= 0 && writer < k;
  }
  /// Whether any operation reads the array of one before it.
  [[nodiscard]] constexpr bool kept(int array) const {
    for (int k = 0; k < operations_; ++k) {
      if (passes(k, array)) return true;
    }
    return false;
  }

  struct Ahead {
    int low[U::most_operations] = {}, high[U::most_operations] = {};
  };
  /// How many items each operation computes before and behind those that the last one does.
  [[nodiscard]] constexpr Ahead ahead_along(int dimension) const {
    Ahead ahead;
    for (int k = operations_ - 2; k >= 0; --k) {
      for (int j = k + 1; j < operations_; ++j) {
        for (int a = 0; a < uses_.arrays(); ++a) {
          if (writer_of(a) != k || !passes(j, a)) continue;
          const Reach& r = use(j, a).reach;
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
  [[nodiscard]] constexpr bool in_order(int dimension) const {
    const bool clamps = uses_.dimension(dimension).edge == Edge::clamp;
    for (int a = 0; a < uses_.arrays(); ++a) {
      const int writer = writer_of(a);
      for (int k = 0; writer >= 0 && k < operations_; ++k) {
        if (use(k, a).writes && k != writer) return false;
        if (use(k, a).reads && k <= writer) return false;
      }
      if (writer < 0 || !kept(a)) continue;
      const Domain& d = domain(writer);
      const Array& array = uses_.array(a);
      if (clamps &&
          (d.begin.along(dimension) != 0 || d.end.along(dimension) != array.extra.along(dimension)))
        return false;
    }
    return true;
  }
  /// The halo that the dimension declares lets lanes compute what others do too.
  [[nodiscard]] constexpr bool within_halo(int dimension) const {
    const Dimension& along = uses_.dimension(dimension);
    const Ahead ahead = ahead_along(dimension);
    for (int k = 0; k < operations_; ++k) {
      if (!along.independent || std::max(ahead.low[k], ahead.high[k]) > along.halo) return false;
    }
    return true;
  }
  /// Operations read of each other, and differ in their domains, along one dimension alone.
  [[nodiscard]] constexpr bool only_along(int dimension) const {
    for (int k = 0; k < operations_; ++k) {
      for (int d = 0; d < 3; ++d) {
        if (d == dimension) continue;
        if (domain(k).begin.along(d) != domain(0).begin.along(d) ||
            domain(k).end.along(d) != domain(0).end.along(d))
          return false;
        for (int a = 0; a < uses_.arrays(); ++a) {
          const Reach& r = use(k, a).reach;
          if (passes(k, a) && (r.low.along(d) != 0 || r.high.along(d) != 0)) return false;
        }
      }
    }
    return true;
  }

  /// Whether what an operation reads of others along a dimension is read along it again.
  [[nodiscard]] constexpr bool chained(int dimension) const {
    const auto across = [&](int k, int a) {
      const Reach& r = use(k, a).reach;
      return passes(k, a) && (r.low.along(dimension) != 0 || r.high.along(dimension) != 0);
    };
    for (int k = 0; k < operations_; ++k) {
      for (int a = 0; a < uses_.arrays(); ++a) {
        if (!across(k, a)) continue;
        for (int b = 0; b < uses_.arrays(); ++b) {
          if (across(writer_of(a), b)) return true;
        }
      }
    }
    return false;
  }

public:
  /// Items beyond the end of a dimension that some operations have and others do not.
  [[nodiscard]] constexpr int beyond(int dimension) const {
    int most = 0;
    for (int k = 0; k < operations_; ++k)
      most = std::max(most, domain(k).end.along(dimension));
    return most;
  }
  /// Whether operations differ in where a periodic dimension ends, and pass values on across that:
  /// then what lies beyond its end is not what lies at its begin.
  [[nodiscard]] constexpr bool has_seam(int dimension) const {
    bool differ = false;
    for (int k = 0; k < operations_; ++k)
      differ =
          differ || domain(k).begin.along(dimension) != 0 || domain(k).end.along(dimension) != 0;
    return differ && uses_.dimension(dimension).edge == Edge::periodic && chained(dimension);
  }

private:
  /// Lanes of a block know of a seam where operations have all items, and some a few more.
  [[nodiscard]] constexpr bool seam_for_block(int dimension) const {
    bool known = true;
    for (int k = 0; k < operations_; ++k)
      known = known && domain(k).begin.along(dimension) == 0 && domain(k).end.along(dimension) >= 0;
    return known || !has_seam(dimension);
  }
  [[nodiscard]] constexpr bool for_block(int dimension) const {
    return only_along(dimension) && in_order(dimension) && within_halo(dimension) &&
           overlap(dimension) <= most_block_overlap && seam_for_block(dimension);
  }

public:
  /// Lanes at the begin and the end of a warp, or of a block along a dimension, that compute for
  /// others alone, or what lies beyond the range.
  [[nodiscard]] constexpr int overlap_low(int dimension = 0) const {
    const Ahead ahead = ahead_along(dimension);
    int most = 0;
    for (int k = 0; k < operations_; ++k) {
      const int outside = -domain(k).begin.along(dimension);
      most = std::max(std::max(most, ahead.low[k]), outside);
    }
    return most + (has_seam(dimension) ? beyond(dimension) : 0);
  }
  [[nodiscard]] constexpr int overlap_high(int dimension = 0) const {
    const Ahead ahead = ahead_along(dimension);
    int most = 0;
    for (int k = 0; k < operations_; ++k) {
      const int outside = domain(k).end.along(dimension);
      most = std::max(std::max(most, ahead.high[k]), outside);
    }
    return most + (has_seam(dimension) ? beyond(dimension) : 0);
  }
  [[nodiscard]] constexpr int overlap(int dimension) const {
    return overlap_low(dimension) + overlap_high(dimension);
  }

  /// How far operations read along x.
  [[nodiscard]] constexpr int reach_low_x() const {
    int least = 0;
    for (int k = 0; k < operations_; ++k) {
      for (int a = 0; a < uses_.arrays(); ++a)
        least = std::min(least, use(k, a).reach.low.x);
    }
    return least;
  }
  [[nodiscard]] constexpr int reach_high_x() const {
    int most = 0;
    for (int k = 0; k < operations_; ++k) {
      for (int a = 0; a < uses_.arrays(); ++a)
        most = std::max(most, use(k, a).reach.high.x);
    }
    return most;
  }

  /// How many rows before its own a marching lane begins.
  [[nodiscard]] constexpr int run_up() const {
    int most = 0;
    for (int k = 0; k < operations_; ++k) {
      const int outside = -domain(k).begin.along(march_);
      most = std::max(most, ahead_.high[k] + std::max(ahead_.low[k], outside));
    }
    return most;
  }

  /// Whether any operation scans.
  [[nodiscard]] constexpr bool scans() const {
    bool any = false;
    for (int k = 0; k < operations_; ++k)
      any = any || uses_.scan(first_ + k) != Scan::none;
    return any;
  }

  [[nodiscard]] constexpr Passing passing() const {
    if (scans()) return march_ > 0 && only_along(march_) ? Passing::columns : Passing::memory;
    if (operations_ < 2) return Passing::memory;
    if (march_ > 0 && only_along(march_) && in_order(march_) && within_halo(march_) &&
        !has_seam(march_) && run_up() <= most_run_up)
      return Passing::march;
    if (only_along(0) && in_order(0) && within_halo(0) && overlap(0) <= most_overlap &&
        !has_seam(0))
      return Passing::lanes;
    if (for_block(march_) || for_block(0)) return Passing::block;
    return Passing::memory;
  }
  /// The dimension that values are passed along, which way they are.
  [[nodiscard]] constexpr int along(Passing passing) const {
    if (passing == Passing::lanes) return 0;
    return passing == Passing::block && !for_block(march_) ? 0 : march_;
  }

private:
  /// Whether an operation reads other items of an array than its own from one before it, or may
  /// where that lies beyond an end.
  [[nodiscard]] constexpr bool read_across(int array) const {
    for (int k = 0; k < operations_; ++k) {
      if (passes(k, array) &&
          (!(use(k, array).reach == Reach{}) || !(domain(k) == domain(writer_of(array)))))
        return true;
    }
    return false;
  }

public:
  // Functions of lanes of a block:

  /// In which array of its shared memory, of one value a lane, a block keeps what operations read
  /// of other lanes; -1: in none. Several arrays of the chain may have the same, one after the
  /// other: there is a barrier behind each operation.
  struct SharedArrays {
    int of[U::most_arrays] = {};
    int count = 0;
  };
  [[nodiscard]] constexpr SharedArrays shared_arrays() const {
    SharedArrays shared;
    int free_after[U::most_arrays] = {};
    for (int& number : shared.of)
      number = -1;
    for (int k = 0; k < operations_; ++k) {
      for (int a = 0; a < uses_.arrays(); ++a) {
        if (writer_of(a) != k || !read_across(a)) continue;
        int number = 0;
        while (number < shared.count && free_after[number] >= k)
          ++number;
        if (number == shared.count) ++shared.count;
        shared.of[a] = number;
        for (int j = k; j < operations_; ++j) {
          if (passes(j, a)) free_after[number] = j;
        }
      }
    }
    return shared;
  }

  // Functions of lanes that have columns:

  /// Where the run of operation k ends, counted from `first`.
  [[nodiscard]] constexpr int run_end(int k) const {
    const int end = joined_to(uses_, first_ + k) - first_;
    return std::min(end, operations_ - 1);
  }
  /// Whether a temporary of these operations alone goes from one of their runs to another.
  [[nodiscard]] constexpr bool kept_in_columns(int array) const {
    if (uses_.array(array).role != Role::temporary) return false;
    for (int k = 0; k < uses_.operations(); ++k) {
      const bool outside = k < first_ || k >= first_ + operations_;
      if (outside && (uses_.use(k, array).reads || uses_.use(k, array).writes)) return false;
    }
    for (int begin = 0; begin < operations_; begin = run_end(begin) + 1) {
      bool written = false;
      for (int k = begin; k <= run_end(begin); ++k)
        written = written || use(k, array).writes;
      for (int k = run_end(begin) + 1; written && k < operations_; ++k) {
        if (use(k, array).reads) return true;
      }
    }
    return false;
  }
  /// Before which of the arrays that columns keep an array lies: how many do.
  [[nodiscard]] constexpr int kept_before(int array) const {
    int count = 0;
    for (int a = 0; a < array; ++a)
      count += kept_in_columns(a) ? 1 : 0;
    return count;
  }
  /// Whether operations of the run that begins with operation k read an array, and the item alone.
  [[nodiscard]] constexpr bool read_alone(int begin, int array) const {
    bool any = false;
    for (int k = begin; k <= run_end(begin); ++k) {
      any = any || use(k, array).reads;
      if (use(k, array).reads && !(use(k, array).reach == Reach{})) return false;
    }
    return any;
  }
  /// Whether lanes may fetch an array ahead for such a run: its operations read the
  /// item alone, and none of the group writes it.
  [[nodiscard]] constexpr bool fetched(int begin, int array) const {
    return read_alone(begin, array) && writer_of(array) < 0;
  }
  /// Whether the operations of the run read a kept array of other runs, the item alone.
  [[nodiscard]] constexpr bool taken(int begin, int array) const {
    bool written = false;
    for (int k = begin; k <= run_end(begin); ++k)
      written = written || use(k, array).writes;
    return !written && kept_in_columns(array) && read_alone(begin, array);
  }
  /// How many arrays they fetch.
  [[nodiscard]] constexpr int fetched_count(int begin) const {
    int count = 0;
    for (int a = 0; a < uses_.arrays(); ++a)
      count += fetched(begin, a) ? 1 : 0;
    return count;
  }
  /// Elements of shared memory that a lane fetches into, where there are asynchronous copies: the
  /// most of any run. Lanes that keep nothing are many, and fetch into registers.
  [[nodiscard]] constexpr int ring_elements() const {
    int most = 0;
    for (int begin = 0; begin < operations_; begin = run_end(begin) + 1) {
      const int arrays = fetched_count(begin);
      most = std::max(most, column_stages(arrays) * column_stage * arrays);
    }
    return kept_before(uses_.arrays()) > 0 ? most : 0;
  }
  /// How many points more than the range has levels the longest of these arrays has.
  [[nodiscard]] constexpr int kept_extra() const {
    int most = 0;
    for (int a = 0; a < uses_.arrays(); ++a) {
      if (kept_in_columns(a)) most = std::max(most, uses_.array(a).extra.along(march_));
    }
    return most;
  }

  /// Values ahead along the last dimension.
  [[nodiscard]] constexpr const Ahead& ahead() const { return ahead_; }
  [[nodiscard]] constexpr int march() const { return march_; }
  [[nodiscard]] constexpr const U& uses() const { return uses_; }

private:
  const U& uses_;
  int first_, operations_, march_;
  int writers_[U::most_arrays] = {};
  Ahead ahead_;
};

} // namespace ridge::chain
