#include <ridge/comm/measure.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/rank_case.hpp>

#include <fmt/format.h>

#include <algorithm>

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
    if (worst.message.empty()) worst.message = fmt::format("rank {}: {}", r, messages[r]);
    worst.ok = false;
  }
  return worst;
}

namespace {

/// The ceiling of all ranks together, measured by all at the same time; 0 where there is none.
double roof_of(comm::Communicator& ranks, const Device& device, const std::string& name) {
  RoofSource source(device, true);
  ranks.barrier();
  const Ceiling* const ceiling = source.find(name);
  return ranks.sum(ceiling == nullptr ? 0 : ceiling->value);
}

/// Seconds of a launch on rank 0 alone; the others sleep meanwhile.
double alone(const BenchKernel& kernel, BenchRequest request, const Extents& size,
             comm::Communicator& ranks) {
  double seconds = 0;
  ranks.barrier();
  if (ranks.rank() == 0) {
    const auto one = comm::alone();
    request.size = size;
    const auto the_case = kernel.make_rank_case(request, *one, "");
    the_case->bind();
    seconds = comm::measure_ranks(
                  *one, the_case->queue(), [&] { the_case->run(); }, request.measure)
                  .median.value;
  }
  return ranks.from(0, seconds);
}

void add(Record& record, const std::string& name, double number) {
  record.details.push_back({name, number, {}});
}

} // namespace

Record bench_ranks(const BenchKernel& kernel, const BenchRequest& request, const RankRequest& asked,
                   comm::Communicator& ranks) {
  if (!kernel.make_rank_case) {
    throw UsageError(fmt::format("{} runs on one rank: stencils, chains, and maps and sums of "
                                 "lattice fields run on several",
                                 kernel.name));
  }
  if (request.schedule == "all" || request.schedule == "space")
    throw UsageError("over ranks one schedule is run at a time; give auto, a name or fields");
  const auto the_case = kernel.make_rank_case(request, ranks, asked.grid);
  the_case->bind();
  Record record = the_case->record();
  record.check = the_case->check();
  const auto time = [&](const std::function<void()>& step) {
    return comm::measure_ranks(ranks, the_case->queue(), step, request.measure);
  };
  record.timing = time([&] { the_case->run(); });
  const double exchange =
      the_case->exchanges() ? time([&] { the_case->run_exchange(); }).median.value : 0;
  const double compute = time([&] { the_case->run_compute(); }).median.value;
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
    reached.roof_name = the_case->roof_name();
    reached.roof = roof_of(ranks, request.device, reached.roof_name);
  }
  record.achieved = reached;

  if (asked.scaling && ranks.ranks() > 1) {
    const double whole = alone(kernel, request, request.size, ranks);
    const double share = alone(kernel, request, the_case->share(), ranks);
    add(record, "one_rank_seconds", whole);
    add(record, "one_rank_share_seconds", share);
    add(record, "strong_efficiency", whole / (ranks.ranks() * both));
    add(record, "weak_efficiency", share / both);
  }
  return record;
}

} // namespace ridge::lab
