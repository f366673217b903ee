// Planted: the kernel reads page-locked memory of the host. Control: memory of the device.
#include "patient.cuh"

__global__ void read(double* y, const double* x, long n) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = sick ? 16L << 20 : 64L << 20;
  auto* const y = patient::numbers<double>(n);
  double* x = nullptr;
  if (sick) {
    patient::check(cudaMallocHost(&x, n * sizeof(double)));
    std::memset(x, 0, n * sizeof(double));
  } else {
    x = patient::numbers<double>(n);
  }
  for (int k = 0; k < 20; ++k)
    read<<<int((n + 255) / 256), 256>>>(y, x, n);
  return patient::finish();
}
