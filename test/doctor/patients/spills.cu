// Planted: launch bounds leave 32 registers for 64 sums, which go to memory. Control: the bounds leave enough.
#include "patient.cuh"

template <int blocks>
__global__ void __launch_bounds__(256, blocks) sums(float* x, int steps) {
  constexpr int many = 64;
  float a[many];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < many; ++k)
    a[k] = x[id] + k;
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int k = 0; k < many; ++k)
      a[k] = a[k] * 0.9f + a[(k * 7 + 3) % many];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < many; ++k)
    sum += a[k];
  x[id] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = patient::units * 64;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * 256);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      sums<8><<<blocks, 256>>>(x, 200);
    else
      sums<2><<<blocks, 256>>>(x, 200);
  }
  return patient::finish();
}
