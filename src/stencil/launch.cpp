#include <ridge/core/error.hpp>
#include <ridge/launch/operands.hpp>
#include <ridge/stencil/launch.hpp>

#include <fmt/format.h>

namespace ridge::stencil {

namespace {

std::string shape(Index3 n) {
  return fmt::format("{}x{}x{}", n.x, n.y, n.z);
}

} // namespace

void detail::check_memory(const Traits& traits, const std::vector<View<const char>>& fields,
                          std::size_t outputs) {
  const std::size_t inputs = fields.size() - outputs;
  std::vector<launch::Operand> operands;
  for (std::size_t i = 0; i < fields.size(); ++i)
    operands.push_back(launch::operand(fields[i], traits.element_bytes, i >= inputs));
  launch::check_operands(operands, [&](std::size_t i) {
    if (i < inputs) return fmt::format("input {}", i);
    return outputs == 1 ? std::string("the output") : fmt::format("output {}", i - inputs);
  });
}

void detail::check_views(const Traits& traits, const std::vector<View<const char>>& fields) {
  const View<const char>& out = fields.back();
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const View<const char>& in = fields[i];
    if (in.extents != out.extents) {
      throw UsageError(fmt::format("input {} has extents {}, the output {}; they must be the same",
                                   i, shape(in.extents), shape(out.extents)));
    }
  }
  const Offset r = traits.radius;
  if (interior_points(traits, out.extents) == 0) {
    throw UsageError(fmt::format(
        "extents {} leave no interior; this stencil needs at least {}x{}x{}", shape(out.extents),
        2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1));
  }
  check_memory(traits, fields, 1);
}

Record record_of(const Device& device, const Traits& traits, Index3 n, const Schedule& schedule,
                 std::string_view kernel) {
  Record record;
  record.pattern = "stencil";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.size = Extents{n.x, n.y, n.z};
  record.schedule = to_text(schedule);
  record.work = work_of(traits, n);
  const Index bytes = n.x * n.y * n.z * traits.element_bytes * (traits.inputs() + 1);
  record.in_cache = bytes <= device.facts().last_level_cache.value;
  return record;
}

} // namespace ridge::stencil
