#include <ridge/device/simt/shadow.hpp>

namespace ridge::simt {

namespace {

constexpr int word_bytes = 4;
/// Far from the 40 bits that a stamp has: a launch cannot reach the end from here.
constexpr AccessRecord old_clock = AccessRecord{1} << 39;

constexpr AccessRecord stamp(AccessRecord record) {
  return record >> access::stamp_shift;
}

} // namespace

void Shadow::prepare(int bytes, int warp_shift) {
  warp_shift_ = warp_shift;
  if (marked_ || clock_ > old_clock) {
    cells_.clear();
    byte_cells_.clear();
    clock_ = 0;
    marked_ = false;
  }
  const auto words = static_cast<std::size_t>((bytes + word_bytes - 1) / word_bytes);
  if (cells_.size() < words) cells_.resize(words);
}

bool Shadow::same_warp(AccessRecord a, AccessRecord b) const {
  return access::rank(a) >> warp_shift_ == access::rank(b) >> warp_shift_;
}

/// A lane of `record` whose access nothing orders before those of `me`, or -1.
int Shadow::stranger(AccessRecord record, AccessRecord me) const {
  if (record < start_) return -1;
  const int rank = access::rank(record);
  const bool several = (record & access::several) != 0;
  if ((record & access::several_warps) == 0) {
    if (same_warp(record, me) && stamp(record) < stamp(me)) return -1;
    if (!several) return rank == access::rank(me) ? -1 : rank;
  }
  return rank == access::rank(me) ? access::other(record) : rank;
}

/// `record` with an access of `me` added. Those that are ordered before it for lanes of its own
/// warp need not be kept: to lanes of other warps they are no more unordered than that of `me`.
AccessRecord Shadow::joined(AccessRecord record, AccessRecord me) const {
  if (record < start_) return me;
  const int rank = access::rank(record);
  AccessRecord flags = access::several | (record & access::several_warps);
  if (!same_warp(record, me)) {
    flags |= access::several_warps;
  } else if ((flags & access::several_warps) == 0) {
    if (stamp(record) < stamp(me)) return me;
    if (rank == access::rank(me)) return record;
  }
  const int other = rank == access::rank(me) ? access::other(record) : rank;
  return me | (static_cast<AccessRecord>(other) << access::other_shift) | flags;
}

Finding Shadow::touch_atomically(ShadowCell& cell, AccessRecord me) const {
  if (const int reader = stranger(cell.read, me); reader >= 0)
    return {Verdict::race, reader, false};
  if (cell.write < start_) {
    cell.write = me | access::atomic;
    return {};
  }
  if ((cell.write & access::atomic) == 0) {
    if (const int writer = stranger(cell.write, me); writer >= 0)
      return {Verdict::race, writer, true};
    // The lane's own plain write still races with atomics of others: keep it until a warp barrier.
    if (stamp(cell.write) < stamp(me)) cell.write = me | access::atomic | access::after_plain;
    return {};
  }
  const AccessRecord after_plain = cell.write & access::after_plain;
  if (after_plain != 0 && !same_warp(cell.write, me))
    return {Verdict::race, access::rank(cell.write), true};
  cell.write = joined(cell.write, me) | access::atomic | after_plain;
  return {};
}

Finding Shadow::touch_cell(ShadowCell& cell, AccessRecord me, AccessKind kind) const {
  if (kind == AccessKind::copy_arrival) {
    cell.write = me;
    return {};
  }
  if (cell.write >= access::in_flight) return {Verdict::in_flight, access::rank(cell.write), true};
  const bool reads = kind == AccessKind::read || kind == AccessKind::atomic;
  if (reads && cell.write < begin_) return {Verdict::uninitialised, 0, false};
  if (kind == AccessKind::atomic) return touch_atomically(cell, me);
  if (const int writer = stranger(cell.write, me); writer >= 0)
    return {Verdict::race, writer, true};
  if (kind == AccessKind::read) {
    cell.read = joined(cell.read, me);
    return {};
  }
  if (const int reader = stranger(cell.read, me); reader >= 0)
    return {Verdict::race, reader, false};
  cell.write = kind == AccessKind::write
                   ? me
                   : access::in_flight | (me & (access::rank_mask << access::rank_shift));
  return {};
}

Finding Shadow::touch(int offset, int bytes, AccessRecord me, AccessKind kind, int flight) {
  const auto look = [&](ShadowCell& cell) {
    return order_ == nullptr ? touch_cell(cell, me, kind) : touch_in_phases(cell, me, kind, flight);
  };
  if (kind == AccessKind::copy_issue) marked_ = true;
  const int end = offset + bytes;
  while (offset < end) {
    const int word = offset / word_bytes;
    const int word_end = (word + 1) * word_bytes;
    ShadowCell& cell = cells_[static_cast<std::size_t>(word)];
    const bool whole = offset % word_bytes == 0 && end >= word_end;
    if (whole && cell.write != access::split) {
      if (const Finding f = look(cell); f.verdict != Verdict::fine) return f;
      offset = word_end;
      continue;
    }
    // A part of a word: lanes may own its bytes separately, so from now on each has its own cell.
    if (byte_cells_.size() < cells_.size() * word_bytes)
      byte_cells_.resize(cells_.size() * word_bytes);
    if (cell.write != access::split) {
      for (int b = 0; b < word_bytes; ++b)
        byte_cells_[static_cast<std::size_t>(word) * word_bytes + static_cast<std::size_t>(b)] =
            cell;
      cell.write = access::split;
      marked_ = true;
    }
    for (; offset < end && offset < word_end; ++offset) {
      ShadowCell& byte = byte_cells_[static_cast<std::size_t>(offset)];
      if (const Finding f = look(byte); f.verdict != Verdict::fine) return f;
    }
  }
  return {};
}

} // namespace ridge::simt
