// Planted: a member of an array of structures of 64 bytes is read. Control: an array of the members.
#include "patient.cuh"

__global__ void gather(double* y, const double* x, long n, long stride) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i * stride];
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 32L << 20, stride = sick ? 8 : 1;
  auto* const x = patient::numbers<double>(n * stride);
  auto* const y = patient::numbers<double>(n);
  for (int k = 0; k < 50; ++k)
    gather<<<int((n + 255) / 256), 256>>>(y, x, n, stride);
  return patient::finish();
}
