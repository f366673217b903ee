// 8. The fastest schedule of a call here, searched for a second and kept for every later launch.
// Usage: tuned [DEVICE]
#include <ridge/stencil.hpp>
#include <ridge/tune.hpp>

#include <cstdio>

int main(int argc, char** argv) try {
  namespace stencil = ridge::stencil;
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);
  const ridge::Field<double> u(device, ridge::Extents{200, 150, 100});
  const ridge::Field<double> f(device, ridge::Extents{200, 150, 100});
  ridge::fill_random(queue, u.elements(), 1);
  ridge::fill_random(queue, f.elements(), 2);

  using Kernel = stencil::Laplacian<2, 3>;
  const stencil::Call<Kernel, double> call{Kernel(stencil::Spacing{}), {u.view()}, f.view()};
  const auto found = ridge::tune::tune(queue, call, ridge::Seconds{1});
  std::printf("kept: %s\n", found.tuned.kept ? "yes" : "no");

  // Another program, or another process, takes what wisdom has for this kernel, size and device.
  const auto schedule = ridge::tune::automatic(queue, call);
  std::printf("taken again: %s\n", to_text(schedule) == to_text(found.schedule) ? "yes" : "no");
  const ridge::Program program(queue, call, schedule, "laplacian");
  program.run();
  queue.wait();
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "tuned: %s\n", error.what());
  return static_cast<int>(error.code());
}
