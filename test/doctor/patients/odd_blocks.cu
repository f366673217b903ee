// Planted: blocks of 40 threads, whose second warp has eight lanes. Control: blocks of 160.
#include "patient.cuh"

__global__ void polynomials(float* x, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = a + 0.5f;
  for (int s = 0; s < steps; ++s) {
    a = a * 0.999f + b;
    b = b * 0.998f + 0.2f;
  }
  x[id] = a + b;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int threads = patient::units * 640 * 16, block = sick ? 40 : 160;
  auto* const x = patient::numbers<float>(threads);
  for (int k = 0; k < 40; ++k)
    polynomials<<<threads / block, block>>>(x, 4000);
  return patient::finish();
}
