// Planted: lanes of a warp walk down the rows of a shared tile of 32 columns, all in one bank. Control: 33 columns.
#include "patient.cuh"

template <int columns>
__global__ void walk(float* x, int steps) {
  __shared__ float tile[32 * columns];
  for (int i = threadIdx.x; i < 32 * columns; i += blockDim.x)
    tile[i] = i;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int s = 0; s < steps; ++s) {
#pragma unroll 8
    for (int k = 0; k < 32; ++k)
      sum += tile[lane * columns + ((k + s) & 31)];
  }
  x[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = patient::units * 8, threads = 256;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * threads);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      walk<32><<<blocks, threads>>>(x, 40);
    else
      walk<33><<<blocks, threads>>>(x, 400);
  }
  return patient::finish();
}
