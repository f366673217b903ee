// AMD GPUs.
#include <ridge/device/fourier_names.hpp>
#include <ridge/device/gpu/backend.hpp>

#include "../kinds.hpp"

namespace ridge {

namespace {

// The system's own driver has no version but the system's.
constexpr const char* driver[] = {"/sys/module/amdgpu/version", "/proc/sys/kernel/osrelease"};
constexpr const char* rccl[] = {"librccl.so.1", "librccl.so"};
constexpr const char* hipfft[] = {"libhipfft.so.0", "libhipfft.so"};
const FourierNames::Row fourier(DeviceKind::hip, hipfft, "hipfft");
constexpr int dlpack[] = {10};

} // namespace

constinit const KindFacts rows::hip{
    .kind = DeviceKind::hip,
    .name = "hip",
    .numbering = Numbering::counted,
    .numbers = [] { return gpus_of(DeviceKind::hip); },
    .open =
        [](int number) {
          return open_gpu({DeviceKind::hip, number});
        },
    .waits_between_planes = true,
    .full_warp = 64,
    .copies_past_registers = false,
    .l1_is_shared_memory = false,
    .planes_of_cache = {15, 16}, // one of the AMD series held them up to there
    .streams_tiles = true,
    .busy_windows = 2, // what AMD GPUs need was not measured
    .has_passes = false,
    .why_not_counted =
        "counting on an AMD GPU takes rocprofv3 or rocprof, of which none is in PATH",
    .driver_versions = driver,
    .collectives = rccl,
    .dlpack = dlpack,
};

} // namespace ridge
