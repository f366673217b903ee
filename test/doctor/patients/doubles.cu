// Planted: a kernel of single precision with constants and a root of double precision. Control: those of single.
#include "patient.cuh"

template <class T>
__global__ void relax(float* x, int steps) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[id], b = 1 + a;
  for (int s = 0; s < steps; ++s) {
    a = a * T(0.999) + T(0.001) * b;
    b = b * T(0.998) + T(0.002) * a;
  }
  x[id] = a + b;
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int blocks = patient::units * 64;
  auto* const x = patient::numbers<float>(std::size_t(blocks) * 256);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      relax<double><<<blocks, 256>>>(x, 500);
    else
      relax<float><<<blocks, 256>>>(x, 2000);
  }
  return patient::finish();
}
