// Planted: threads take rows of different length, one in sixteen of them long, as they come. Control: rows are sorted.
#include "patient.cuh"

__global__ void lengths(int* steps, int count, bool sorted) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_long = sorted ? i < count / 16 : i % 16 == (i / 16 * 5) % 16;
  steps[i] = is_long ? 4000 : 100;
}

__global__ void rows(float* y, const int* steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = y[i];
  for (int k = 0; k < steps[i]; ++k)
    a = a * 0.99f + k;
  y[i] = a;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int count = patient::units * 2048 * 16;
  auto* const y = patient::numbers<float>(count);
  auto* const steps = patient::numbers<int>(count);
  lengths<<<count / 256, 256>>>(steps, count, !sick);
  for (int k = 0; k < 60; ++k)
    rows<<<count / 256, 256>>>(y, steps);
  return patient::finish();
}
