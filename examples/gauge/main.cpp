// The average plaquette of random links, and that neither it nor the hopping term minds a gauge
// transformation. Usage: gauge [DEVICE]
#include <ridge/core/error.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include "random_links.hpp"

#include <cmath>
#include <cstdio>

namespace {

using namespace ridge::lattice;

double average_plaquette(ridge::Queue& queue, const Lattice& lattice,
                         const std::vector<gauge::Link>& links) {
  Field<Complex<double>> traces(queue.device(), lattice, "plaquettes");
  gauge::plaquettes(queue, traces, links);
  return sum(queue, traces).re / (18.0 * static_cast<double>(lattice.sites()));
}

} // namespace

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);
  const Lattice lattice({8, 8, 8, 16});

  std::vector<gauge::Link> links, turned;
  for (std::uint64_t mu = 0; mu < gauge::dimensions; ++mu) {
    links.push_back(gauge::random_links(queue, lattice, mu + 1));
    turned.emplace_back(device, lattice, "turned links");
  }
  const gauge::Link g = gauge::random_links(queue, lattice, 99);
  gauge::Fermion psi(device, lattice, "psi"), turned_psi(device, lattice, "turned psi");
  gauge::Fermion hopped(device, lattice, "H psi"), left(device, lattice, "g H psi"),
      right(device, lattice, "H g psi");
  fill_random(queue, psi, 5);

  gauge::transform(queue, turned, links, g);
  gauge::transform(queue, turned_psi, psi, g);
  gauge::hopping(queue, hopped, links, psi);
  gauge::transform(queue, left, hopped, g);
  gauge::hopping(queue, right, turned, turned_psi);
  const double size = norm2(queue, right);
  axpy(queue, right, -1.0, left, right);

  std::printf("%s: plaquette %.12f, turned %.12f, hopping term differs by %.0e\n",
              to_text(device.id()).c_str(), average_plaquette(queue, lattice, links),
              average_plaquette(queue, lattice, turned), std::sqrt(norm2(queue, right) / size));
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "gauge: %s\n", error.what());
  return static_cast<int>(error.code());
}
