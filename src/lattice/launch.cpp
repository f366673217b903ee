#include <ridge/core/error.hpp>
#include <ridge/lattice/launch.hpp>

#include <fmt/format.h>

namespace ridge::lattice::detail {

void check_room(Index needed, Index there) {
  if (needed <= there) return;
  throw UsageError(fmt::format("the result of this reduction is {} doubles; there is room for {}",
                               needed, there));
}

void check_box(bool binned, const Schedule& schedule) {
  const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
  if (binned && (gpu == nullptr || gpu->reduce == Passes::fused)) return;
  throw UsageError("sums of a box are reproducible ones, with reduce=fused on GPUs");
}

void check_fields(const std::array<launch::Operand, 4>& operands) {
  constexpr std::array names{"field x", "field y", "field z", "the result"};
  launch::check_operands(operands, [&](std::size_t i) { return std::string(names[i]); });
}

void check_views(const std::vector<launch::Operand>& operands, const char* written) {
  launch::check_operands(operands, [&](std::size_t i) {
    return operands[i].written && *written != '\0' ? std::string(written)
                                                   : fmt::format("field {}", i);
  });
}

std::string definition(const ReduceVariant& v) {
  return fmt::format("#define RIDGE_LATTICE_REDUCE {}, Passes::{}, {}, {}\n", v.items,
                     text::value_to_text(v.passes), v.crossed, v.binned);
}
std::string definition(const CpuReduceVariant& v) {
  return fmt::format("#define RIDGE_LATTICE_CPU_REDUCE {}, {}\n", v.crossed, v.binned);
}
std::string definition(const MapVariant& v) {
  return fmt::format("#define RIDGE_LATTICE_MAP {}, Store::{}\n", v.items,
                     text::value_to_text(v.store));
}
std::string definition(const SiteVariant& v) {
  return fmt::format("#define RIDGE_LATTICE_SITES Components::{}, {}, {}\n",
                     text::value_to_text(v.components), v.bounds, v.apart);
}

} // namespace ridge::lattice::detail
