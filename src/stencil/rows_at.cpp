#include <ridge/stencil/rows_at.hpp>

#include <cstdint>

namespace ridge::stencil {

namespace {

constexpr Index gpu_line_bytes = 128;
constexpr Index pack_bytes = 16;

} // namespace

Index misfit_of(const void* data, Index element_bytes) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(data) % gpu_line_bytes) /
         element_bytes;
}

RowsAt rows_at(Index apart, Index misfit, int element_bytes, Offset radius) {
  const Index line = gpu_line_bytes / element_bytes;
  const Index pack = pack_bytes / element_bytes;
  if (apart % line == 0 && (misfit == 0 || misfit + radius.x >= line))
    return {Rows::lines, misfit, (misfit + radius.x) / line * line};
  if (apart % pack == 0) return {Rows::packs, misfit % pack, 0};
  return {Rows::anywhere, 0, 0};
}

RowsAt rows_at(const std::vector<View<const char>>& fields, int element_bytes, Offset radius) {
  const Index misfit = misfit_of(fields.front().data, element_bytes);
  Index apart = 0;
  for (const View<const char>& f : fields)
    apart |= f.row | f.plane | (misfit_of(f.data, element_bytes) ^ misfit);
  return rows_at(apart, misfit, element_bytes, radius);
}

} // namespace ridge::stencil
