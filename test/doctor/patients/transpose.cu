// Planted: a matrix is transposed through tiles of 32 columns, which lanes read down one bank. Control: 33.
#include "patient.cuh"

template <int columns>
__global__ void transpose(float* y, const float* x, int n) {
  __shared__ float tile[32][columns];
  const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * n + i];
  __syncthreads();
  const int to = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    y[(row + k) * n + to] = tile[threadIdx.x][threadIdx.y + k];
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = 2048;
  auto* const x = patient::numbers<float>(std::size_t(n) * n);
  auto* const y = patient::numbers<float>(std::size_t(n) * n);
  const dim3 blocks(n / 32, n / 32), threads(32, 8);
  for (int k = 0; k < 2000; ++k) {
    if (sick)
      transpose<32><<<blocks, threads>>>(y, x, n);
    else
      transpose<33><<<blocks, threads>>>(y, x, n);
  }
  return patient::finish();
}
