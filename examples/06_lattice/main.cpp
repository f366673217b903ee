// 6. Fields of matrices and vectors: an expression in one launch, and sums that have the same bits
// on every device. Usage: matrices [DEVICE]
#include "residual.hpp"

#include <cstdio>

int main(int argc, char** argv) try {
  namespace lattice = ridge::lattice;
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);
  const lattice::Lattice sites({8, 8, 8, 16});

  Matrices u(device, sites, "u");
  Vectors x(device, sites, "x"), b(device, sites, "b"), r(device, sites, "r");
  lattice::fill_random(queue, u, 1); // the same numbers on every device
  lattice::fill_random(queue, x, 2);
  lattice::fill_random(queue, b, 3);

  const ridge::Program program(queue, assign_call(r, residual(u, x, b)));
  program.run();

  std::printf("norm2(b) %.17g\n", lattice::norm2(queue, b, {.reproducible = true}));
  std::printf("norm2(b - adj(u) x) %.12g\n", lattice::norm2(queue, r));
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "matrices: %s\n", error.what());
  return static_cast<int>(error.code());
}
