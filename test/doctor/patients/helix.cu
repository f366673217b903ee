// Planted, as in github.com/AliceO2Group/AliceO2/pull/15689: a step along a helix in single precision divides in double
// precision, by a constant without an f. Control: with it.
#include "patient.cuh"

template <class T>
__global__ void follow(float* out, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = 0.001f * i, turn = 0.01f + 1e-6f * i, slope = 0.5f;
  for (int s = 0; s < steps; ++s) {
    const float angle = turn * (1 + slope * slope);
    const float half = __sinf(0.5f * angle);
    const float cosine = T(2) * half * half / angle;
    slope += 1e-3f * (__sinf(angle) - cosine);
    x += slope * cosine;
  }
  out[i] = x;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = patient::units * 2048 * 4;
  auto* const out = patient::numbers<float>(n);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      follow<double><<<n / 256, 256>>>(out, n, 200);
    else
      follow<float><<<n / 256, 256>>>(out, n, 200);
  }
  return patient::finish();
}
