// Planted: each of eight neighbouring lanes takes another branch. Control: the lanes of a warp take one.
#include "patient.cuh"

template <int kind>
__device__ float branch(float a, int steps) {
  for (int s = 0; s < steps; ++s)
    a = a * (0.9f + 0.01f * kind) + 0.5f * kind + a * a * 1e-6f;
  return a;
}

__global__ void branches(float* x, int steps, int shift) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id];
  switch ((id >> shift) % 8) {
  case 0: a = branch<1>(a, steps); break;
  case 1: a = branch<2>(a, steps); break;
  case 2: a = branch<3>(a, steps); break;
  case 3: a = branch<4>(a, steps); break;
  case 4: a = branch<5>(a, steps); break;
  case 5: a = branch<6>(a, steps); break;
  case 6: a = branch<7>(a, steps); break;
  default: a = branch<8>(a, steps); break;
  }
  x[id] = a;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = patient::units * 64;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * 256);
  for (int k = 0; k < 40; ++k)
    branches<<<blocks, 256>>>(x, 1000, sick ? 0 : 5);
  return patient::finish();
}
