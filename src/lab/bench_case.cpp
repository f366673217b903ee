#include <ridge/lab/bench_case.hpp>

#include <optional>

namespace ridge::lab {

namespace {

/// Measures a case's launches against its ceiling. That of a GPU, or of data in the cache, is
/// measured once; that of a cpu's memory beside each schedule, on the fields themselves.
class Accountant {
public:
  Accountant(Case& the_case, const BenchRequest& request, RoofSource& roof)
      : case_(the_case), request_(request), limit_(the_case.limit()) {
    const Device& device = request.device;
    beside_ = limit_.memory && device.kind() == DeviceKind::cpu &&
              static_cast<Index>(limit_.amount) > device.facts().last_level_cache.value;
    if (limit_.value) {
      ceiling_ = *limit_.value;
    } else if (!beside_) {
      const Ceiling* const found = roof.find(limit_.name);
      if (found != nullptr) ceiling_ = found->value;
    }
  }

  void account(Record& record, const Program& program) {
    const auto time = [&] {
      return measure(
          case_.queue(), [&] { program.run(); }, request_.measure);
    };
    Beside measured;
    if (beside_) {
      if (!roof_) {
        const RoofMemory& m = *limit_.memory;
        roof_.emplace(case_.queue(), m.kind, m.size, m.to, m.a, m.b);
      }
      measured = measure_beside(*roof_, time);
    } else {
      measured = {time(), ceiling_};
    }
    record.timing = measured.timing;
    record.host = host_time(case_.queue(), [&] { program.run(); });
    Achievement reached;
    reached.rate = limit_.amount / measured.timing.median.value;
    reached.unit = limit_.unit;
    reached.roof_name = limit_.name;
    reached.roof = measured.roof;
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

void BenchKernel::run(const BenchRequest& request, RoofSource& roof,
                      const std::function<void(const Record&)>& on_record) const {
  bench_case(*make_case(request, roof), request, roof, on_record);
}

void bench_case(Case& the_case, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record) {
  const auto schedules = the_case.schedules(request.schedule);
  Accountant accountant(the_case, request, roof);
  for (const AskedSchedule& s : schedules) {
    the_case.poison();
    const Program program = the_case.bind(s);
    program.run();
    Record record = program.record();
    record.schedule_name = s.name;
    record.size = request.size;
    record.check = the_case.check();
    accountant.account(record, program);
    the_case.complete(record, s);
    on_record(record);
  }
  for (const Record& record : the_case.yardsticks())
    on_record(record);
}

} // namespace ridge::lab
