// 3. A stencil over time, with boundaries. A sine mode between cold walls decays by a factor that
// is known. Usage: sweeps [DEVICE]
#include <ridge/sweeps.hpp>

#include "../01_heat/heat.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);

  // The walls are at the first and the last point of z; the field is periodic in x and y.
  constexpr ridge::Index n = 33, steps = 200;
  const ridge::Field<double> u(device, ridge::Extents{16, 16, n});
  std::vector<double> host(static_cast<std::size_t>(u.count()));
  const auto mode = [](ridge::Index z) {
    return std::sin(std::numbers::pi * static_cast<double>(z) / (n - 1));
  };
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = mode(static_cast<ridge::Index>(i) / 256);
  ridge::copy_to_device(queue, u.data(), host.data(), u.count());

  constexpr double rate = 0.1;
  const auto walls = ridge::stencil::parse_boundaries("x=periodic,y=periodic,z=dirichlet:0");
  ridge::stencil::Sweeps sweeps(queue, Heat{rate}, {u.view()}, walls);
  sweeps.run(steps);
  sweeps.read(0, u.view());
  ridge::copy_to_host(queue, host.data(), u.data(), u.count());
  queue.wait();

  const double half = std::sin(std::numbers::pi / (2 * (n - 1)));
  const double exact = std::pow(1 - 4 * rate * half * half, static_cast<double>(steps));
  const double middle = host[static_cast<std::size_t>(u.view().at(3, 5, n / 2))];
  std::printf("after %lld sweeps %.9f, exactly %.9f\n", static_cast<long long>(sweeps.steps()),
              middle, exact);
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "sweeps: %s\n", error.what());
  return static_cast<int>(error.code());
}
