// The implicit steps of `ridge evolve`.
#include <ridge/core/text.hpp>
#include <ridge/grid/diffusion.hpp>
#include <ridge/record/operations.hpp>

#include "app/implicit_steps.hpp"
#include "core/refuse.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

template <class T>
class Diffusing final : public ImplicitSteps {
public:
  Diffusing(Queue& queue, const solve::GridProblem& problem, const EvolveRun& run,
            comm::Communicator& ranks)
      : queue_(queue), run_(run), points_(problem.extents),
        owned_(solve::grid_of_ranks(problem, ranks.ranks()).owned(ranks.rank()).extents()),
        steps_(queue, problem, options_of(run), ranks) {}

  void set(const std::vector<const void*>& fields) override {
    const auto view = [&](const void* data) {
      return View<const T>(static_cast<const T*>(data), owned_);
    };
    if (fields.size() > 1) steps_.set_coefficient(view(fields[1]));
    steps_.set(view(fields[0]));
  }
  void run(Index steps) override {
    const solve::DiffusionSteps how = steps_.run(steps);
    all_.steps += how.steps;
    all_.cycles += how.cycles;
    all_.bytes += how.bytes;
    if (how.converged) all_.worst = std::max(all_.worst, how.worst);
    fail_if(!std::isfinite(how.worst),
            "the field holds values that are not finite, or too large for their squares to "
            "be added up: implicit steps need a norm");
    fail_if(!how.converged,
            "a step's residual is {:.2g} of its right-hand side, not {:g}: a "
            "larger --tol or a smaller --dt is needed",
            how.worst, run_.tolerance);
  }
  void read(void* u) override { steps_.read(View<T>(static_cast<T*>(u), owned_)); }
  [[nodiscard]] std::string method() const override { return steps_.method(); }
  [[nodiscard]] Record record() const override {
    Record r;
    r.pattern = "solve";
    r.kernel = run_.kernel;
    r.device = queue_.device().id();
    r.device_name = queue_.device().facts().name;
    r.precision = sizeof(T) == 4 ? "fp32" : "fp64";
    r.work.items = points_.x * points_.y * points_.z;
    const auto steps = static_cast<double>(std::max<Index>(all_.steps, 1));
    r.work.read = Bytes{std::llround(all_.bytes / steps * 2 / 3)};
    r.work.written = Bytes{std::llround(all_.bytes / steps / 3)};
    r.work.flops = unknown_operations;
    r.work.convention = "a step; bytes: each array once a pass over it, all levels and cycles; "
                        "flops: not counted";
    r.compiled = "ahead";
    r.details.push_back({"cycles_per_step", static_cast<double>(all_.cycles) / steps, ""});
    r.details.push_back({"levels", static_cast<double>(steps_.levels()), ""});
    r.details.push_back({"worst_residual", all_.worst, ""});
    return r;
  }

private:
  static solve::DiffusionOptions options_of(const EvolveRun& run) {
    solve::DiffusionOptions options{
        .diffusivity = run.kernel == "heat" ? run.value : 1, // that of diffusion is the coefficient
        .dt = run.dt,
        .tolerance = run.tolerance,
        .reproducible = run.reproducible};
    refuse_if(!text::value_from_text(run.implicit, options.scheme),
              "--implicit is backward-euler or crank-nicolson, not '{}'", run.implicit);
    return options;
  }

  Queue& queue_;
  const EvolveRun& run_;
  Index3 points_, owned_;
  solve::Diffusion<T> steps_;
  solve::DiffusionSteps all_;
};

const ImplicitStepsAnnounced
    diffusion([](Queue& queue, const EvolveSetup& setup,
                 comm::Communicator& ranks) -> std::unique_ptr<ImplicitSteps> {
      const InputDataset& input = *setup.inputs.front();
      const solve::GridProblem problem{input.extents().xyz(), setup.boundaries, 0};
      if (input.element_bytes() == 4)
        return std::make_unique<Diffusing<float>>(queue, problem, setup.run, ranks);
      return std::make_unique<Diffusing<double>>(queue, problem, setup.run, ranks);
    });

} // namespace

} // namespace ridge::app
