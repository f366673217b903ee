#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/grid/own_kernel.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "app/apply_output.hpp"
#include "app/commands.hpp"
#include "app/evolve_fields.hpp"
#include "app/hdf5_describe.hpp"
#include "app/interrupt.hpp"
#include "app/progress.hpp"
#include "app/rank_pieces.hpp"
#include "app/spacing.hpp"
#include "app/transfer.hpp"
#include "app/version.hpp"
#include "core/refuse.hpp"
#include "poisson_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace ridge::app {

namespace {

using solve::GridSolution;

struct PoissonCommand {
  std::string input, output, boundary, from, coefficient, mask;
  std::string spacing = "1", method = "auto", device = "auto";
  std::string own;             ///< FILE.hpp:Name
  std::string cycle, smoother; ///< empty: not given
  std::string precision = "auto";
  std::string schedule = "auto";
  std::vector<std::string> settings;
  double shift = 0, tolerance = 1e-10;
  int order = 2;
  std::optional<double> asked; ///< tolerance
  std::optional<Index> cycles;
  bool project = false, reproducible = false, overwrite = false, json = false;

  /// `--operator` may name the equation that the other options say, and is done with then.
  void take_equation() {
    const auto refuse = [this](bool wrong, const char* what) {
      refuse_if(wrong, "--operator {} {}", own, what);
    };
    const bool is_diffusion = own == "diffusion";
    if (own != "poisson" && own != "helmholtz" && !is_diffusion) return;
    refuse(is_diffusion && coefficient.empty(), "takes --coefficient FILE.h5:/path");
    refuse(!is_diffusion && !coefficient.empty(), "takes no --coefficient; diffusion does");
    refuse(own == "poisson" && shift != 0, "takes no --shift; helmholtz does");
    own.clear();
  }

  void run() {
    const InputDataset source(parse_dataset_name(input, "INPUT"));
    tolerance = asked.value_or(source.element_bytes() == 4 ? 1e-5 : 1e-10);
    solve::GridProblem problem{source.extents().xyz(), stencil::parse_boundaries(boundary), shift,
                               order};
    const int dimensions = source.extents().rank();
    problem.boundaries.spacing = parse_spacing(spacing, dimensions);
    require_axes(problem.boundaries, dimensions);
    solve::require_solvable(problem);
    (void)parsed_method();
    (void)parsed_cycle();
    (void)parsed_smoother();
    (void)parsed_precision();
    require_own();
    refuse_if(schedule != "auto" && (method == "fft" || smoother == "red-black"),
              "--schedule lays out the passes of chebyshev's sweeps: it goes with neither --method "
              "fft nor --smoother red-black");
    refuse_if(!(tolerance > 0 && tolerance < 1), "--tol is between 0 and 1, not {}", tolerance);
    std::vector<std::filesystem::path> fields = face_files(problem.boundaries);
    read_face_fields(problem.boundaries, source.extents());
    const std::optional<InputDataset> guess = like(source, from, "--from", fields);
    const std::optional<InputDataset> k = like(source, coefficient, "--coefficient", fields);
    const std::optional<InputDataset> land = like(source, mask, "--mask", fields);
    comm::Communicator& ranks = comm::world();
    const comm::Grid grid = solve::grid_of_ranks(problem, ranks.ranks());
    std::optional<ApplyOutput> result; // rank 0 alone writes
    if (ranks.rank() == 0)
      result.emplace(parse_dataset_name(output, "OUTPUT"), source, std::filesystem::path(),
                     overwrite, fields);
    Queue queue(ranks.ranks() > 1
                    ? comm::device_of_rank(ranks, device)
                    : Device(device == "auto" ? best_device() : parse_device(device)));
    const Shares shares{ranks, grid, source};
    if (source.element_bytes() == 4) {
      solve<float>(queue, problem, shares, {guess, k, land}, result);
    } else {
      solve<double>(queue, problem, shares, {guess, k, land}, result);
    }
  }

  /// What an operator of the user's own does not take.
  void require_own() const {
    refuse_if(own.empty() && !settings.empty(), "--set is for an operator in a file");
    if (own.empty()) return;
    refuse_if(!lab::names_a_file(own),
              "--operator is poisson, helmholtz, diffusion or FILE.hpp:Name, a functor of yours, "
              "not '{}'",
              own);
    refuse_if(!coefficient.empty() || !mask.empty() || shift != 0 || order != 2 || project ||
                  !cycle.empty() || !smoother.empty() || schedule != "auto" ||
                  precision != "auto" || (method != "auto" && method != "cg"),
              "an operator in a file takes no --coefficient, --mask, --shift, --order, --project, "
              "--cycle, --smoother, --schedule, --precision or --method but cg");
  }

  /// How ranks share the datasets: all are as f is.
  struct Shares {
    comm::Communicator& ranks;
    const comm::Grid& grid;
    const InputDataset& source;
    [[nodiscard]] comm::Box box() const { return grid.owned(ranks.rank()); }
    [[nodiscard]] Extents extents() const { // of this rank's part
      const Index3 n = box().extents();
      return Extents{n.x, n.y, n.z};
    }
    /// Reads this rank's part. What is not finite is that of all.
    [[nodiscard]] NotFinite read(const InputDataset& input, Queue& queue, void* to) const {
      NotFinite mine =
          read_to_device(input, input.pieces_in(box().begin, box().extents()), queue, to);
      mine.first = index_in_whole(box(), mine.first, input.extents().xyz());
      NotFinite all;
      for (const NotFinite& one : ranks.gather(mine)) {
        if (one.count() == 0) continue;
        all.first = all.count() == 0 ? one.first : std::min(all.first, one.first);
        all.nan += one.nan;
        all.infinite += one.infinite;
      }
      return all;
    }
    void read_finite(const InputDataset& input, Queue& queue, void* to) const {
      require_finite(read(input, queue, to), input);
    }
  };

  /// Datasets beside f.
  struct Given {
    const std::optional<InputDataset>&guess, &k, &land;
  };

  /// A dataset of the same extents and type, where one is named; `fields` take its files.
  static std::optional<InputDataset> like(const InputDataset& source, const std::string& name,
                                          const char* option,
                                          std::vector<std::filesystem::path>& fields) {
    std::optional<InputDataset> found;
    if (name.empty()) return found;
    found.emplace(parse_dataset_name(name, option));
    const auto is = [](const InputDataset& d) {
      return fmt::format("{} in fp{}", ridge::to_text(d.extents()), 8 * d.element_bytes());
    };
    refuse_if(found->extents().xyz() != source.extents().xyz() ||
                  found->element_bytes() != source.element_bytes(),
              "{} {} is {}, and {} {}; both must be alike", option, to_text(found->name()),
              is(*found), to_text(source.name()), is(source));
    fields.insert(fields.end(), found->files().begin(), found->files().end());
    return found;
  }

  [[nodiscard]] solve::GridMethod parsed_method() const {
    if (method == "auto") return solve::GridMethod::automatic;
    if (method == "multigrid") return solve::GridMethod::multigrid;
    if (method == "cg") return solve::GridMethod::conjugate_gradients;
    if (method == "fft") return solve::GridMethod::fourier;
    throw UsageError(fmt::format("--method is auto, fft, multigrid or cg, not '{}'", method));
  }

  [[nodiscard]] std::optional<solve::CycleShape> parsed_cycle() const {
    return named<solve::CycleShape>("--cycle", "v, w or f", cycle, cycle != "full");
  }
  [[nodiscard]] std::optional<solve::Smoother> parsed_smoother() const {
    return named<solve::Smoother>("--smoother", "chebyshev or red-black", smoother, true);
  }
  [[nodiscard]] solve::CyclePrecision parsed_precision() const {
    return *named<solve::CyclePrecision>("--precision", "auto, fp64 or mixed", precision, true);
  }
  /// Nothing where it was not given.
  template <class Value>
  static std::optional<Value> named(const char* option, const char* names, const std::string& given,
                                    bool taken) {
    std::optional<Value> value;
    if (given.empty()) return value;
    refuse_if(!text::value_from_text(given, value.emplace()) || !taken, "{} is {}, not '{}'",
              option, names, given);
    return value;
  }

  static void require_axes(const stencil::Boundaries& boundaries, int dimensions) {
    for (int axis = dimensions; axis < 3; ++axis) {
      for (const auto& c : boundaries.faces[static_cast<std::size_t>(axis)]) {
        refuse_if(c.kind != stencil::Boundary::untouched,
                  "--boundary names {}, and the field has {} dimension{}", "xyz"[axis], dimensions,
                  dimensions == 1 ? "" : "s");
      }
    }
  }

  static std::vector<std::filesystem::path> face_files(const stencil::Boundaries& boundaries) {
    std::vector<std::filesystem::path> files;
    for (const auto& faces : boundaries.faces) {
      for (const auto& c : faces)
        if (!c.field.empty()) files.push_back(parse_dataset_name(c.field, "--boundary").file);
    }
    return files;
  }

  template <class T>
  void solve(Queue& queue, const solve::GridProblem& problem, const Shares& shares,
             const Given& given, std::optional<ApplyOutput>& result) const {
    const Field<T> f(queue.device(), shares.extents(), "the right-hand side");
    const Field<T> u(queue.device(), shares.extents(), "the solution");
    if (result) result->require_room();
    shares.read_finite(shares.source, queue, f.data());
    if (given.guess) shares.read_finite(*given.guess, queue, u.data());
    Progress progress;
    const solve::GridOptions options = options_of(progress, !given.guess, shares.ranks);
    GridSolution solution;
    std::string source; // of the schedule
    if (own.empty()) {
      solution = by_cycles(queue, problem, shares, given, View<const T>(f.view()), u.view(),
                           options, source);
    } else {
      solution = solve::solve_own<T>(queue, problem, own, settings, View<const T>(f.view()),
                                     u.view(), options, shares.ranks);
    }
    progress.clear();
    const bool stopped = solution.end == GridSolution::End::stopped;
    write(queue, problem, shares, solution, u.data(), result);
    Record record =
        record_of_solve(queue, shares.ranks, shares.source.extents(), own, solution, f, u);
    if (!solution.tiles.empty())
      record.details.insert(record.details.end(),
                            {{"tiles", 0, solution.tiles}, {lab::source_detail, 0, source}});
    if (project) record.details.push_back({"removed_mean", solution.removed_mean, ""});
    if (json) fmt::print("{}\n", to_json(std::vector{record}));
    if (!json && result) print_solve(record, solution, result->text());
    shares.ranks.barrier(); // the first to end ends all: not before rank 0 has written
    if (stopped) throw Interrupted();
    if (solution.end != GridSolution::End::converged) {
      throw Failure(fmt::format("the residual is {:.2g} of the right-hand side after {} cycle{}, "
                                "not {:.2g}: {}; the best is in {}",
                                solution.residual(), solution.cycles,
                                solution.cycles == 1 ? "" : "s", tolerance,
                                why_not(solution, sizeof(T)), result ? result->text() : output));
    }
  }

  /// Why the tolerance is not reached.
  [[nodiscard]] std::string why_not(const GridSolution& solution, std::size_t bytes) const {
    if (solution.end != GridSolution::End::stalled) return "--cycles allows more";
    if (solution.error)
      return fmt::format("{} reaches no less here, and u is off by about {:.1g} of it",
                         bytes == 4 && !solution.in_double ? "fp32" : "fp64", *solution.error);
    if (!own.empty())
      return "conjugate gradients gain too little, as of an operator that has both signs, or gives "
             "0 of some field";
    return solution.conjugate ? "it gains too little"
                              : "a cycle gains too little here; --method cg goes on";
  }

  /// What was asked for by Ctrl-C is written to the end.
  void write(Queue& queue, const solve::GridProblem& problem, const Shares& shares,
             const GridSolution& solution, const void* u,
             std::optional<ApplyOutput>& result) const {
    RankPieces pieces(shares.ranks, shares.grid, queue, shares.source.element_bytes());
    const auto bring = [&](const Piece& piece) { return pieces.bring(piece, u); };
    if (!result) {
      for (const Piece& piece : shares.source.pieces())
        (void)bring(piece);
      return;
    }
    result->write(
        "poisson", problem.boundaries.spacing,
        [&](OutputDataset& dataset) { describe(dataset, problem, solution, queue, shares.source); },
        bring, solution.end != GridSolution::End::stopped);
  }

  [[nodiscard]] solve::GridOptions options_of(Progress& progress, bool full,
                                              comm::Communicator& ranks) const {
    solve::GridOptions options;
    options.tolerance = tolerance;
    options.most_cycles = most_cycles();
    options.method = parsed_method();
    options.cycle = parsed_cycle();
    if (schedule != "auto" && !options.cycle) options.cycle = solve::CycleShape::v;
    options.smoother = parsed_smoother();
    options.precision = parsed_precision();
    options.full = full;
    options.project = project;
    options.project_option = "--project";
    options.reproducible = reproducible;
    options.progress = [this, &progress, &ranks](int done, double residual) {
      progress.show(fmt::format("cycle {}: residual {:.1e} of {:.0e}", done, residual, tolerance));
      return !interrupt_seen_by(ranks);
    };
    return options;
  }
  [[nodiscard]] std::optional<int> most_cycles() const {
    if (!cycles) return {};
    refuse_if(*cycles < 0, "--cycles {}: it is not negative", *cycles);
    return static_cast<int>(std::min<Index>(*cycles, 1 << 30));
  }

  /// `source`: becomes where the schedule is from.
  template <class T>
  GridSolution by_cycles(Queue& queue, const solve::GridProblem& problem, const Shares& shares,
                         const Given& given, const View<const T>& f, const View<T>& u,
                         const solve::GridOptions& options, std::string& source) const {
    const auto& [guess, k, land] = given;
    solve::Multigrid<T> solver(queue, problem, shares.ranks);
    if (k) { // the solver keeps it in its own way
      const Field<T> values(queue.device(), shares.extents(), "the coefficient");
      (void)shares.read(*k, queue, values.data()); // what is not positive is named below
      if (land) {
        set_mask(queue, solver, shares, *land, values.view());
      } else {
        solver.set_coefficient(View<const T>(values.view()));
      }
    } else if (land) {
      set_mask(queue, solver, shares, *land, {});
    }
    const bool is_asked = schedule != "auto";
    source = is_asked ? "--schedule" : "default";
    if (is_asked || !reproducible) { // whose bits do not depend on what was tuned
      const std::string found = solver.lay(schedule);
      if (!is_asked) source = found;
    }
    return solver.solve(f, u, options);
  }

  /// `k` may be empty.
  template <class T>
  static void set_mask(Queue& queue, solve::Multigrid<T>& solver, const Shares& shares,
                       const InputDataset& land, const View<T>& k) {
    const Field<T> values(queue.device(), shares.extents(), "the mask");
    shares.read_finite(land, queue, values.data());
    const View<const T> given(k);
    solver.set_mask(View<const T>(values.view()), k.data == nullptr ? nullptr : &given);
  }

  static void require_finite(const NotFinite& odd, const InputDataset& source) {
    const Index3 n = source.extents().xyz();
    const Index row = odd.first / n.x;
    refuse_if(odd.count() > 0,
              "{} holds {} NaN and {} infinite values, the first at x={} y={} z={}",
              to_text(source.name()), odd.nan, odd.infinite, odd.first % n.x, row % n.y, row / n.y);
  }

  void describe(OutputDataset& dataset, const solve::GridProblem& problem,
                const GridSolution& solution, const Queue& queue,
                const InputDataset& source) const {
    const auto& h = problem.boundaries.spacing;
    std::vector<double> spacings{h.x, h.y, h.z};
    spacings.resize(static_cast<std::size_t>(source.extents().rank()));
    const bool converged = solution.end == GridSolution::End::converged;
    using Numbers = std::vector<double>;
    using Counts = std::vector<int>;
    if (!own.empty()) dataset.describe("operator", own);
    dataset.describe("equation", !own.empty()          ? "operator(u) = f"
                                 : coefficient.empty() ? "laplacian(u) - shift u = f"
                                                       : "div(k grad u) - shift u = f");
    if (!coefficient.empty()) dataset.describe("coefficient", coefficient);
    if (!mask.empty()) dataset.describe("mask", mask);
    dataset.describe("shift", Numbers{shift});
    dataset.describe("boundary", boundary);
    dataset.describe("spacing", spacings);
    dataset.describe("axes", "spacing is x first; x is the last dimension");
    dataset.describe("order", Counts{order});
    dataset.describe("tolerance", Numbers{tolerance});
    dataset.describe("converged", Counts{converged ? 1 : 0});
    dataset.describe("residual", Numbers{solution.residual()});
    if (converged) dataset.describe("criterion", std::string(criterion_of(solution)));
    if (solution.backward_error)
      dataset.describe("backward_error", Numbers{*solution.backward_error});
    dataset.describe("cycles", Counts{solution.cycles});
    dataset.describe("device", queue.device().facts().name);
    dataset.describe("source", to_text(source.name()));
    dataset.describe("ridge_version", ridge_version);
  }
};

void add_poisson(const Command& solve) {
  const Command command = solve.add_command("poisson", "div(k grad u) - shift u = f, by multigrid");
  auto o = std::make_shared<PoissonCommand>();
  command.add({
      required("INPUT", &o->input,
               "FILE.h5:/path: f, an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64"),
      required("-o,--output", &o->output,
               "FILE.h5:/path: u, of f's shape and type, with FILE.xdmf beside it for ParaView"),
      required("--boundary", &o->boundary,
               "every face: x=periodic,y=dirichlet:0,z-=neumann:1,z+=mirror, or "
               "dirichlet:FILE.h5:/path"),
      {"--spacing", &o->spacing,
       "between points: XxYxZ, x first, or one number for all; 1 if not given"},
      {"--coefficient", &o->coefficient,
       "FILE.h5:/path: k of div(k grad u) - shift u = f, positive; 1 if not given"},
      {"--operator", &o->own,
       "poisson, helmholtz or diffusion, as --shift and --coefficient say; FILE.hpp:Name: a "
       "symmetric functor of yours instead, by conjugate gradients"},
      {"--set", &o->settings, "MEMBER=NUMBER of that functor; may be repeated"},
      {"--mask", &o->mask,
       "FILE.h5:/path: where it is not 0 is not solved for, nothing flows in, and u is 0"},
      {"--method", &o->method,
       "fft: Fourier transforms, for constant coefficients; multigrid: cycles alone; cg: conjugate "
       "gradients with a cycle each; auto: fft where it can be and there is no --from, cg with a "
       "coefficient"},
      {"--cycle", &o->cycle,
       "of multigrid: v; w, twice on coarser levels; f, there f and then v; v if not given"},
      {"--smoother", &o->smoother,
       "chebyshev: two sweeps before and after coarser levels; red-black: one each; if not given, "
       "red-black on a cpu of cycles alone without --coefficient or --mask, else chebyshev"},
      {"--precision", &o->precision,
       "of cycles alone on f in fp64: fp64; mixed: cycles in fp32 for residuals in fp64; auto: "
       "mixed from a million points on without --mask or --reproducible, fp64 where it gains too "
       "little"},
      {"--schedule", &o->schedule,
       "of chebyshev on a GPU: the tiles of its passes, such as 'down=cells up=small'; auto: what "
       "ridge tune multigrid found, else what is known to be good"},
      {"--order", &o->order, "2, 4, 6 or 8; 2 if not given"},
      {"--shift", &o->shift, "at least 0; 0 if not given: Poisson's equation"},
      {"--tol", &o->asked,
       "of the residual's norm over that of f and what faces add; 1e-10 if not given, 1e-5 of "
       "fp32. Where rounding leaves more, u has converged, too"},
      {"--cycles", &o->cycles, "most cycles; 100 if not given, 10000 of conjugate gradients"},
      {"--from", &o->from, "FILE.h5:/path: a first guess; all coarser grids otherwise"},
      {"--project", &o->project,
       "take off the mean of f where no value at any face fixes the solution's"},
      {"--reproducible", &o->reproducible,
       "the bits of the solution do not depend on the number of ranks: auto takes no fft, and no "
       "mixed precision"},
      device_row(&o->device),
      {"--overwrite", &o->overwrite, "replace output files that exist, whatever they hold"},
      {"--json", &o->json, "print an array with the record of a cycle"},
  });
  command.set_footer(
      "Points are vertices: those on dirichlet faces have the face's value (docs/solve.md).\nWhere "
      "the tolerance is not reached the best solution is written, and the exit code is 1.\n");
  command.set_action(
      [o] {
        o->take_equation();
        o->run();
      },
      Ranks::several);
}

} // namespace

} // namespace ridge::app

namespace ridge::wings {

void grid(app::CommandLine& line);

void grid(app::CommandLine& line) {
  line.extend("solve", 0, "of a field on a grid", app::add_poisson);
}

} // namespace ridge::wings
