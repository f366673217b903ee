"""A CuPy RawKernel: a transposition that writes with a stride."""

import cupy

n = 8192
transpose = cupy.RawKernel(
    """extern "C" __global__ void transpose(const double* x, double* y, int n) {
      int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
      y[(long)i * n + j] = x[(long)j * n + i];
    }""",
    "transpose",
)
x = cupy.random.rand(n, n)
y = cupy.empty_like(x)
for _ in range(50):
    transpose((n // 32, n // 8), (32, 8), (x, y, n))
print(bool((y == x.T).all()))
