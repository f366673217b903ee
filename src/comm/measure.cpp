#include <ridge/comm/measure.hpp>
#include <ridge/comm/transfer.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/memory.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ridge::comm {

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds from when all ranks are ready to when this one has done so many steps.
double time(Communicator& communicator, Queue& queue, const std::function<void()>& step,
            int steps) {
  queue.wait();
  communicator.barrier();
  const auto begin = Clock::now();
  for (int i = 0; i < steps; ++i)
    step();
  queue.wait();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

} // namespace

Timing measure_ranks(Communicator& communicator, Queue& queue, const std::function<void()>& step,
                     const MeasureOptions& options) {
  if (options.repeats < 1) throw UsageError("at least one repeat is needed");
  const auto pause = [&] {
    if (options.between) options.between();
  };
  for (int i = 0; i < std::max(options.warm_up, 2); ++i) { // the second may record a graph
    pause();
    (void)time(communicator, queue, step, 1);
  }
  // What follows is decided from the slowest rank's time, so that all decide the same.
  // Ranks begin up to some tens of microseconds apart: so many steps that this is little of them.
  constexpr double least = 20e-3;
  int batch = 1;
  double once = communicator.greatest(time(communicator, queue, step, 1));
  for (int tries = 0; tries < 4 && once * batch < least; ++tries) {
    batch = std::min(100000, static_cast<int>(std::ceil(1.2 * least / std::max(once, 1e-8))));
    once = communicator.greatest(time(communicator, queue, step, batch)) / batch;
  }
  const double patient = options.patience.value / std::max(once * batch, 1e-9);
  const int repeats = std::max(std::min(options.repeats, 3),
                               static_cast<int>(std::min<double>(options.repeats, patient)));
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    pause();
    seconds.push_back(communicator.greatest(time(communicator, queue, step, batch)) / batch);
  }
  const auto [low, high] = std::minmax_element(seconds.begin(), seconds.end());
  return {{median(seconds)}, {*low}, {*high}, repeats};
}

namespace {

/// Messages between rank 0 and `other`; other ranks only wait.
class Pair {
public:
  Pair(Communicator& communicator, Queue& queue, Carrier carrier, int other, Bytes size)
      : at_(communicator, queue, carrier), other_(other), size_(size),
        mine_(queue.device(), size, "messages"), theirs_(queue.device(), size, "messages") {
    const bool first = communicator.rank() == 0;
    const bool takes_part = first || communicator.rank() == other;
    const int peer = first ? other : 0;
    const Message send{mine_.data(), size, peer, 1};
    const Message receive{theirs_.data(), size, peer, 1};
    const auto bind = [&](bool sends, bool receives) {
      Phase phase;
      if (takes_part && sends) phase.sends.push_back(send);
      if (takes_part && receives) phase.receives.push_back(receive);
      return Transfer(at_, std::move(phase));
    };
    there_ = bind(first, !first);
    back_ = bind(!first, first);
    both_ = bind(true, true);
  }

  /// Seconds of a message there and one back.
  double there_and_back(int repeats) {
    return seconds(repeats, [&] {
      there_.run();
      back_.run();
    });
  }
  double both_ways(int repeats) {
    return seconds(repeats, [&] { both_.run(); });
  }

private:
  template <class F>
  double seconds(int repeats, const F& step) {
    const bool takes_part = at_.ranks.rank() == 0 || at_.ranks.rank() == other_;
    // So many that what a launch and a wait cost is little of them.
    constexpr Index enough = 128 << 20;
    const int steps = static_cast<int>(std::clamp<Index>(enough / size_.value, 1, 100));
    const std::function<void()> all_steps = [&] {
      for (int i = 0; takes_part && i < steps; ++i)
        step();
    };
    std::unique_ptr<Graph> graph; // as a program's exchanges are with this carrier
    std::vector<double> all;
    for (int i = 0; i < repeats + 1; ++i) {
      if (i == 1 && needs_no_host(at_.carrier) && takes_part)
        graph = std::make_unique<Graph>(at_.queue, all_steps);
      const auto go = [&] { graph ? graph->launch() : all_steps(); };
      const double mine = time(at_.ranks, at_.queue, go, 1) / steps;
      const double slowest = at_.ranks.greatest(takes_part ? mine : 0);
      if (i > 0) all.push_back(slowest); // the first connects
    }
    return median(all);
  }

  Endpoint at_;
  int other_;
  Bytes size_;
  Memory mine_, theirs_;
  Transfer there_, back_, both_;
};

} // namespace

std::vector<Link> measure_links(Communicator& communicator, Queue& queue, bool quick) {
  std::vector<Link> links;
  char host[256] = "";
  (void)gethostname(host, sizeof(host) - 1);
  const auto hosts = communicator.gather_text(host);
  const Carrier carrier = choose_carrier(communicator, queue.device());
  for (const bool same : {true, false}) {
    const auto other = std::find_if(hosts.begin() + 1, hosts.end(),
                                    [&](const std::string& h) { return (h == hosts[0]) == same; });
    if (hosts.size() < 2 || other == hosts.end()) continue;
    Link link;
    link.rank = static_cast<int>(other - hosts.begin());
    link.where = same ? "same machine" : "other machine";
    link.carrier = carrier;
    const int repeats = quick ? 5 : 15;
    const auto pair = [&](Index bytes) {
      return Pair(communicator, queue, carrier, link.rank, Bytes{bytes});
    };
    link.latency = {pair(8).there_and_back(repeats) / 2};
    const Index large = Index{quick ? 16 : 64} << 20;
    link.one_way = static_cast<double>(large) / (pair(large).there_and_back(repeats) / 2);
    for (const Index bytes : {Index{64} << 10, Index{2} << 20, large})
      link.exchanges.push_back({{bytes}, {pair(bytes).both_ways(repeats)}});
    link.both_ways = static_cast<double>(large) / link.exchanges.back().seconds.value;
    links.push_back(link);
  }
  return links;
}

} // namespace ridge::comm
