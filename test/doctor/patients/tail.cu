// Planted: one block in 100 has 60 times the work, and the last ones are among them. Control: all have the same, and as
// much together.
#include "patient.cuh"

__global__ void work(float* x, int light, int heavy) {
  const bool is_heavy = blockIdx.x % 100 == 99;
  const int steps = is_heavy ? heavy : light;
  float a = x[blockIdx.x * blockDim.x + threadIdx.x], b = a + 1;
  for (int k = 0; k < steps; ++k) {
    a = a * 0.999f + b;
    b = b * 0.998f + 0.1f;
  }
  x[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = 132 * 16, threads = 256, light = 2000;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * threads);
  const int heavy = sick ? 60 * light : light, even = sick ? light : light * 159 / 100;
  for (int k = 0; k < 60; ++k)
    work<<<blocks, threads>>>(x, even, sick ? heavy : even);
  return patient::finish();
}
