// 2. Schedules are data. One kernel, the Laplacian, runs under every schedule that has a name on
// the device; all give the same values. Usage: schedules [DEVICE]
#include <ridge/stencil.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  namespace stencil = ridge::stencil;
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);
  const ridge::Extents extents{70, 33, 20};
  const ridge::Field<double> u(device, extents), f(device, extents);
  ridge::fill_random(queue, u.elements(), 1);

  using Kernel = stencil::Laplacian<2, 3>; // one that the library has compiled
  const stencil::Call<Kernel, double> call{
      Kernel(stencil::Spacing{0.1, 0.1, 0.2}), {u.view()}, f.view()};
  std::vector<double> first;
  const auto run = [&](const std::string& name, const stencil::Schedule& schedule) {
    ridge::fill_bytes(queue, f.data(), 0, ridge::Bytes{f.count() * 8});
    const ridge::Program program(queue, call, schedule, "laplacian");
    program.run();
    std::vector<double> result(static_cast<std::size_t>(f.count()));
    ridge::copy_to_host(queue, result.data(), f.data(), f.count());
    queue.wait();
    if (first.empty()) first = result;
    double worst = 0;
    for (std::size_t i = 0; i < result.size(); ++i)
      worst = std::max(worst, std::abs(result[i] - first[i]));
    std::printf("%-9s differs by %s\n", name.c_str(), worst < 1e-10 ? "less than 1e-10" : "MORE");
  };

  for (const stencil::NamedSchedule& named : stencil::named_schedules(device))
    run(named.name, named.schedule);

  // A line of text is a schedule, too: what it does not name is as in the default.
  const auto parsed = stencil::parse_schedule("store=plain", device,
                                              stencil::traits_of<Kernel, double>(), extents.xyz());
  run("of text", parsed.schedule);
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "schedules: %s\n", error.what());
  return static_cast<int>(error.code());
}
