// Planted, as in github.com/ExtremeFLOW/neko/issues/549: elements of 8 points a side; matrices in shared memory have
// rows of 8 numbers, along whose slower index lanes step. Control: rows of 9, the thread's fix.
#include "patient.cuh"

template <int Row>
__global__ void stiffness(double* w, const double* u, const double* d) {
  constexpr int n = 8;
  __shared__ double matrix[n * Row], own[n * n * n], flux[n * n * n];
  const int i = threadIdx.x % n, j = threadIdx.x / n % n, k = threadIdx.x / (n * n);
  if (threadIdx.x < n * n) matrix[i + j * Row] = d[threadIdx.x];
  own[threadIdx.x] = u[blockIdx.x * long(n * n * n) + threadIdx.x];
  __syncthreads();
  double x = 0, y = 0, z = 0;
  for (int l = 0; l < n; ++l) {
    x += matrix[l + i * Row] * own[l + j * n + k * n * n];
    y += matrix[l + j * Row] * own[i + l * n + k * n * n];
    z += matrix[l + k * Row] * own[i + j * n + l * n * n];
  }
  flux[threadIdx.x] = x + 0.5 * y + 0.25 * z;
  __syncthreads();
  double sum = 0;
  for (int l = 0; l < n; ++l)
    sum += matrix[i + l * Row] * flux[l + j * n + k * n * n] + matrix[l + i * Row] * flux[i + l * n + k * n * n];
  w[blockIdx.x * long(n * n * n) + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int elements = 64 << 10;
  auto* const u = patient::numbers<double>(elements * 512L);
  auto* const w = patient::numbers<double>(elements * 512L);
  auto* const d = patient::numbers<double>(64);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      stiffness<8><<<elements, 512>>>(w, u, d);
    else
      stiffness<9><<<elements, 512>>>(w, u, d);
  }
  return patient::finish();
}
