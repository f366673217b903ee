#include "poisson_report.hpp"

#include <ridge/device/kind.hpp>
#include <ridge/record/memory_roof.hpp>

#include <fmt/core.h>

namespace ridge::app {

using solve::GridSolution;

template <class T>
Record record_of_solve(Queue& queue, comm::Communicator& ranks, const Extents& size,
                       const std::string& own, const GridSolution& solution, const Field<T>& f,
                       const Field<T>& u) {
  Record record;
  record.pattern = "solve";
  record.kernel = own.empty() ? "poisson" : own;
  record.device = queue.device().id();
  record.device_name = queue.device().facts().name;
  record.precision = sizeof(T) == 4 ? "fp32" : "fp64";
  record.size = size;
  record.ranks = ranks.ranks();
  record.schedule = own.empty() ? solution.method() : "conjugate gradients";
  if (own.empty()) record.compiled = "ahead";
  record.work.convention = "a cycle; bytes: each array once a pass over it, all levels";
  record.work.items = record.size.count();
  record.work.read = Bytes{static_cast<Index>(solution.cycle_bytes * 2 / 3)};
  record.work.written = Bytes{static_cast<Index>(solution.cycle_bytes / 3)};
  const double seconds = ranks.greatest(solution.seconds.value);
  // A level has u, f and residuals.
  record.in_cache = 3 * f.count() * static_cast<Index>(sizeof(T)) <=
                    queue.device().facts().last_level_cache.value;
  if (solution.cycles > 0) {
    const Seconds each{seconds / solution.cycles};
    record.timing = Timing{each, each, each, solution.cycles};
    Achievement achieved{solution.cycle_bytes / each.value, "B/s", 0, ""};
    const Bytes bytes{f.count() * static_cast<Index>(sizeof(T)) / 64 * 64};
    if (!facts_of(queue.device()).is_emulated && bytes.value >= 4096) {
      MemoryRoof roof(queue, MemoryRoof::Kind::copy, bytes, f.data(), u.data());
      ranks.barrier();
      const Timing copied = measure(queue, [&] { roof.launch(); });
      achieved.roof = ranks.sum(roof.bytes() / copied.median.value);
      achieved.roof_name = roof.name();
    }
    record.achieved = achieved;
  }
  if (ranks.ranks() > 1) // ranks share z
    record.details.push_back({"rank_grid", 0, fmt::format("1x1x{}", ranks.ranks())});
  record.details.insert(record.details.end(), {{"cycles", static_cast<double>(solution.cycles), ""},
                                               {"levels", static_cast<double>(solution.levels), ""},
                                               {"residual", solution.residual(), ""},
                                               {"factor", solution.factor(), ""}});
  if (solution.end == GridSolution::End::converged)
    record.details.push_back({"criterion", 0, std::string(criterion_of(solution))});
  record.details.push_back({"in_fp64", solution.in_double ? 1.0 : 0.0, ""});
  if (solution.backward_error)
    record.details.push_back({"backward_error", *solution.backward_error, ""});
  record.details.push_back({"solve_seconds", seconds, ""});
  return record;
}

template Record record_of_solve(Queue&, comm::Communicator&, const Extents&, const std::string&,
                                const GridSolution&, const Field<float>&, const Field<float>&);
template Record record_of_solve(Queue&, comm::Communicator&, const Extents&, const std::string&,
                                const GridSolution&, const Field<double>&, const Field<double>&);

std::string_view criterion_of(const GridSolution& solution) {
  return solution.criterion == GridSolution::Criterion::rounding ? "rounding" : "residual";
}

void print_solve(const Record& record, const GridSolution& solution, const std::string& written) {
  fmt::print("{} {} {} on {} ({}){}, {}\n", record.kernel, ridge::to_text(record.size),
             record.precision, ridge::to_text(record.device), record.device_name,
             record.ranks == 1 ? "" : fmt::format("; {0} ranks as 1x1x{0}", record.ranks),
             solution.transform.empty()
                 ? fmt::format("{} level{}", solution.levels, solution.levels == 1 ? "" : "s")
                 : fmt::format("by Fourier transforms of {}", solution.transform));
  fmt::print("cycle  residual  factor\n");
  for (std::size_t i = 0; i < solution.residuals.size(); ++i) {
    const double r = solution.residuals[i];
    const std::string factor =
        i == 0 ? "" : fmt::format("  {:6.3f}", r / solution.residuals[i - 1]);
    fmt::print("{:5}  {:8.1e}{}\n", i, r, factor);
  }
  if (record.timing) {
    fmt::print("{} in all, {} a cycle, {:.2f} million points/s a cycle{}{}\n",
               ridge::to_text(solution.seconds), ridge::to_text(record.timing->median),
               static_cast<double>(record.work.items) / record.timing->median.value / 1e6,
               record.achieved->rate > 0 // an exact solution of few points is not accounted
                   ? ", " + quantity(record.achieved->rate, record.achieved->unit)
                   : "",
               record.achieved->rate > 0 && record.achieved->roof > 0
                   ? fmt::format(", {:.2f} of a copy", record.achieved->fraction())
                   : "");
  }
  if (solution.in_double)
    fmt::print("went on in fp64: fp32 gained too little; residuals are of what was then rounded\n");
  if (solution.end == GridSolution::End::converged &&
      solution.criterion == GridSolution::Criterion::rounding)
    fmt::print("converged as far as {} goes: rounding leaves a residual of {:.2g} of the "
               "right-hand side, {:.2g} of |A| |u| + |f|{}\n",
               solution.in_double ? "fp64" : record.precision, solution.residual(),
               *solution.backward_error,
               solution.error ? fmt::format("; u is right to about {:.1g} of it", *solution.error)
                              : "");
  if (solution.removed_mean != 0)
    fmt::print("the right-hand side's mean was {:.6g} too large, and was removed\n",
               solution.removed_mean);
  fmt::print("wrote {}\n", written);
}

} // namespace ridge::app
