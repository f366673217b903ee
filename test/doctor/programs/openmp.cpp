// An OpenMP program: sums over the columns of a matrix that is stored by rows, on half of its loops
// in parallel.
#include <cstdio>
#include <vector>

int main() {
  const long n = 4096;
  std::vector<double> x(n * n, 1.0), sums(n);
  for (int repeat = 0; repeat < 20; ++repeat) {
#pragma omp parallel for
    for (long column = 0; column < n; ++column) {
      double sum = 0;
      for (long row = 0; row < n; ++row)
        sum += x[row * n + column];
      sums[column] += sum;
    }
  }
  std::printf("%g\n", sums[7]);
}
