// Planted: 20,000 launches of a few thousand numbers each. Control: as many numbers in 20 launches.
#include "patient.cuh"

__global__ void scale(double* x, long n) {
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    x[i] = 0.5 * x[i] + 1;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = sick ? 4096 : 64L << 20;
  const int launches = sick ? 20000 : 60;
  auto* const x = patient::numbers<double>(n);
  for (int k = 0; k < launches; ++k)
    scale<<<int((n + 255) / 256), 256>>>(x, n);
  return patient::finish();
}
