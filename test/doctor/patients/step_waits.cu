// Planted, as in github.com/Hi-PACE/hipace/pull/797: the host waits after each loop over boxes of a time step. Control:
// it waits once, as that change does; all is in one stream.
#include "patient.cuh"

__global__ void advance(double* x, const double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.99 * x[i] + 0.01 * y[i];
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = 1024 * 1024, loops = 6;
  double* fields[loops];
  for (double*& field : fields)
    field = patient::numbers<double>(n);
  for (int step = 0; step < 1500; ++step) {
    for (int k = 0; k < loops; ++k) {
      advance<<<n / 256, 256>>>(fields[k], fields[(k + 1) % loops], n);
      if (sick) patient::check(cudaStreamSynchronize(nullptr));
    }
  }
  return patient::finish();
}
