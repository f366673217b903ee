// Planted: the host waits after each launch, as one does that looks at a residual. Control: it waits once.
#include "patient.cuh"

__global__ void smooth(double* y, const double* x, long n) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = 0.5 * (x[i - 1] + x[i + 1]);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 4L << 20;
  auto* x = patient::numbers<double>(n);
  auto* y = patient::numbers<double>(n);
  for (int k = 0; k < 4000; ++k) {
    smooth<<<int((n + 255) / 256), 256>>>(y, x, n);
    if (sick) patient::check(cudaDeviceSynchronize());
    double* const t = x;
    x = y;
    y = t;
  }
  return patient::finish();
}
