#include <ridge/core/error.hpp>
#include <ridge/launch/operands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ridge::launch {

namespace {

/// Addresses are compared as numbers: pointers into different arrays have no order.
std::uintptr_t first_of(const Operand& o) {
  return reinterpret_cast<std::uintptr_t>(o.begin);
}
std::uintptr_t end_of(const Operand& o) {
  return first_of(o) + static_cast<std::uintptr_t>(o.bytes);
}

bool is_there(const Operand& o) {
  return o.begin != nullptr && o.bytes > 0;
}

bool clash(const Operand& a, const Operand& b) {
  if (!a.written && !b.written) return false;
  if (!is_there(a) || !is_there(b)) return false;
  if (first_of(a) >= end_of(b) || first_of(b) >= end_of(a)) return false;
  const bool same = a.begin == b.begin && a.bytes == b.bytes;
  return !same || !(a.in_place || b.in_place);
}

} // namespace

Operand operand(const View<const char>& view, Index element_bytes, bool written) {
  const Index3 n = view.extents;
  const bool empty = n.x < 1 || n.y < 1 || n.z < 1;
  const Index along_y = empty ? 0 : (n.y - 1) * view.row;
  const Index along_z = empty ? 0 : (n.z - 1) * view.plane;
  const Index low = std::min<Index>(along_y, 0) + std::min<Index>(along_z, 0);
  const Index high = std::max<Index>(along_y, 0) + std::max<Index>(along_z, 0) + n.x;
  return {view.data == nullptr ? nullptr : view.data + low * element_bytes,
          empty ? 0 : (high - low) * element_bytes, element_bytes, written, false};
}

void check_operands(std::span<const Operand> operands,
                    const std::function<std::string(std::size_t)>& name) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    if (is_there(o) && first_of(o) % static_cast<std::uintptr_t>(o.alignment) != 0) {
      throw UsageError(fmt::format("{} begins at an address that is no multiple of {} bytes, as "
                                   "kernels need it; a copy in memory of its own is right",
                                   name(i), o.alignment));
    }
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!clash(operands[j], operands[i])) continue;
      const bool both = operands[i].written && operands[j].written;
      // What is written comes first in the message.
      const std::size_t to = operands[i].written ? i : j;
      throw UsageError(
          fmt::format("{} overlaps {}, which the launch {}; memory of its own is right", name(to),
                      name(to == i ? j : i), both ? "writes, too" : "reads while it writes"));
    }
  }
}

} // namespace ridge::launch
