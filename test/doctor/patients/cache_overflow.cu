// Planted: each number is used eight times, 96 MB apart: the cache has lost it. Control: the uses are 96 KB apart.
#include "patient.cuh"

__global__ void sum8(double* y, const double* x, long n, long apart) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const long j = i + k * apart;
    sum += x[j < n ? j : j - n];
  }
  y[i] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 96L << 20, apart = sick ? 12L << 20 : 12L << 10;
  auto* const x = patient::numbers<double>(n);
  auto* const y = patient::numbers<double>(n);
  for (int k = 0; k < 20; ++k)
    sum8<<<int((n + 255) / 256), 256>>>(y, x, n, apart);
  return patient::finish();
}
