#include <ridge/device/backend.hpp>
#include <ridge/lab/stencil_check.hpp>

#include <fmt/format.h>

namespace ridge::lab {

void Deviation::add(const Deviation& other) {
  if ((other.nan && !nan) || (other.nan == nan && other.max_error > max_error)) worst = other.worst;
  if (changed == 0) first_changed = other.first_changed;
  nan = nan || other.nan;
  max_error = std::max(max_error, other.max_error);
  scale = std::max(scale, other.scale);
  changed += other.changed;
}

namespace {

std::string text(Index3 p) {
  return fmt::format("({}, {}, {})", p.x, p.y, p.z);
}

} // namespace

Check judge(const Deviation& found, double tolerance) {
  Check check;
  check.max_error = found.nan         ? std::numeric_limits<double>::quiet_NaN()
                    : found.scale > 0 ? found.max_error / found.scale
                                      : found.max_error;
  if (found.changed > 0) {
    check.message = fmt::format("{} points near the edge were written, one at {}", found.changed,
                                text(found.first_changed));
  } else if (found.nan) {
    check.message = "points were not written or are NaN, one at " + text(found.worst);
  } else if (!(check.max_error <= tolerance)) {
    check.message = fmt::format("relative error {:.2g} at {} exceeds {:.2g}", check.max_error,
                                text(found.worst), tolerance);
  }
  check.ok = check.message.empty();
  return check;
}

std::vector<Slab> slabs_of(Index3 n, int element_bytes, Index bytes) {
  const Index row_bytes = n.x * element_bytes;
  const Index rows = std::clamp<Index>(bytes / row_bytes, 1, n.y);
  const Index planes = rows < n.y ? 1 : std::clamp<Index>(bytes / (row_bytes * n.y), 1, n.z);
  std::vector<Slab> slabs;
  for (Index z = 0; z < n.z; z += planes) {
    for (Index y = 0; y < n.y; y += rows) {
      slabs.push_back({y, std::min(n.y, y + rows), z, std::min(n.z, z + planes)});
    }
  }
  return slabs;
}

HostBox::HostBox(Queue& queue, Bytes most) {
  if (!queue.device().host_accessible()) {
    memory_ = Memory(queue.device(), most, "the check", Memory::Place::staging);
  }
}

void HostBox::copy(Queue& queue, const void* from, Bytes plane, Bytes pitch, Index planes) {
  queue.device().backend().copy_rows(
      queue.native(), memory_.data(), static_cast<std::size_t>(plane.value), from,
      static_cast<std::size_t>(pitch.value), static_cast<std::size_t>(plane.value),
      static_cast<std::size_t>(planes), CopyDirection::to_host);
}

} // namespace ridge::lab
