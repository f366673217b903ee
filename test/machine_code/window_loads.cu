// Marches with windows of registers that test_gpu_loads.py looks at.
#include <ridge/stencil/gpu/window_launch.hpp>
#include <ridge/stencil/laplacian.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

constexpr MarchVariant usual{32, 8, 2, Store::nontemporal, Rows::packs};

template Bound bind_window<usual, Laplacian<2, 3>, float>(Queue&,
                                                          const Call<Laplacian<2, 3>, float>&,
                                                          const RowsAt&, const GpuSchedule&);
template Bound bind_window<usual, Laplacian<2, 3>, double>(Queue&,
                                                           const Call<Laplacian<2, 3>, double>&,
                                                           const RowsAt&, const GpuSchedule&);

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
