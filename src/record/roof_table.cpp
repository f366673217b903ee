#include <ridge/device/offer.hpp>
#include <ridge/record/roof_kernels.hpp>

namespace ridge {

const RoofKernels& roof_kernels(const Device& device) {
  return offered<GetRoofKernels>(device.kind(), typeid(RoofKernels))();
}

} // namespace ridge
