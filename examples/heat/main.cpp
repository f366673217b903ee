// Heat spreads from a hot cell: 100 steps on any device. Usage: heat [DEVICE]
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/stencil/launch.hpp>

#include "heat.hpp"

#include <cstdio>
#include <utility>
#include <vector>

int main(int argc, char** argv) try {
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  const ridge::Extents extents{64, 64, 64};
  ridge::Queue queue(device);
  ridge::Field<double> now(device, extents);
  ridge::Field<double> next(device, extents);

  std::vector<double> host(static_cast<std::size_t>(extents.count()), 0.0);
  host[static_cast<std::size_t>(now.view().at(32, 32, 32))] = 1.0;
  ridge::copy_to_device(queue, now.data(), host.data(), now.count());
  ridge::copy_to_device(queue, next.data(), host.data(), next.count());

  ridge::Record record;
  for (int step = 0; step < 100; ++step) {
    record = ridge::stencil::launch(
        queue, ridge::stencil::Call<Heat, double>{{0.1}, {now.view()}, next.view()}, "heat");
    std::swap(now, next);
  }
  ridge::copy_to_host(queue, host.data(), now.data(), now.count());
  queue.wait();

  double total = 0;
  for (const double u : host)
    total += u;
  std::printf("%s: centre %.6f, total %.12f, schedule %s\n", to_text(device.id()).c_str(),
              host[static_cast<std::size_t>(now.view().at(32, 32, 32))], total,
              record.schedule.c_str());
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return static_cast<int>(error.code());
}
