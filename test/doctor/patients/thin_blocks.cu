// Planted: lists are followed by blocks of one warp, of which a unit holds 32. Control: blocks of eight.
#include "patient.cuh"

__global__ void link(int* next, int rows, int width) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < long(rows) * width) next[i] = int((i / width * 7919LL + 12345) % rows);
}

__global__ void follow(int* out, const int* next, int rows, int width, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  int at = int(id / 32 * 9973LL % rows);
  for (int s = 0; s < steps; ++s)
    at = next[long(at) * width + id % width];
  out[id] = at;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int rows = 1 << 24, width = 32, threads = patient::units * 2048 * 4;
  auto* const next = patient::numbers<int>(std::size_t(rows) * width);
  auto* const out = patient::numbers<int>(threads);
  link<<<int(std::size_t(rows) * width / 256), 256>>>(next, rows, width);
  const int block = sick ? 32 : 256;
  for (int k = 0; k < 20; ++k)
    follow<<<threads / block, block>>>(out, next, rows, width, 100);
  return patient::finish();
}
