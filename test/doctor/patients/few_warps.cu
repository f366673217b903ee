// Planted: a sum by two warps a unit, which have room for 64. Control: by 64.
#include "patient.cuh"

__global__ void sum(double* sums, const double* x, long n) {
  double own = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    own += x[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = own;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 32L << 20;
  constexpr int threads = 64, most = 32; // blocks a unit
  auto* const x = patient::numbers<double>(n);
  auto* const sums = patient::numbers<double>(patient::units * most * threads);
  for (int k = 0; k < 50; ++k)
    sum<<<patient::units * (sick ? 1 : most), threads>>>(sums, x, n);
  return patient::finish();
}
