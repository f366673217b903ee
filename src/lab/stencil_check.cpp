#include <ridge/device/backend.hpp>
#include <ridge/lab/stencil_check.hpp>

namespace ridge::lab {

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
