#include <ridge/comm/communicator.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/record/load.hpp>

#include "../core/refuse.hpp"
#include "account_ranks.hpp"

#include <algorithm>
#include <optional>

namespace ridge::lab {

namespace {

/// Measures a case's launches against its ceiling. Where that is memory, it is measured in turn
/// with the launches, on the fields themselves; others, and that of data in the cache, are measured
/// once.
class Accountant {
public:
  Accountant(Case& the_case, const BenchRequest& request, RoofSource& roof)
      : case_(the_case), request_(request), limit_(the_case.limit()) {
    const Device& device = request.device;
    beside_ = limit_.memory && request.roof && !facts_of(device).is_emulated &&
              static_cast<Index>(limit_.amount) > device.facts().last_level_cache.value;
    if (limit_.value) {
      ceiling_ = *limit_.value;
    } else if (!beside_) {
      const Ceiling* const found = roof.find(limit_.name);
      if (found != nullptr) ceiling_ = found->value;
    }
  }

  void account(Record& record, const Program& program) {
    const auto launch = [&] { program.run(); };
    const LoadWatch load;
    Beside measured;
    if (beside_) {
      if (!roof_) {
        const RoofMemory& m = *limit_.memory;
        roof_.emplace(case_.queue(), m.kind, m.size, m.to, m.a, m.b);
      }
      measured = measure_beside(case_.queue(), launch, *roof_, request_.measure);
    } else {
      measured = {measure(case_.queue(), launch, request_.measure), ceiling_};
    }
    if (!facts_of(request_.device).takes_gpu_schedules && load.is_busy())
      record.details.push_back({busy_detail, load.waited().value_or(1), {}});
    record.timing = measured.timing;
    record.host = host_time(case_.queue(), launch);
    Achievement reached;
    reached.rate = limit_.amount / measured.timing.median.value;
    reached.unit = limit_.unit;
    reached.roof_name = limit_.name;
    reached.roof = measured.roof;
    reached.fraction_low = reached.fraction() * measured.low;
    reached.fraction_high = reached.fraction() * measured.high;
    record.achieved = reached;
  }

private:
  Case& case_;
  const BenchRequest& request_;
  Limit limit_;
  bool beside_ = false;
  double ceiling_ = 0;
  std::optional<MemoryRoof> roof_;
};

} // namespace

std::string busy_text(const std::vector<Record>& records) {
  const auto busy = [](const Record& r) {
    return std::any_of(r.details.begin(), r.details.end(),
                       [](const Detail& d) { return d.name == busy_detail; });
  };
  const auto count = std::count_if(records.begin(), records.end(), busy);
  if (count == 0) return {};
  return "the machine is too busy to tell: other work took the cores while " +
         std::to_string(count) + " of " + std::to_string(records.size()) + " were measured";
}

void run_kernel(const BenchKernel& kernel, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record) {
  const World& world = request.world;
  refuse_if(world && !kernel.over_ranks,
            "{} runs on one rank: stencils, chains, lattice gauge operators, and maps and sums of "
            "lattice fields run on several",
            kernel.name);
  refuse_if(world && (request.schedule == "all" || request.schedule == "space"),
            "over ranks one schedule is run at a time; give auto, a name or fields");
  const auto the_case = kernel.make_case(request, roof);
  bench_case(*the_case, request, roof, [&](Record record) {
    if (world && world.scaling && world.ranks->ranks() > 1)
      add_efficiency(record, kernel, request, the_case->share(), roof);
    on_record(record);
  });
}

void bench_case(Case& the_case, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record) {
  std::string source;
  const std::vector<AskedSchedule> schedules =
      request.world    ? std::vector<AskedSchedule>{{"", request.schedule}}
      : request.wisdom ? schedules_by_wisdom(the_case, request.schedule, &source)
                       : the_case.menu().asked(request.schedule);
  std::optional<Accountant> accountant; // of one rank
  if (!request.world) accountant.emplace(the_case, request, roof);
  for (const AskedSchedule& s : schedules) {
    the_case.poison();
    const Program program = the_case.bind(s);
    program.run();
    Check check = the_case.check();
    if (request.world) check = worst_of(*request.world.ranks, check);
    Record record = request.world ? the_case.ranks()->record() : program.record();
    record.schedule_name = s.name;
    record.size = request.size;
    if (!source.empty()) record.details.push_back({source_detail, 0, source});
    record.check = check;
    if (accountant) {
      accountant->account(record, program);
    } else {
      account_ranks(record, the_case, request, roof);
    }
    the_case.complete(record, s);
    on_record(record);
  }
  for (const Record& record : the_case.yardsticks())
    on_record(record);
}

} // namespace ridge::lab
