#include <ridge/core/config.hpp>
#include <ridge/core/error.hpp>
#include <ridge/record/roof_kernels.hpp>

namespace ridge {

const RoofKernels& roof_kernels(const Device& device) {
  switch (device.kind()) {
  case DeviceKind::cpu:
    return roof_kernels_of<target::Cpu>();
  case DeviceKind::simt:
    return roof_kernels_of<target::Simt>();
  case DeviceKind::cuda:
#if RIDGE_WITH_CUDA
    return roof_kernels_of<target::Cuda>();
#else
    break;
#endif
  case DeviceKind::hip:
#if RIDGE_WITH_HIP
    return roof_kernels_of<target::Hip>();
#else
    break;
#endif
  }
  throw UsageError("this build has no kernels for " + to_text(device.id()));
}

} // namespace ridge
