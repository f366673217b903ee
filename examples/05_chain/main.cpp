// 5. Operations in sequence. Whether they run over a tile together or one launch after the other is
// the schedule's matter; the bits are the same. Usage: heat_chain [DEVICE]
#include "chain.hpp"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  namespace chain = ridge::chain;
  using conduction::Chain;
  const ridge::Device device(argc > 1 ? ridge::parse_device(argv[1]) : ridge::best_device());
  ridge::Queue queue(device);
  const ridge::Index n = 10000;
  const ridge::Field<double> u(device, ridge::Extents{n}), next(device, ridge::Extents{n});
  ridge::fill_random(queue, u.elements(), 1);

  chain::Views<Chain, double> views;
  views.set(conduction::u, u.view()).set(conduction::next, next.view());
  const chain::Request<Chain, double> request{{{conduction::Flux{0.25}, {}}}, {n, 1, 1}, views};

  const auto run = [&](const std::string& schedule) {
    const auto parsed =
        chain::parse_schedule(schedule, device, chain::describe<Chain, double>(), request.extents);
    const ridge::Program program(queue, request, parsed.schedule);
    program.run();
    std::vector<double> result(static_cast<std::size_t>(n));
    ridge::copy_to_host(queue, result.data(), next.data(), n);
    queue.wait();
    return result;
  };
  const std::vector<double> fused = run("fuse=all"), apart = run("fuse=none");

  std::vector<double> before(static_cast<std::size_t>(n));
  ridge::copy_to_host(queue, before.data(), u.data(), n);
  queue.wait();
  double lost = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    lost += before[i] - fused[i];
  std::printf("together and apart: %s bits, heat lost: %s\n", fused == apart ? "the same" : "OTHER",
              std::abs(lost) < 1e-10 ? "none" : "SOME");
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "heat_chain: %s\n", error.what());
  return static_cast<int>(error.code());
}
