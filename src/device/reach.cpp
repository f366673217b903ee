// What a device can read.
#include <ridge/device/offer.hpp>
#include <ridge/device/reach.hpp>

namespace ridge {

bool reaches(const Device& device, const void* memory) {
  if (!device.is_gpu()) return true;
  return offered<bool(int, const void*)>(device.kind(), typeid(ReachMemory*))(device.id().number,
                                                                             memory);
}

} // namespace ridge
