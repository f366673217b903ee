// Planted: a temporary is allocated and freed around each launch. Control: it is allocated once.
#include "patient.cuh"

__global__ void fill(double* x, double value, long n) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) x[i] = value;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 16L << 20;
  double* temporary = nullptr;
  for (int k = 0; k < 400; ++k) {
    if (sick || k == 0) patient::check(cudaMalloc(&temporary, n * sizeof(double)));
    fill<<<int((n + 255) / 256), 256>>>(temporary, k, n);
    if (sick) patient::check(cudaFree(temporary));
  }
  return patient::finish();
}
