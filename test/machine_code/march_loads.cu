// Marches whose loads from shared memory test_gpu_loads.py looks at.
#include <ridge/stencil/gpu/march_launch.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template Bound
bind_march<MarchVariant{128, 2, 4, Store::plain, Rows::lines}, Laplacian<2, 3>, float>(
    Queue&, const Call<Laplacian<2, 3>, float>&, const RowsAt&, const GpuSchedule&);
template Bound
bind_march<MarchVariant{128, 2, 4, Store::plain, Rows::packs}, Laplacian<2, 3>, float>(
    Queue&, const Call<Laplacian<2, 3>, float>&, const RowsAt&, const GpuSchedule&);
template Bound
bind_march<MarchVariant{128, 2, 4, Store::plain, Rows::packs}, Laplacian<2, 3>, double>(
    Queue&, const Call<Laplacian<2, 3>, double>&, const RowsAt&, const GpuSchedule&);

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
