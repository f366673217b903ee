// Planted: one block more than the units hold at once, for which all others wait. Control: as many as they hold.
#include "patient.cuh"

__global__ void __launch_bounds__(1024, 2) polynomials(float* x, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = a + 0.5f, c = a - 0.5f, d = a + 0.25f;
  for (int s = 0; s < steps; ++s) {
    a = a * 0.999f + 0.1f;
    b = b * 0.998f + 0.2f;
    c = c * 0.997f + 0.3f;
    d = d * 0.996f + 0.4f;
  }
  x[id] = a + b + c + d;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = 2 * patient::units + (sick ? 1 : 0);
  auto* const x = patient::numbers<float>(std::size_t(blocks) * 1024);
  for (int k = 0; k < 100; ++k)
    polynomials<<<blocks, 1024>>>(x, 4000);
  return patient::finish();
}
