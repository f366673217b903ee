// A Kokkos program: steps of Jacobi's iteration, each with the largest change.
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <utility>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  const int n = 4096;
  Kokkos::View<double**> x("x", n, n), y("y", n, n);
  Kokkos::parallel_for(
      "begin", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, n}),
      KOKKOS_LAMBDA(int i, int j) { y(i, j) = x(i, j) = (i * 7 + j * 3) % 11; });
  double change = 0;
  for (int step = 0; step < 30; ++step) {
    Kokkos::parallel_reduce(
        "jacobi", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {n - 1, n - 1}),
        KOKKOS_LAMBDA(int i, int j, double& most) {
          const double next = 0.25 * (x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1));
          const double by = next > x(i, j) ? next - x(i, j) : x(i, j) - next;
          y(i, j) = next;
          most = by > most ? by : most;
        },
        Kokkos::Max<double>(change));
    std::swap(x, y);
  }
  std::printf("%g\n", change);
}
