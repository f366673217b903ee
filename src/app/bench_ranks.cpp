#include "bench_ranks.hpp"

#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/table.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace ridge::app {

namespace {

const Detail* find(const Record& record, const std::string& name) {
  const auto at = std::find_if(record.details.begin(), record.details.end(),
                               [&](const Detail& d) { return d.name == name; });
  return at == record.details.end() ? nullptr : &*at;
}

double number(const Record& record, const std::string& name) {
  const Detail* const detail = find(record, name);
  return detail == nullptr ? 0 : detail->number;
}

std::string seconds(const Record& record, const std::string& name) {
  return to_text(Seconds{number(record, name)});
}

void print(const Record& r, const comm::Communicator& ranks, const std::string& why_staged) {
  const std::string head =
      fmt::format("{} {} {} on {} ({}); {}", r.kernel, to_text(r.size), r.precision,
                  to_text(r.device), r.device_name, r.work.convention);
  fmt::print("{}\n", lab::within_columns(head, 2));
  fmt::print("{} ranks as {} over {}; messages by {}{}, {:.3g} MB an exchange in all\n", r.ranks,
             find(r, "rank_grid")->text, ranks.implementation(), find(r, "carrier")->text,
             why_staged.empty() ? "" : " (" + why_staged + ")", number(r, "exchange_bytes") / 1e6);
  if (r.in_cache) fmt::print("the data fit the last-level cache: fractions may exceed 1\n");
  lab::Table table({"time", "exchange", "compute", "overlapped", "achieved", "roof of all",
                    "fraction", "check", "schedule"});
  table.add({to_text(r.timing->median), seconds(r, "exchange_seconds"),
             seconds(r, "compute_seconds"), fmt::format("{:.2f}", number(r, "overlapped")),
             lab::rate_text(r), lab::roof_text(r),
             r.achieved->roof > 0 ? fmt::format("{:.3f}", r.achieved->fraction()) : "-",
             r.check->ok ? fmt::format("ok {:.1e}", r.check->max_error) : "FAILED", r.schedule});
  fmt::print("{}", table.text());
  if (find(r, "strong_efficiency") == nullptr) return;
  fmt::print(
      "one rank alone: {} for all, {} for its share; efficiency strong {:.3f}, weak {:.3f}\n",
      seconds(r, "one_rank_seconds"), seconds(r, "one_rank_share_seconds"),
      number(r, "strong_efficiency"), number(r, "weak_efficiency"));
}

} // namespace

void bench_over_ranks(const lab::BenchKernel& kernel, const lab::BenchRequest& request, bool json) {
  comm::Communicator& ranks = *request.world.ranks;
  std::string why_staged;
  (void)comm::choose_carrier(ranks, request.device, &why_staged);
  lab::RoofSource roof(request.device, true, request.roof);
  Record record;
  lab::run_kernel(kernel, request, roof, [&](const Record& made) { record = made; });
  if (json) {
    fmt::print("{}\n", to_json(std::vector<Record>{record}));
  } else {
    print(record, ranks, why_staged);
  }
  if (!record.check->ok) {
    throw Failure(
        fmt::format("{} under '{}': {}", record.kernel, record.schedule, record.check->message));
  }
}

} // namespace ridge::app
