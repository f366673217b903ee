// Planted: a sum over 16 blocks, where the device has room for a thousand. Control: a thousand.
#include "patient.cuh"

__global__ void sum(double* sums, const double* x, long n) {
  double own = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    own += x[i];
  for (int lane = 16; lane > 0; lane /= 2)
    own += __shfl_down_sync(~0U, own, lane);
  if (threadIdx.x % 32 == 0) sums[blockIdx.x * blockDim.x / 32 + threadIdx.x / 32] = own;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 64L << 20;
  auto* const x = patient::numbers<double>(n);
  auto* const sums = patient::numbers<double>(patient::units * 64);
  for (int k = 0; k < 20; ++k)
    sum<<<sick ? 16 : patient::units * 8, 256>>>(sums, x, n);
  return patient::finish();
}
