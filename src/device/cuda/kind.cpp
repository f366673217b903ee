// NVIDIA GPUs.
#include <ridge/device/fourier_names.hpp>
#include <ridge/device/gpu/backend.hpp>

#include "../kinds.hpp"

namespace ridge {

namespace {

constexpr const char* driver[] = {"/sys/module/nvidia/version"};
constexpr const char* nccl[] = {"libnccl.so.2", "libnccl.so"};
constexpr const char* cufft[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
const FourierNames::Row fourier(DeviceKind::cuda, cufft, "cufft");
constexpr int dlpack[] = {2, 13}; // its memory, and what it manages

} // namespace

constinit const KindFacts rows::cuda{
    .kind = DeviceKind::cuda,
    .name = "cuda",
    .numbering = Numbering::counted,
    .numbers = [] { return gpus_of(DeviceKind::cuda); },
    .open =
        [](int number) {
          return open_gpu({DeviceKind::cuda, number});
        },
    .gathers_loads = true,
    .asynchronous_copies_from = "sm_80",
    .bulk_copies_from = "sm_90",
    .l1_serves_rows = true,
    .knows_last_level_cache = true,
    .planes_of_cache = {1, 4}, // the halves of an L2 each keep what their multiprocessors read
    .writes_to_peers = true,
    .stores_best_without_loops = true,
    .counts = Counts::profiler,
    .driver_versions = driver,
    .collectives = nccl,
    .dlpack = dlpack,
    .dlpack_stream = 1,
};

} // namespace ridge
