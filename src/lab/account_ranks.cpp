#include "account_ranks.hpp"

#include <ridge/comm/measure.hpp>
#include <ridge/comm/step.hpp>

#include <algorithm>
#include <functional>

namespace ridge::lab {

Check worst_of(comm::Communicator& ranks, const Check& mine) {
  struct Verdict {
    bool ok;
    double error;
  };
  const auto all = ranks.gather(Verdict{mine.ok, mine.max_error});
  const auto messages = ranks.gather_text(mine.message);
  Check worst = mine;
  worst.message.clear();
  for (std::size_t r = 0; r < all.size(); ++r) {
    worst.max_error = std::max(worst.max_error, all[r].error);
    if (all[r].ok) continue;
    if (worst.message.empty()) worst.message = "rank " + std::to_string(r) + ": " + messages[r];
    worst.ok = false;
  }
  return worst;
}

namespace {

/// The ceiling of all ranks together, measured by all at the same time; 0 where there is none.
double roof_of(comm::Communicator& ranks, RoofSource& roof, const std::string& name) {
  ranks.barrier();
  const Ceiling* const ceiling = roof.find(name);
  return ranks.sum(ceiling == nullptr ? 0 : ceiling->value);
}

/// Seconds of a launch on rank 0 alone; the others sleep meanwhile.
double alone(const BenchKernel& kernel, BenchRequest request, const Extents& size,
             RoofSource& roof) {
  comm::Communicator& ranks = *request.world.ranks;
  double seconds = 0;
  ranks.barrier();
  if (ranks.rank() == 0) {
    const auto one = comm::alone();
    request.size = size;
    request.world = {one.get()};
    const auto the_case = kernel.make_case(request, roof);
    const Program program = the_case->bind({"", request.schedule});
    seconds = comm::measure_ranks(
                  *one, the_case->queue(), [&] { program.run(); }, request.measure)
                  .median.value;
  }
  return ranks.from(0, seconds);
}

void add(Record& record, const std::string& name, double number) {
  record.details.push_back({name, number, {}});
}

} // namespace

void account_ranks(Record& record, Case& the_case, const BenchRequest& request, RoofSource& roof) {
  comm::Communicator& ranks = *request.world.ranks;
  comm::Step& step = *the_case.ranks();
  const auto time = [&](const std::function<void()>& part) {
    return comm::measure_ranks(ranks, the_case.queue(), part, request.measure);
  };
  record.timing = time([&] { step.run(); });
  const double exchange = step.exchanges() ? time([&] { step.run_exchange(); }).median.value : 0;
  const double compute = time([&] { step.run_compute(); }).median.value;
  const double both = record.timing->median.value;
  add(record, "exchange_seconds", exchange);
  add(record, "compute_seconds", compute);
  // Of the shorter of both, what the longer hid: 1 where a step takes as long as the longer.
  const double shorter = std::min(exchange, compute);
  add(record, "overlapped",
      shorter > 0 ? std::clamp((exchange + compute - both) / shorter, 0.0, 1.0) : 0);

  Achievement reached;
  reached.rate = static_cast<double>(record.work.read.value + record.work.written.value) / both;
  reached.unit = "B/s";
  if (!record.in_cache && request.roof) { // of memory there is nothing to be said otherwise
    reached.roof_name = the_case.limit().name;
    reached.roof = roof_of(ranks, roof, reached.roof_name);
  }
  record.achieved = reached;
}

void add_efficiency(Record& record, const BenchKernel& kernel, const BenchRequest& request,
                    const Extents& share, RoofSource& roof) {
  const double whole = alone(kernel, request, request.size, roof);
  const double part = alone(kernel, request, share, roof);
  const double both = record.timing->median.value;
  add(record, "one_rank_seconds", whole);
  add(record, "one_rank_share_seconds", part);
  add(record, "strong_efficiency", whole / (request.world.ranks->ranks() * both));
  add(record, "weak_efficiency", part / both);
}

} // namespace ridge::lab
