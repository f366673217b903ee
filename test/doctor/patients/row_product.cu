// Planted, as in github.com/siboehm/SGEMM_CUDA/issues/7: a matrix product in which neighbouring lanes have neighbouring
// rows. Control: neighbouring columns, the thread's fix.
#include "patient.cuh"

__global__ void product(float* c, const float* a, const float* b, int n, bool lanes_are_rows) {
  const int first = blockIdx.x * 32 + threadIdx.x, second = blockIdx.y * 32 + threadIdx.y;
  const int row = lanes_are_rows ? first : second, column = lanes_are_rows ? second : first;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = 2048;
  auto* const a = patient::numbers<float>(n * n);
  auto* const b = patient::numbers<float>(n * n);
  auto* const c = patient::numbers<float>(n * n);
  for (int k = 0; k < 10; ++k)
    product<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c, a, b, n, sick);
  return patient::finish();
}
