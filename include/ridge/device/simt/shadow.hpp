// The race detector of shared memory: who last touched each word, and since which barrier.
//
// Every word has a record of its writes and one of its reads. A record holds the stamp of the
// access: the number of the last barrier that the accessing lane had passed. Barriers of the block
// and of its warps are numbered by one clock, which never goes back, not even from block to block;
// so nothing has to be cleared when a block begins. An earlier access is ordered before one of a
// lane now exactly when it is the lane's own, or its stamp is before the last barrier of the block,
// or it is of the same warp and its stamp is before the last barrier of that warp.
//
// Of many unordered reads (or atomics) a record keeps two lanes and whether they span warps, which
// is enough to decide for every later access whether one of them conflicts with it.
//
// Phase barriers order more than that; a block that begins one is followed more closely, and more
// slowly (shadow_phases.cpp).
#pragma once

#include <ridge/core/config.hpp>

#include <cstdint>
#include <vector>

namespace ridge::simt {

class PhaseOrder;

/// Record of accesses: stamp (40 bits), lane (10), another lane (10), flags (4).
using AccessRecord = std::uint64_t;

namespace access {
inline constexpr int stamp_shift = 24, rank_shift = 14, other_shift = 4;
inline constexpr AccessRecord rank_mask = 1023;
inline constexpr AccessRecord several = 1;       ///< by at least two lanes
inline constexpr AccessRecord several_warps = 2; ///< by lanes of at least two warps
inline constexpr AccessRecord atomic = 4;        ///< by atomics only
/// After a plain write of the same warp that only a warp barrier orders before them.
inline constexpr AccessRecord after_plain = 8;
/// Above all stamps: the destination of an unfinished copy, or a word kept byte by byte.
inline constexpr AccessRecord in_flight = ~AccessRecord{0} << stamp_shift;
inline constexpr AccessRecord stamp_mask = in_flight;
inline constexpr AccessRecord split = in_flight | several;

[[nodiscard]] constexpr int rank(AccessRecord r) {
  return static_cast<int>((r >> rank_shift) & rank_mask);
}
[[nodiscard]] constexpr int other(AccessRecord r) {
  return static_cast<int>((r >> other_shift) & rank_mask);
}
/// Both lanes together hold a number where a mark needs one.
inline constexpr AccessRecord number_mask = (AccessRecord{1} << (stamp_shift - other_shift)) - 1;
} // namespace access

/// The last accesses of a word or byte.
struct ShadowCell {
  AccessRecord write = 0;
  AccessRecord read = 0;
};

enum class Verdict : std::uint8_t { fine, race, uninitialised, in_flight, bulk_in_flight };

/// The result of an access, and the lane it conflicts with.
struct Finding {
  Verdict verdict = Verdict::fine;
  int other = 0;
  bool other_wrote = false;
  int flight = -1; ///< of a bulk copy that has not arrived
};

enum class AccessKind : std::uint8_t { read, write, atomic, copy_issue, copy_arrival, bulk_issue };

class Shadow {
public:
  /// Room for `bytes` of shared memory of blocks of warps of `1 << warp_shift` lanes.
  void prepare(int bytes, int warp_shift);
  /// Nothing is written yet and nobody has touched anything.
  void begin_block() {
    if (order_ != nullptr) forget_phases();
    begin_ = start_ = ++clock_ << access::stamp_shift;
  }
  /// Orders all earlier accesses before all later ones.
  void pass_barrier() { start_ = ++clock_ << access::stamp_shift; }
  /// Returns the warp's new stamp, for `record`.
  [[nodiscard]] AccessRecord pass_warp_barrier() { return ++clock_ << access::stamp_shift; }

  /// From now to the end of the block phase barriers order accesses, too.
  void follow(const PhaseOrder& order);
  /// Returns the record of the accesses that a lane makes after it has arrived at a phase barrier.
  [[nodiscard]] AccessRecord pass_arrival(int rank) {
    return (++clock_ << access::stamp_shift) |
           (static_cast<AccessRecord>(rank) << access::rank_shift);
  }
  /// Whether an earlier access is ordered before those of `me`; where phase barriers are followed.
  [[nodiscard]] bool ordered(AccessRecord record, AccessRecord me) const;

  /// How accesses by the lane `rank` of a warp that has `warp_stamp` are written down.
  [[nodiscard]] AccessRecord record(AccessRecord warp_stamp, int rank) const {
    return (warp_stamp < start_ ? start_ : warp_stamp) |
           (static_cast<AccessRecord>(rank) << access::rank_shift);
  }

  /// Whether this block has written the word at least in part.
  [[nodiscard]] bool written(std::uint32_t word) const { return cells_[word].write >= begin_; }

  /// Notes a read of an aligned word by `me`; false when that takes a closer look.
  [[nodiscard]] RIDGE_FN bool quick_read(std::uint32_t word, AccessRecord me) {
    ShadowCell& cell = cells_[word];
    // Written by this block and before its last barrier, or by this lane.
    if (cell.write - begin_ >= start_ - begin_ && cell.write != me) return false;
    if (cell.read < start_) {
      cell.read = me;
      return true;
    }
    // Another reader adds nothing to several of its warp and stamp, nor to several warps.
    const AccessRecord of_my_warp = (cell.read ^ me) >> (access::rank_shift + warp_shift_);
    return cell.read == me || (cell.read & access::several_warps) != 0 ||
           (of_my_warp == 0 && (cell.read & access::several) != 0);
  }

  /// Notes a plain write of an aligned word by `me`; false when that takes a closer look.
  [[nodiscard]] RIDGE_FN bool quick_write(std::uint32_t word, AccessRecord me) {
    ShadowCell& cell = cells_[word];
    if ((cell.write >= start_ && cell.write != me) || (cell.read >= start_ && cell.read != me))
      return false;
    cell.write = me;
    return true;
  }

  /// The closer look: any bytes, any kind of access; `flight` is that of a bulk copy.
  [[nodiscard]] Finding touch(int offset, int bytes, AccessRecord me, AccessKind kind,
                              int flight = 0);

private:
  /// A read (or atomic) of a word or byte that has several.
  struct Reader {
    AccessRecord record = 0;
    std::uint32_t next = 0;
  };

  [[nodiscard]] Finding touch_cell(ShadowCell& cell, AccessRecord me, AccessKind kind) const;
  [[nodiscard]] Finding touch_atomically(ShadowCell& cell, AccessRecord me) const;
  [[nodiscard]] bool same_warp(AccessRecord a, AccessRecord b) const;
  [[nodiscard]] int stranger(AccessRecord record, AccessRecord me) const;
  [[nodiscard]] AccessRecord joined(AccessRecord record, AccessRecord me) const;

  void forget_phases();
  [[nodiscard]] Finding touch_in_phases(ShadowCell& cell, AccessRecord me, AccessKind kind,
                                        int flight);
  [[nodiscard]] Finding pass_readers(ShadowCell& cell, AccessRecord me, AccessKind kind);
  void add_reader(ShadowCell& cell, AccessRecord me);

  std::vector<ShadowCell> cells_;      ///< one a word
  std::vector<ShadowCell> byte_cells_; ///< four a word, used where the word's cell says split
  AccessRecord begin_ = 0;             ///< stamp at the block's begin
  AccessRecord start_ = 0;             ///< stamp at the block's last barrier
  AccessRecord clock_ = 0;
  int warp_shift_ = 5;
  bool marked_ = false; ///< cells may hold marks above all stamps
  const PhaseOrder* order_ = nullptr;
  std::vector<Reader> readers_;
  std::size_t free_reader_ = 0;
};

} // namespace ridge::simt
