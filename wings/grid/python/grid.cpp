// Elliptic problems on arrays of Python.
#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/grid/own_kernel.hpp>
#include <ridge/lab/calls.hpp>

#include "python/call.hpp"
#include "python/interrupt.hpp"
#include "python/others_may_run.hpp"
#include "python/queues.hpp"

#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

struct Asked {
  std::string boundary, method, cycle, smoother, precision;
  std::string schedule;          ///< auto, or fields
  std::array<double, 3> spacing; ///< x first
  double shift, tolerance;
  int order, cycles; ///< cycles: below 0 where not given
  bool from_guess, project;
  bool has_coefficient, has_mask; ///< arrays that follow, in this order
  std::string own;                ///< FILE.hpp:Name, or empty
  std::vector<std::string> settings;
};

solve::GridMethod method_of(const std::string& text) {
  using solve::GridMethod;
  if (text == "auto") return GridMethod::automatic;
  if (text == "fft") return GridMethod::fourier;
  if (text == "multigrid") return GridMethod::multigrid;
  if (text == "cg") return GridMethod::conjugate_gradients;
  throw UsageError("solve: method is auto, fft, multigrid or cg, not '" + text + "'");
}

bool refuses(solve::CycleShape shape) {
  return shape == solve::CycleShape::full;
}
template <class Any>
bool refuses(Any /*other*/) {
  return false;
}

/// Nothing of an empty text.
template <class E>
std::optional<E> choice_of(const std::string& text, const char* says) {
  std::optional<E> found;
  if (text.empty()) return found;
  if (!text::value_from_text(text, found.emplace()) || refuses(*found))
    throw UsageError(fmt::format("solve: {}, not '{}'", says, text));
  return found;
}

/// The solver of the last problem on a queue, for the next call: levels, the coarsest one's inverse
/// and plans of transforms take longer than many a solve. Kept to the end of the process, when
/// devices may have ended.
struct Kept {
  std::string key;
  std::shared_ptr<void> solver;
};
Kept& kept_of(const Turn& turn) {
  static std::mutex guard;
  static auto& all = *new std::map<const Turn*, Kept>();
  const std::lock_guard lock(guard);
  return all[&turn];
}

/// Ask while it is your turn. Solvers of a coefficient or a mask, and those that take more than a
/// sixteenth of the device's memory, are not kept.
template <class T>
std::shared_ptr<solve::Multigrid<T>> solver_of(Turn& turn, const solve::GridProblem& problem,
                                               const Asked& asked) {
  const Index3& n = problem.extents;
  const double fields = sizeof(T) == 8 ? 5.25 : 3.5; // with those of cycles in fp32
  const double bytes =
      fields * static_cast<double>(sizeof(T)) * static_cast<double>(n.x * n.y * n.z);
  const bool is_kept = !asked.has_coefficient && !asked.has_mask &&
                       bytes <= static_cast<double>(turn.queue.device().facts().memory.value) / 16;
  const auto& h = asked.spacing;
  const std::string key =
      fmt::format("{} {}x{}x{} {} {:a} {:a} {:a} {:a} {}", sizeof(T), n.x, n.y, n.z, asked.boundary,
                  h[0], h[1], h[2], asked.shift, asked.order);
  Kept& kept = kept_of(turn);
  if (!is_kept || kept.key != key) kept = {}; // its memory first
  if (is_kept && kept.solver) return std::static_pointer_cast<solve::Multigrid<T>>(kept.solver);
  auto made = std::make_shared<solve::Multigrid<T>>(turn.queue, problem);
  if (is_kept) kept = {key, made};
  return made;
}

template <class T>
solve::GridSolution solved(Turn& turn, const std::vector<Array>& all, const Asked& asked) {
  const View<T> f = lab::view_of<T>(all[0]);
  solve::GridProblem problem = solve::parse_grid_problem(f.extents, asked.boundary);
  problem.boundaries.spacing = {asked.spacing[0], asked.spacing[1], asked.spacing[2]};
  problem.shift = asked.shift;
  problem.order = asked.order;
  solve::GridOptions options;
  options.method = method_of(asked.method);
  options.cycle = choice_of<solve::CycleShape>(asked.cycle, "cycle is v, w or f");
  const bool is_laid = asked.schedule != "auto";
  if (is_laid && (asked.method == "fft" || asked.smoother == "red-black" || !asked.own.empty()))
    throw UsageError("solve: schedule lays out the passes of chebyshev's sweeps: it goes with "
                     "neither method fft, smoother red-black nor a functor");
  if (is_laid && !options.cycle) options.cycle = solve::CycleShape::v;
  options.smoother =
      choice_of<solve::Smoother>(asked.smoother, "smoother is chebyshev or red-black");
  options.precision =
      *choice_of<solve::CyclePrecision>(asked.precision, "precision is auto, fp64 or mixed");
  options.tolerance = asked.tolerance;
  if (asked.cycles >= 0) options.most_cycles = asked.cycles;
  options.full = !asked.from_guess;
  options.project = asked.project;
  options.project_option = "project=True";
  options.progress = [](int /*cycle*/, double /*residual*/) {
    check_interrupt();
    return true;
  };
  if (!asked.own.empty()) {
    const auto alone = comm::alone();
    return solve::solve_own<T>(turn.queue, problem, asked.own, asked.settings, View<const T>(f),
                               lab::view_of<T>(all[1]), options, *alone);
  }
  const auto kept = solver_of<T>(turn, problem, asked);
  solve::Multigrid<T>& solver = *kept;
  const auto given = [&](std::size_t i) { return View<const T>(lab::view_of<T>(all[i])); };
  if (asked.has_mask) {
    const View<const T> k = asked.has_coefficient ? given(2) : View<const T>();
    solver.set_mask(given(all.size() - 1), asked.has_coefficient ? &k : nullptr);
  } else if (asked.has_coefficient) {
    solver.set_coefficient(given(2));
  }
  (void)solver.lay(asked.schedule);
  return solver.solve(View<const T>(f), lab::view_of<T>(all[1]), options);
}

nb::dict solve_grid(nb::tuple arrays, const std::string& boundary,
                    const std::array<double, 3>& spacing, double shift, int order,
                    const std::string& method, const std::string& cycle,
                    const std::string& smoother, const std::string& precision,
                    const std::string& schedule, double tolerance, int cycles, bool from_guess,
                    bool project, bool has_coefficient, bool has_mask, const std::string& own,
                    const std::vector<std::string>& settings, nb::object device) {
  const std::string name = "solve";
  std::vector<std::string> names{"f", "out"};
  if (has_coefficient) names.emplace_back("coefficient");
  if (has_mask) names.emplace_back("mask");
  const std::vector<std::string> no_numbers;
  const Signature signature{name, names, no_numbers, 0, 1, 2};
  const Call call = look_at_call(signature, std::move(arrays), nb::make_tuple(), std::move(device));
  const Asked asked{boundary, method,          cycle,     smoother, precision, schedule,
                    spacing,  shift,           tolerance, order,    cycles,    from_guess,
                    project,  has_coefficient, has_mask,  own,      settings};
  solve::GridSolution how;
  {
    const OthersMayRun others_may_run;
    const Unforkable unforkable;
    Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
    const std::lock_guard lock(turn.guard);
    if (recording_on(turn))
      throw UsageError("solve waits for the device, which no graph holds; call it outside of it");
    check_shapes(name, names, call.arrays.all, 3, true);
    check_memory(name, names, call.arrays.all, {1, 2}, true);
    how = call.arrays.all[0].element_bytes == 4 ? solved<float>(turn, call.arrays.all, asked)
                                                : solved<double>(turn, call.arrays.all, asked);
  }
  nb::dict result;
  result["converged"] = how.end == solve::GridSolution::End::converged;
  result["in_fp64"] = how.in_double;
  result["criterion"] =
      how.criterion == solve::GridSolution::Criterion::rounding ? "rounding" : "residual";
  result["backward_error"] = how.backward_error;
  result["error"] = how.error;
  result["iterations"] = how.cycles;
  result["residuals"] = how.residuals;
  result["seconds"] = how.seconds.value;
  result["bytes"] = how.cycle_bytes * how.cycles;
  result["levels"] = how.levels;
  result["removed_mean"] = how.removed_mean;
  result["method"] = !own.empty()             ? "cg (" + own + ")"
                     : !how.transform.empty() ? "fft (" + how.transform + ")"
                     : how.conjugate          ? std::string("cg")
                                              : std::string("multigrid");
  result["schedule"] = own.empty() ? how.method() : "conjugate gradients";
  result["tiles"] = how.tiles;
  result["device"] = to_text(call.arrays.device);
  return result;
}

/// Bytes a second of a copy on a device; 0 where nobody measures it.
double copy_rate(const std::string& device) {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  Turn& turn = queue_of(parse_device(device), nullptr);
  const std::lock_guard lock(turn.guard);
  const Ceiling* const found = turn.roof.find("copy");
  return found == nullptr ? 0 : found->value;
}

/// Adds `solve_grid` and `copy_rate`.
void add_to(nb::module_& m) {
  m.def("solve_grid", &solve_grid, "arrays"_a, "boundary"_a, "spacing"_a, "shift"_a, "order"_a,
        "method"_a, "cycle"_a, "smoother"_a, "precision"_a, "schedule"_a, "tolerance"_a, "cycles"_a,
        "from_guess"_a, "project"_a, "has_coefficient"_a, "has_mask"_a, "own"_a, "settings"_a,
        "device"_a.none());
  m.def("copy_rate", &copy_rate, "device"_a);
}

} // namespace

} // namespace ridge::python

namespace ridge::wings::python {

void grid(nb::module_& m);

void grid(nb::module_& m) {
  ridge::python::add_to(m);
}

} // namespace ridge::wings::python
