// Planted: after each of many small steps the host copies a residual, and decides whether to go on. Control: it looks
// at every 500th.
#include "patient.cuh"

__global__ void relax(float* y, const float* x, float* residual, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= 0 || i >= n - 1) return;
  y[i] = 0.5f * (x[i - 1] + x[i + 1]);
  if (i == n / 2) *residual = 1 + fabsf(y[i] - x[i]);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = 1 << 16, every = sick ? 1 : 500;
  auto* x = patient::numbers<float>(n);
  auto* y = patient::numbers<float>(n);
  auto* const residual = patient::numbers<float>(1);
  float left = 1;
  for (int k = 0; k < 20000 && left > 1e-6f; ++k) {
    relax<<<n / 256, 256>>>(y, x, residual, n);
    if (k % every == 0) patient::check(cudaMemcpy(&left, residual, sizeof(left), cudaMemcpyDeviceToHost));
    float* const t = x;
    x = y;
    y = t;
  }
  return patient::finish();
}
