// Launches of systems, for test_gpu_loads.py.
#include <ridge/chain/gpu/bodies.hpp>
#include <ridge/device/gpu/entry.hpp>
#include <ridge/lab/kernels/chain/acoustic.hpp>
#include <ridge/lab/kernels/chain/elastic.hpp>

namespace ridge::test {

template <class C>
using First = chain::gpu::PointsMarch<C, float, 0, 0>;

const void* launches[] = {reinterpret_cast<const void*>(&gpu::entry<First<lab::Acoustic>>),
                          reinterpret_cast<const void*>(&gpu::entry<First<lab::Elastic>>)};

} // namespace ridge::test
