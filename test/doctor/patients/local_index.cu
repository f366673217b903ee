// Planted: each thread counts in an array of its own by an index that is known only when it runs, which lies in memory.
// Control: the array is in shared memory, a column a thread.
#include "patient.cuh"

constexpr int bins = 32;

__global__ void in_memory(int* y, const int* x, int terms, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own[bins];
#pragma unroll
  for (int b = 0; b < bins; ++b)
    own[b] = 0;
  for (int k = 0; k < terms; ++k)
    own[(x[k * count + i] + k * 7 + i) % bins] += k;
  int best = 0;
#pragma unroll
  for (int b = 0; b < bins; ++b)
    best = max(best, own[b]);
  y[i] = best;
}

__global__ void in_shared(int* y, const int* x, int terms, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int own[bins][128];
  for (int b = 0; b < bins; ++b)
    own[b][threadIdx.x] = 0;
  for (int k = 0; k < terms; ++k)
    own[(x[k * count + i] + k * 7 + i) % bins][threadIdx.x] += k;
  int best = 0;
  for (int b = 0; b < bins; ++b)
    best = max(best, own[b][threadIdx.x]);
  y[i] = best;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int count = patient::units * 8192, terms = 256;
  auto* const x = patient::numbers<int>(std::size_t(count) * terms);
  auto* const y = patient::numbers<int>(count);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      in_memory<<<count / 128, 128>>>(y, x, terms, count);
    else
      in_shared<<<count / 128, 128>>>(y, x, terms, count);
  }
  return patient::finish();
}
