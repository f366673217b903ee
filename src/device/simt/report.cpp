#include "report.hpp"

#include <ridge/device/simt/context.hpp>

#include <fmt/format.h>

namespace ridge::simt {

std::string to_text(FaultKind kind) {
  switch (kind) {
  case FaultKind::field_bounds:
    return "access out of bounds";
  case FaultKind::field_alignment:
    return "misaligned access";
  case FaultKind::shared_bounds:
    return "shared memory out of bounds";
  case FaultKind::shared_layout:
    return "misplaced shared array";
  case FaultKind::shared_race:
    return "race on shared memory";
  case FaultKind::shared_uninitialised:
    return "uninitialised shared memory";
  case FaultKind::divergent_barrier:
    return "divergent barrier";
  case FaultKind::divergent_warp_barrier:
    return "divergent warp barrier";
  case FaultKind::divergent_shuffle:
    return "divergent shuffle";
  case FaultKind::missing_lane:
    return "shuffle from a missing lane";
  case FaultKind::unfinished_copy:
    return "unfinished asynchronous copy";
  case FaultKind::shared_alignment:
    return "misaligned access of shared memory";
  case FaultKind::copy_alignment:
    return "misaligned bulk copy";
  case FaultKind::phase_misuse:
    return "misuse of a phase barrier";
  case FaultKind::phase_deadlock:
    return "deadlock at a phase barrier";
  case FaultKind::missing_signal:
    return "missing signal";
  case FaultKind::undeclared_access:
    return "undeclared access";
  }
  return "fault";
}

Dim3 thread_of(const Block& block, int rank) {
  const int row = rank / block.extent.x;
  return {rank % block.extent.x, row % block.extent.y, row / block.extent.y};
}

std::string to_text(Dim3 d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string thread_text(const Block& block, int rank) {
  return "thread " + to_text(thread_of(block, rank));
}

Fault make_fault(FaultKind kind, const Block& block, int rank, Index index,
                 const std::string& text) {
  const int lane = rank & ((1 << block.warp_shift) - 1);
  return {kind,
          block.kernel,
          block.index,
          thread_of(block, rank),
          lane,
          index,
          fmt::format("{} in kernel '{}', block {}, {} (lane {}): {}", to_text(kind), block.kernel,
                      to_text(block.index), thread_text(block, rank), lane, text)};
}

void LaneContext::fault_field(const char* what, Index index, int count, Index size) const {
  const std::string range = count == 1 ? fmt::format("index {}", index)
                                       : fmt::format("indices {} to {}", index, index + count - 1);
  const std::string right =
      size > 0 ? fmt::format("0 to {} are right", size - 1) : std::string("none are right");
  throw make_fault(FaultKind::field_bounds, block_, rank_, index,
                   fmt::format("{} of {} of a field of {} elements; {}", what, range, size, right));
}

void LaneContext::fault_alignment(const char* what, Index index, const void* begin, int count,
                                  int element_bytes) const {
  const int bytes = count * element_bytes;
  const auto misfit = reinterpret_cast<std::uintptr_t>(begin) % static_cast<unsigned>(bytes);
  throw make_fault(
      FaultKind::field_alignment, block_, rank_, index,
      misfit == 0 ? fmt::format("{} of a pack of {}: index {} is not a multiple of {}", what, count,
                                index, count)
                  : fmt::format("{} of a pack of {} at index {}: the field itself begins {} bytes "
                                "past a multiple of {}; its begin plus the index must be one",
                                what, count, index, misfit, bytes));
}

void LaneContext::fault_shared(Index index, int count) const {
  throw make_fault(FaultKind::shared_bounds, block_, rank_, index,
                   count > 0 ? fmt::format("index {} of a shared array of {} elements; 0 to {} are "
                                           "right",
                                           index, count, count - 1)
                             : fmt::format("index {} of an empty shared array", index));
}

void LaneContext::fault_layout(int offset, int count, int element_bytes, int alignment) const {
  const Index end = offset + Index{count} * element_bytes;
  std::string text = fmt::format("a shared array of {} elements of {} bytes at byte {} ", count,
                                 element_bytes, offset);
  if (offset < 0 || count < 0)
    text += "; neither may be negative";
  else if (offset % alignment != 0)
    text += fmt::format("begins at no multiple of {}", alignment);
  else
    text +=
        fmt::format("ends at byte {}; the launch has shared_bytes = {}", end, block_.shared_bytes);
  throw make_fault(FaultKind::shared_layout, block_, rank_, offset, text);
}

void LaneContext::fault_shared_alignment(Index index, int offset, int count,
                                         int element_bytes) const {
  throw make_fault(FaultKind::shared_alignment, block_, rank_, index,
                   fmt::format("a pack of {} at index {} begins at byte {} of shared memory, which "
                               "is no multiple of {}",
                               count, index, offset, count * element_bytes));
}

void LaneContext::fault_bulk_alignment(Index index, const char* what, std::uintptr_t value) const {
  throw make_fault(FaultKind::copy_alignment, block_, rank_, index,
                   fmt::format("bulk_copy to index {}: its {} is {} past a multiple of 16 bytes; "
                               "source, destination and size must each be one",
                               index, what, value % bulk_alignment));
}

void LaneContext::undeclared_access(int dx, int dy, int dz) const {
  throw make_fault(FaultKind::undeclared_access, block_, rank_, -1,
                   fmt::format("reads neighbour ({}, {}, {}), which its footprint does not "
                               "declare; add it to the footprint",
                               dx, dy, dz));
}

void LaneContext::fault_missing_lane(int source) const {
  throw make_fault(
      FaultKind::missing_lane, block_, rank_, source,
      fmt::format("lane {} does not exist; this warp has lanes 0 to {}", source, warp_.lanes - 1));
}

} // namespace ridge::simt
