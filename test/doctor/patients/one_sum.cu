// Planted, as in github.com/AMReX-Codes/amrex/issues/275: each thread adds its value to one number. Control: the values
// of a warp are added up first, as that issue proposes, and those of a block's share of the data.
#include "patient.cuh"

__global__ void sum(double* to, const double* x, long n, bool of_warps) {
  double own = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x) {
    if (of_warps)
      own += x[i];
    else
      atomicAdd(to, x[i]);
  }
  if (!of_warps) return;
  for (int lane = 16; lane > 0; lane /= 2)
    own += __shfl_down_sync(~0U, own, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(to, own);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = sick ? 2L << 20 : 64L << 20;
  auto* const x = patient::numbers<double>(n);
  auto* const to = patient::numbers<double>(1);
  for (int k = 0; k < 20; ++k)
    sum<<<patient::units * 8, 256>>>(to, x, n, !sick);
  return patient::finish();
}
