// Planted: a thread sums a row of a matrix: neighbouring lanes are a row apart. Control: a thread sums a column.
#include "patient.cuh"

__global__ void sums(float* y, const float* x, int count, int terms, long of_item, long of_term) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int k = 0; k < terms; ++k)
    sum += x[i * of_item + k * of_term];
  y[i] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int count = patient::units * 2048, terms = 1024;
  auto* const x = patient::numbers<float>(std::size_t(count) * terms);
  auto* const y = patient::numbers<float>(count);
  for (int k = 0; k < 20; ++k)
    sums<<<count / 256, 256>>>(y, x, count, terms, sick ? terms : 1, sick ? 1 : count);
  return patient::finish();
}
