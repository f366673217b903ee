// Planted: data of the host, not page-locked, are copied before each of the kernels that use them. Control: once.
#include "patient.cuh"

__global__ void scale(float* x, long n, float by) {
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    for (int k = 0; k < 64; ++k)
      x[i] = x[i] * by + k;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = 8L << 20;
  auto* const host = static_cast<float*>(std::calloc(n, sizeof(float)));
  auto* const x = patient::numbers<float>(n);
  for (int k = 0; k < 60; ++k) {
    if (sick || k == 0) patient::check(cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<patient::units * 8, 256>>>(x, n, 0.5f);
  }
  std::free(host);
  return patient::finish();
}
