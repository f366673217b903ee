// 10. Your own interaction within a cutoff. Soft spheres in a periodic box push each other apart:
// lists of near pairs serve until one has moved half of the skin. Usage: spheres [DEVICE]
#include "soft.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

constexpr int spheres = 500, steps = 60;
constexpr double length = 7, cutoff = 1;

using Numbers = std::array<std::vector<double>, 3>;

/// Forces by a plain loop over all pairs.
Numbers plain_forces(const Numbers& at) {
  Numbers forces{std::vector<double>(spheres), std::vector<double>(spheres),
                 std::vector<double>(spheres)};
  for (std::size_t i = 0; i < spheres; ++i) {
    for (std::size_t j = 0; j < spheres; ++j) {
      std::array<double, 3> d{};
      double squared = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        d[c] = at[c][i] - at[c][j];
        d[c] -= length * std::round(d[c] / length);
        squared += d[c] * d[c];
      }
      for (std::size_t c = 0; c < 3 && squared < cutoff * cutoff; ++c)
        forces[c][i] += (1 - squared) * d[c];
    }
  }
  return forces;
}

double farthest(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < spheres; ++i)
      most = std::fmax(most, std::abs(a[c][i] - b[c][i]));
  }
  return most;
}

} // namespace

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);

  Numbers places, sums;
  std::array<ridge::Field<double>, 3> at, forces;
  std::mt19937 random(1);
  for (std::size_t c = 0; c < 3; ++c) {
    sums[c].resize(spheres);
    for (int i = 0; i < spheres; ++i)
      places[c].push_back(length * (random() / 4294967296.0));
    at[c] = ridge::Field<double>(device, ridge::Extents{spheres});
    forces[c] = ridge::Field<double>(device, ridge::Extents{spheres});
    ridge::copy_to_device(queue, at[c].data(), places[c].data(), spheres);
  }

  const ridge::pairs::Positions<double> positions{at[0].elements(), at[1].elements(),
                                                  at[2].elements()};
  ridge::pairs::Lists lists(
      queue, positions, {.cutoff = cutoff, .skin = 0.3, .box = ridge::pairs::Box::cube(length)});
  const auto call = ridge::pairs::among_themselves<Soft, ridge::pairs::Fp64>(
      {.strength = 1}, positions,
      {forces[0].elements(), forces[1].elements(), forces[2].elements()});
  const ridge::Program program(queue, ridge::pairs::within(lists, call), "soft");

  double worst = 0;
  int builds = 1;
  for (int step = 0; step < steps; ++step) {
    program.run();
    for (std::size_t c = 0; c < 3; ++c)
      ridge::copy_to_host(queue, sums[c].data(), forces[c].data(), spheres);
    queue.wait();
    if (step % 10 == 0) worst = std::fmax(worst, farthest(sums, plain_forces(places)));
    for (std::size_t c = 0; c < 3; ++c) { // downhill
      for (std::size_t i = 0; i < spheres; ++i)
        places[c][i] += 0.05 * sums[c][i];
      ridge::copy_to_device(queue, at[c].data(), places[c].data(), spheres);
    }
    queue.wait();
    builds += lists.update() ? 1 : 0;
  }
  std::printf("%d steps, lists built %d times; forces %s those of all pairs\n", steps, builds,
              worst < 1e-12 ? "are" : "ARE NOT");
  return worst < 1e-12 ? 0 : 1;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "spheres: %s\n", error.what());
  return static_cast<int>(error.code());
}
