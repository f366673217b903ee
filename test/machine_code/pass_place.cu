// Where lanes of passes are, for test_gpu_clamps.py.
#include <ridge/device/gpu/lane.hpp>
#include <ridge/stencil/gpu/pass_place.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace {

using namespace ridge;
using namespace ridge::stencil;
using Kernel = Laplacian<2, 3>;
template <class T, GpuPassVariant P>
using PlacesCall = stencil::gpu::PassCall<Kernel, T, P>;

} // namespace

template <class T, GpuPassVariant P>
__global__ void places(PlacesCall<T, P> call, unsigned* to) {
  ridge::gpu::Lane lane;
  const PassJob job = lane.load_written(call.jobs, 0);
  const auto place =
      stencil::gpu::PassPlace<Kernel, T, P>::at_begin(lane, call, job, job.z_begin, {});
  to += 4 * lane.rank();
  to[0] = place.shares.bits();
  to[1] = place.parts;
  to[2] = place.inside;
  to[3] = static_cast<unsigned>(place.edges);
}

constexpr GpuPassVariant three{3, 3, 12, Store::plain, true};
constexpr GpuPassVariant four{4, 2, 16, Store::plain, true};
constexpr GpuPassVariant four_still{4, 2, 16, Store::plain, false};
template __global__ void places(PlacesCall<double, three>, unsigned*);
template __global__ void places(PlacesCall<float, four>, unsigned*);
template __global__ void places(PlacesCall<double, four_still>, unsigned*);
