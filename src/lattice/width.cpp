#include <ridge/device/kind.hpp>
#include <ridge/lattice/layout.hpp>
#include <ridge/lattice/width.hpp>

namespace ridge::lattice {

int width_for(const Device& device, const Extents& extents, int number_bytes) {
  int width = Lattice::default_width;
  if (!facts_of(device).takes_gpu_schedules) return width;
  constexpr int enough = 256;
  while (width < enough && can_be_cut(extents, 2 * width / number_bytes))
    width *= 2;
  return width;
}

} // namespace ridge::lattice
