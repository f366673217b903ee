// Planted: a thread walks one chain, each number of which says where the next is. Control: eight chains at once.
#include "patient.cuh"

__global__ void link(int* next, int rows, int width) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= rows * width) return;
  const int row = id / width;
  next[id] = int((row * 1664525LL + 1013904223LL) % rows); // rows: a power of two, so that all are visited
}

template <int chains>
__global__ void walk(int* out, const int* next, int rows, int width, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = id % width;
  int at[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c)
    at[c] = int((id / 32 * chains + c) * 9973LL % rows);
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int c = 0; c < chains; ++c)
      at[c] = next[at[c] * width + column];
  }
  int sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c)
    sum += at[c];
  out[id] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int rows = 1 << 25, width = 32, blocks = patient::units * 8;
  auto* const next = patient::numbers<int>(std::size_t(rows) * width);
  auto* const out = patient::numbers<int>(std::size_t(blocks) * 128);
  link<<<(rows * width + 255) / 256, 256>>>(next, rows, width);
  for (int k = 0; k < 100; ++k) { // longer than the making of the chains
    if (sick)
      walk<1><<<blocks, 128>>>(out, next, rows, width, 400);
    else
      walk<8><<<blocks, 128>>>(out, next, rows, width, 400);
  }
  return patient::finish();
}
