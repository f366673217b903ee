#include <ridge/core/error.hpp>
#include <ridge/stencil/launch.hpp>

#include <fmt/format.h>

namespace ridge::stencil {

namespace {

std::string shape(Index3 n) {
  return fmt::format("{}x{}x{}", n.x, n.y, n.z);
}

bool overlap(const View<const char>& a, const View<const char>& b, int element_bytes) {
  const char* const a_end = a.data + a.span() * element_bytes;
  const char* const b_end = b.data + b.span() * element_bytes;
  return a.data < b_end && b.data < a_end;
}

} // namespace

void detail::check_views(const Traits& traits, const std::vector<View<const char>>& fields) {
  const View<const char>& out = fields.back();
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const View<const char>& in = fields[i];
    if (in.extents != out.extents) {
      throw UsageError(fmt::format("input {} has extents {}, the output {}; they must be the same",
                                   i, shape(in.extents), shape(out.extents)));
    }
    if (overlap(in, out, traits.element_bytes)) {
      throw UsageError(
          fmt::format("the output overlaps input {}; a stencil needs another field", i));
    }
  }
  const Offset r = traits.radius;
  if (interior_points(traits, out.extents) == 0) {
    throw UsageError(
        fmt::format("extents {} leave no interior; this stencil needs at least {}x{}x{}",
                    shape(out.extents), 2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1));
  }
}

Record record_of(const Device& device, const Traits& traits, Index3 n, const Schedule& schedule,
                 std::string_view kernel) {
  Record record;
  record.pattern = "stencil";
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = traits.element_bytes == 4 ? "fp32" : "fp64";
  record.size = Extents{n.x, n.y, n.z};
  record.schedule = to_text(schedule);
  record.work = work_of(traits, n);
  const Index bytes = n.x * n.y * n.z * traits.element_bytes * (traits.inputs() + 1);
  record.in_cache = bytes <= device.facts().last_level_cache.value;
  return record;
}

} // namespace ridge::stencil
