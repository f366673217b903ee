// 1. A kernel, bound once and run often. Heat spreads from a hot cell, 100 steps on any device.
// Usage: heat [DEVICE]
#include "heat.hpp"

#include <cstdio>
#include <vector>

int main(int argc, char** argv) try {
  // Step 1: a device and a queue of work on it.
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);

  // Step 2: fields on the device, zero but for one hot cell.
  const ridge::Extents extents{64, 64, 64};
  const ridge::Field<double> even(device, extents), odd(device, extents);
  std::vector<double> host(static_cast<std::size_t>(extents.count()), 0.0);
  const auto centre = static_cast<std::size_t>(even.view().at(32, 32, 32));
  host[centre] = 1.0;
  ridge::copy_to_device(queue, even.data(), host.data(), even.count());
  ridge::copy_to_device(queue, odd.data(), host.data(), odd.count());

  // Step 3: programs. Binding checks, chooses the schedule and compiles what is missing.
  using Call = ridge::stencil::Call<Heat, double>;
  const ridge::Program there(queue, Call{{0.1}, {even.view()}, odd.view()}, "heat");
  const ridge::Program back(queue, Call{{0.1}, {odd.view()}, even.view()}, "heat");

  // Step 4: launches. Each only hands its work to the queue.
  for (int step = 0; step < 100; step += 2) {
    there.run();
    back.run();
  }
  ridge::copy_to_host(queue, host.data(), even.data(), even.count());
  queue.wait();

  // Step 5: the result, and what a launch must at least move.
  double total = 0;
  for (const double u : host)
    total += u;
  std::printf("centre %.6f, total %.12f\n", host[centre], total);
  const ridge::Record record = there.record();
  std::printf("a step reads %lld bytes and writes %lld\n",
              static_cast<long long>(record.work.read.value),
              static_cast<long long>(record.work.written.value));
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return static_cast<int>(error.code());
}
