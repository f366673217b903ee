// 4. Sums over all pairs. The electric field on the axis of a charged ring, by summing over the
// charges on any device, against the closed form. Usage: charges [DEVICE]
#include "coulomb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

using Numbers = std::vector<double>;

/// One field on the device for each list of numbers.
template <std::size_t N>
std::vector<ridge::Field<double>> fields_of(ridge::Queue& queue,
                                            const std::array<Numbers, N>& components) {
  std::vector<ridge::Field<double>> fields;
  for (const Numbers& numbers : components) {
    fields.emplace_back(queue.device(), ridge::Extents{static_cast<ridge::Index>(numbers.size())});
    ridge::copy_to_device(queue, fields.back().data(), numbers.data(), fields.back().count());
  }
  queue.wait();
  return fields;
}

} // namespace

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);

  // A ring of radius 1 and charge 1 around z, and probes on the axis.
  constexpr int charges = 1000, probes = 201;
  std::array<Numbers, Coulomb::sources> ring;
  for (int j = 0; j < charges; ++j) {
    const double angle = 2 * std::numbers::pi * j / charges;
    ring[0].push_back(std::cos(angle));
    ring[1].push_back(std::sin(angle));
    ring[2].push_back(0);
    ring[3].push_back(1.0 / charges);
  }
  std::array<Numbers, Coulomb::targets> axis{Numbers(probes), Numbers(probes), Numbers(probes)};
  for (int i = 0; i < probes; ++i)
    axis[2][static_cast<std::size_t>(i)] = (i - probes / 2) * 0.05;

  const auto sources = fields_of(queue, ring);
  const auto targets = fields_of(queue, axis);
  const auto sums = fields_of(queue, std::array{Numbers(probes), Numbers(probes), Numbers(probes)});
  ridge::pairs::Call<Coulomb, ridge::pairs::Fp64> call{{0}, {}, {}, {}, false};
  for (std::size_t c = 0; c < targets.size(); ++c)
    call.targets[c] = {targets[c].data(), probes};
  for (std::size_t c = 0; c < sources.size(); ++c)
    call.sources[c] = {sources[c].data(), charges};
  for (std::size_t c = 0; c < sums.size(); ++c)
    call.sums[c] = sums[c].elements();
  const ridge::Record record = ridge::pairs::launch(queue, call, "coulomb");

  Numbers along(probes);
  ridge::copy_to_host(queue, along.data(), sums[2].data(), probes);
  queue.wait();
  double worst = 0;
  for (int i = 0; i < probes; ++i) {
    const double z = axis[2][static_cast<std::size_t>(i)];
    const double exact = z / std::pow(1 + z * z, 1.5);
    worst = std::max(worst, std::abs(along[static_cast<std::size_t>(i)] - exact));
  }
  std::printf("%lld interactions, largest error of the field %s\n",
              static_cast<long long>(record.work.items),
              worst < 1e-12 ? "below 1e-12" : "TOO LARGE");
  return worst < 1e-12 ? 0 : 1;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "charges: %s\n", error.what());
  return static_cast<int>(error.code());
}
