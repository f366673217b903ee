#include "model_ranks.hpp"

#include <ridge/core/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace ridge::app {

Network read_network(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UsageError(fmt::format("--network {}: there is no such file", file));
  const auto json = nlohmann::json::parse(in, nullptr, false);
  Network slowest;
  try {
    for (const auto& link : json.at("links")) {
      const double latency = link.at("latency_seconds").get<double>();
      const double rate = link.at("bytes_per_second_each_way").get<double>();
      if (!(latency > 0) || !(rate > 0)) throw UsageError("a latency or rate is not above 0");
      if (slowest.bytes_per_second == 0 || rate < slowest.bytes_per_second)
        slowest = {latency, rate};
    }
    if (slowest.bytes_per_second == 0) throw UsageError("it has no links");
  } catch (const std::exception& error) {
    throw UsageError(fmt::format(
        "--network {}: not what `mpirun -n 2 ridge roof --json` prints: {}", file, error.what()));
  }
  return slowest;
}

std::vector<RankStep> predict_ranks(int most, Index3 points, const comm::Reach& reach, int elements,
                                    const Network& network,
                                    const std::function<Seconds(Index3)>& launch) {
  std::vector<int> counts;
  for (int ranks = 1; ranks < most; ranks *= 2)
    counts.push_back(ranks);
  counts.push_back(most);
  const double alone = launch(points).value;
  std::vector<RankStep> steps;
  for (const int ranks : counts) {
    RankStep s;
    s.ranks = ranks;
    s.grid = comm::choose_ranks(ranks, points, reach);
    const comm::Grid grid(points, s.grid, reach);
    int busiest = 0;
    for (int rank = 1; rank < ranks; ++rank)
      if (grid.sent(rank, 1).value > grid.sent(busiest, 1).value) busiest = rank;
    s.compute = launch(grid.held(busiest).extents());
    const auto messages = comm::halo_plan(grid, busiest, reach).sends.size();
    const double bytes = static_cast<double>(grid.sent(busiest, elements).value);
    // Messages to several neighbours leave together: their first bytes wait once.
    s.exchange = {messages == 0 ? 0 : network.latency + bytes / network.bytes_per_second};
    const comm::Division division = comm::divide(grid, busiest);
    Index outer = 0;
    for (const comm::Box& box : division.outer)
      outer += box.count();
    const double rest = static_cast<double>(outer) /
                        static_cast<double>(std::max<Index>(1, outer + division.inner.count()));
    s.step = {std::max(s.compute.value * (1 - rest), s.exchange.value) + s.compute.value * rest};
    s.strong = alone / (ranks * s.step.value);
    s.weak = launch(grid.owned(busiest).extents()).value / s.step.value;
    steps.push_back(s);
  }
  return steps;
}

} // namespace ridge::app
