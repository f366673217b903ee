// Planted: each thread adds to one of four sums. Control: 1056 blocks sum their part first.
#include "patient.cuh"

__global__ void each(float* sums, const float* x, long n) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) atomicAdd(&sums[i % 4], x[i]);
}

__global__ void by_block(float* sums, const float* x, long n) {
  float sum = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    sum += x[i];
  for (int lane = 16; lane >= 4; lane /= 2)
    sum += __shfl_down_sync(~0U, sum, lane);
  __shared__ float of_warps[8][4];
  if (threadIdx.x % 32 < 4) of_warps[threadIdx.x / 32][threadIdx.x % 4] = sum;
  __syncthreads();
  if (threadIdx.x >= 4) return;
  float all = 0;
  for (int w = 0; w < 8; ++w)
    all += of_warps[w][threadIdx.x];
  atomicAdd(&sums[threadIdx.x], all);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const long n = sick ? 4L << 20 : 64L << 20;
  auto* const x = patient::numbers<float>(n);
  auto* const sums = patient::numbers<float>(4);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      each<<<int(n / 256), 256>>>(sums, x, n);
    else
      by_block<<<patient::units * 8, 256>>>(sums, x, n);
  }
  return patient::finish();
}
