// Planted: forces of Lennard-Jones in single precision, with the constants of double. Control: with those of single.
#include "patient.cuh"

template <class T>
__global__ void forces(float4* f, const float4* r, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = r[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = r[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float dx = own.x - tile[k].x, dy = own.y - tile[k].y, dz = own.z - tile[k].z;
      const float inverse = T(1.0) / (dx * dx + dy * dy + dz * dz + T(0.01));
      const float six = inverse * inverse * inverse;
      const float force = T(24.0) * inverse * six * (T(2.0) * six - T(1.0));
      x += force * dx;
      y += force * dy;
      z += force * dz;
    }
    __syncthreads();
  }
  f[i] = make_float4(x, y, z, 0);
}

int main(int argc, char** argv) {
  const bool sick = patient::is_sick(argc, argv);
  const int n = patient::units * 256;
  auto* const r = patient::numbers<float4>(n);
  auto* const f = patient::numbers<float4>(n);
  for (int k = 0; k < 20; ++k) {
    if (sick)
      forces<double><<<n / 128, 128>>>(f, r, n);
    else
      forces<float><<<n / 128, 128>>>(f, r, n);
  }
  return patient::finish();
}
