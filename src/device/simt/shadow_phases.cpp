// The race detector where lanes also use phase barriers. These order accesses lane by lane, so a
// cell keeps every read (and atomic) that is not ordered before a later one: one in place, more in
// a list.
#include "phase_order.hpp"

#include <algorithm>

namespace ridge::simt {

namespace {

/// Marks above all stamps: of a cell's bulk copies, and of its list of reads.
constexpr AccessRecord mark(AccessRecord flags, std::size_t number) {
  return access::in_flight | (static_cast<AccessRecord>(number) << access::other_shift) | flags;
}
constexpr std::size_t number(AccessRecord mark) {
  return static_cast<std::size_t>((mark >> access::other_shift) & access::number_mask);
}
constexpr AccessRecord bulk = access::atomic;
constexpr AccessRecord flags_mask = (AccessRecord{1} << access::other_shift) - 1;

constexpr bool is_bulk(AccessRecord record) {
  return record >= access::in_flight && (record & flags_mask) == bulk;
}

/// Whether `record`, a read or an atomic, conflicts with an access of `kind` unless ordered.
bool conflict(AccessRecord record, AccessKind kind) {
  const bool atomic = (record & access::atomic) != 0;
  if (kind == AccessKind::read) return atomic;
  return kind != AccessKind::atomic || !atomic;
}

} // namespace

void Shadow::follow(const PhaseOrder& order) {
  order_ = &order;
  marked_ = true;
  readers_.assign(1, {}); // number 0 ends a list
  free_reader_ = 0;
}

/// Marks of another block mean nothing in this one.
void Shadow::forget_phases() {
  order_ = nullptr;
  std::fill(cells_.begin(), cells_.end(), ShadowCell{});
  std::fill(byte_cells_.begin(), byte_cells_.end(), ShadowCell{});
}

bool Shadow::ordered(AccessRecord record, AccessRecord me) const {
  return record < start_ || order_->before(record, access::rank(me));
}

/// Finds a reader that conflicts; forgets those whom `me` covers as of now.
Finding Shadow::pass_readers(ShadowCell& cell, AccessRecord me, AccessKind kind) {
  const bool keeps = kind == AccessKind::read || kind == AccessKind::atomic;
  const auto covered = [&](AccessRecord reader) {
    return reader < start_ || (ordered(reader, me) && !(keeps && conflict(reader, kind)));
  };
  if (cell.read < access::in_flight) {
    if (conflict(cell.read, kind) && !ordered(cell.read, me))
      return {Verdict::race, access::rank(cell.read), (cell.read & access::atomic) != 0};
    if (covered(cell.read)) cell.read = 0;
    return {};
  }
  std::size_t first = number(cell.read);
  for (std::size_t r = first; r != 0; r = readers_[r].next)
    if (const AccessRecord reader = readers_[r].record;
        conflict(reader, kind) && !ordered(reader, me))
      return {Verdict::race, access::rank(reader), (reader & access::atomic) != 0};
  std::size_t kept = 0;
  while (first != 0) {
    const std::size_t next = readers_[first].next;
    std::size_t& list = covered(readers_[first].record) ? free_reader_ : kept;
    readers_[first].next = static_cast<std::uint32_t>(list);
    list = first;
    first = next;
  }
  cell.read = kept == 0 ? 0 : mark(0, kept);
  return {};
}

void Shadow::add_reader(ShadowCell& cell, AccessRecord me) {
  if (cell.read == 0) {
    cell.read = me;
    return;
  }
  const auto list = [&](AccessRecord record, std::size_t next) {
    std::size_t r = free_reader_;
    if (r != 0) {
      free_reader_ = readers_[r].next;
    } else {
      if (readers_.size() > access::number_mask) return next; // forgets: a race may go unseen
      r = readers_.size();
      readers_.emplace_back();
    }
    readers_[r] = {record, static_cast<std::uint32_t>(next)};
    return r;
  };
  std::size_t rest = cell.read >= access::in_flight ? number(cell.read) : list(cell.read, 0);
  rest = list(me, rest);
  cell.read = rest == 0 ? me : mark(0, rest);
}

Finding Shadow::touch_in_phases(ShadowCell& cell, AccessRecord me, AccessKind kind, int flight) {
  const int rank = access::rank(me);
  const bool reads = kind == AccessKind::read || kind == AccessKind::atomic;
  if (kind == AccessKind::copy_arrival) {
    cell.write = me;
    return {};
  }
  if (is_bulk(cell.write)) {
    const int copies = static_cast<int>(number(cell.write));
    if (!order_->arrived(copies, rank))
      return {Verdict::bulk_in_flight, order_->flight(copies).rank, true, copies};
  } else if (cell.write >= access::in_flight) {
    return {Verdict::in_flight, access::rank(cell.write), true};
  } else {
    if (reads && cell.write < begin_) return {Verdict::uninitialised, 0, false};
    if (!ordered(cell.write, me)) return {Verdict::race, access::rank(cell.write), true};
  }
  if (const Finding f = pass_readers(cell, me, kind); f.verdict != Verdict::fine) return f;
  if (kind == AccessKind::read) {
    add_reader(cell, me);
  } else if (kind == AccessKind::atomic) {
    add_reader(cell, me | access::atomic);
  } else if (kind == AccessKind::write) {
    cell.write = me;
  } else if (kind == AccessKind::copy_issue) {
    cell.write = access::in_flight | (me & (access::rank_mask << access::rank_shift));
  } else {
    cell.write = mark(bulk, static_cast<std::size_t>(flight));
  }
  return {};
}

} // namespace ridge::simt
