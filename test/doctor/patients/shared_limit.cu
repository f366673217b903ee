// Planted: a copy whose blocks ask for 100 KB of shared memory each: two of four warps are on a unit. Control: none is
// asked for.
#include "patient.cuh"

__global__ void copy(double* y, const double* x, long n) {
  extern __shared__ double tile[];
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    y[i] = x[i] + 1;
  if (n < 0) y[0] = tile[0];
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 64L << 20;
  auto* const x = patient::numbers<double>(n);
  auto* const y = patient::numbers<double>(n);
  const int bytes = sick ? 100 << 10 : 0;
  patient::check(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  for (int k = 0; k < 50; ++k)
    copy<<<int(n / 128), 128, bytes>>>(y, x, n);
  return patient::finish();
}
