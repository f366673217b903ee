// Planted, as in github.com/AMD-Ecosystem/flashinfer/pull/265: an activation with a gate has one block for each of a few
// long rows. Control: each row is divided among blocks, as that change does.
#include "patient.cuh"

__global__ void gate(float* out, const float* in, int width) {
  const float* const row = in + 2L * width * blockIdx.x;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < width; i += gridDim.y * blockDim.x) {
    const float x = row[i];
    out[long(width) * blockIdx.x + i] = x / (1 + __expf(-x)) * row[width + i];
  }
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int rows = 16, width = 2 << 20;
  auto* const in = patient::numbers<float>(2L * rows * width);
  auto* const out = patient::numbers<float>(long(rows) * width);
  for (int k = 0; k < 20; ++k)
    gate<<<dim3(rows, sick ? 1 : 128), 512>>>(out, in, width);
  return patient::finish();
}
