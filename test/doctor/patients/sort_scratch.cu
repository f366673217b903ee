// Planted, as in github.com/acts-project/traccc/pull/835: each pass of an algorithm takes scratch memory from the driver
// and gives it back. Control: it is kept between passes, as that change's allocator does.
#include "patient.cuh"

__global__ void count(int* counts, const int* keys, int n) {
  __shared__ int of_block[256];
  of_block[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&of_block[(keys[i] + i) & 255], 1);
  __syncthreads();
  counts[blockIdx.x * 256 + threadIdx.x] = of_block[threadIdx.x];
}
__global__ void add(int* sums, const int* counts, int blocks) {
  int sum = 0;
  for (int b = 0; b < blocks; ++b)
    sum += counts[b * 256 + threadIdx.x];
  sums[threadIdx.x] += sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = 1 << 20, blocks = 64;
  auto* const keys = patient::numbers<int>(n);
  auto* const sums = patient::numbers<int>(256);
  int* scratch = patient::numbers<int>(blocks * 256);
  for (int k = 0; k < 1500; ++k) {
    if (sick) patient::check(cudaMalloc(&scratch, blocks * 256 * sizeof(int)));
    count<<<blocks, 256>>>(scratch, keys, n);
    add<<<1, 256>>>(sums, scratch, blocks);
    if (sick) patient::check(cudaFree(scratch));
  }
  return patient::finish();
}
