#include "evolution_case.hpp"

#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/record/numbers.hpp>
#include <ridge/stencil/menu.hpp>

#include "fill_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::lab {

namespace {

/// A limit in points a second: what single sweeps at the speed of a copy reach.
template <class T>
class EvolutionCase final : public Case {
public:
  EvolutionCase(BenchedEvolution kernel, const BenchRequest& request, RoofSource& roof)
      : kernel_(std::move(kernel)), queue_(request.device), size_(request.size),
        steps_(request.options.get("steps", Index{16})),
        boundaries_(stencil::parse_boundaries(request.options.get("boundary", "untouched"))),
        roof_(roof) {
    boundaries_.spacing = sweeps_spacing;
    if (steps_ < 1) throw UsageError(fmt::format("--steps {}: at least 1 is needed", steps_));
    stencil::require_fit(boundaries_, traits().radius, size_.xyz());
    for (int i = 0; i < traits().inputs(); ++i) {
      fields_.emplace_back(request.device, size_, "the start of " + name());
      fill_numbers(queue_, fields_.back().elements(), static_cast<std::uint64_t>(i) + 1);
      starts_.push_back(fields_.back().data());
    }
  }

  [[nodiscard]] Queue& queue() override { return queue_; }

  [[nodiscard]] Subject subject() const override {
    return {kernel_.pass, name(), precision_name<T>(), size_};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return stencil::sweeps_menu(traits(), kernel_.made.levels, boundaries_, size_.xyz(), place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& asked) override {
    sweeps_ = std::make_shared<stencil::Sweeps>(begun(asked.text));
    return {queue_, Bound([sweeps = sweeps_, steps = steps_] { sweeps->run(steps); }),
            [sweeps = sweeps_, steps = steps_] {
              Record record = sweeps->record();
              const Index passes = sweeps->passes(steps);
              record.work.read = {record.work.read.value * passes};
              record.work.written = {record.work.written.value * passes};
              return record;
            }};
  }

  /// Each schedule has fields of its own, which hold the start until it runs.
  void poison() override {}

  [[nodiscard]] Check check() override {
    const Index steps = checked_steps(traits().radius, steps_);
    std::vector<View<const T>> views;
    for (const Field<T>& field : fields_)
      views.emplace_back(field.view());
    sweeps_->restart(views);
    sweeps_->run(steps);
    if constexpr (is_stored<T>) {
      return check_bits(steps);
    } else {
      Check check = check_sweeps<T>(queue_, *sweeps_, kernel_.reference, traits(), boundaries_,
                                    size_.xyz(), steps, bounded_unit<T>);
      check.against = fmt::format("reference after {} steps", steps);
      return check;
    }
  }

  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(traits(), whole());
    const double bytes = static_cast<double>(work.read.value + work.written.value);
    const Ceiling* const copy = roof_.find("copy");
    const double most = copy == nullptr ? 0 : copy->value * static_cast<double>(work.items) / bytes;
    return {"one-sweep", "points/s", static_cast<double>(work.items * steps_), most, std::nullopt};
  }

  void complete(Record& record, const AskedSchedule&) override {
    const Work work = stencil::work_of(traits(), whole());
    record.schedule = stencil::to_text(sweeps_->schedule());
    record.work.items = work.items * steps_;
    record.work.flops = work.flops * static_cast<double>(steps_);
    record.details.push_back({"steps", static_cast<double>(steps_), ""});
    record.details.push_back(
        {"least_bytes", static_cast<double>(record.work.read.value + record.work.written.value),
         ""});
    record.details.push_back({"boundary", 0, to_text(boundaries_)});
  }

private:
  [[nodiscard]] stencil::Sweeps begun(const std::string& schedule) {
    const stencil::RankPart whole(*alone_, size_.xyz(), traits(), boundaries_);
    return kernel_.made.make(queue_, starts_, whole, parse(schedule));
  }
  /// Fields in 16 bits are compared with those after single sweeps: all bits.
  [[nodiscard]] Check check_bits(Index steps) {
    auto singles = begun("sweeps=1");
    singles.run(steps);
    const std::vector<T> got = newest_of(*sweeps_);
    const std::vector<T> right = newest_of(singles);
    Check check{true, 0, fmt::format("single sweeps, {} steps", steps), ""};
    for (std::size_t i = 0; i < got.size() && check.ok; ++i) {
      if (got[i] == right[i]) continue;
      const Index3 n = size_.xyz();
      const auto at = static_cast<Index>(i);
      check.ok = false;
      check.max_error = std::abs(static_cast<double>(number_of(got[i])) - number_of(right[i]));
      check.message =
          fmt::format("({}, {}, {}) is {} and after single sweeps {}", at % n.x, at / n.x % n.y,
                      at / n.x / n.y, number_of(got[i]), number_of(right[i]));
    }
    return check;
  }
  [[nodiscard]] std::vector<T> newest_of(auto& sweeps) {
    const Field<T> field(queue_.device(), size_, "the check");
    sweeps.read(0, field.view());
    std::vector<T> host(static_cast<std::size_t>(field.count()));
    copy_to_host(queue_, host.data(), field.data(), field.count());
    queue_.wait();
    return host;
  }
  [[nodiscard]] const std::string& name() const { return kernel_.made.name; }
  [[nodiscard]] const stencil::Traits& traits() const { return kernel_.made.traits; }
  [[nodiscard]] stencil::SweepsSchedule parse(const std::string& text) const {
    return stencil::parse_sweeps(text, queue_.device(), traits(), boundaries_, size_.xyz());
  }
  /// The extents with their shell.
  [[nodiscard]] Index3 whole() const {
    return stencil::shell_layout(queue_.device(), traits(), boundaries_, size_.xyz()).extents;
  }

  BenchedEvolution kernel_;
  Queue queue_;
  Extents size_;
  Index steps_;
  stencil::Boundaries boundaries_;
  std::unique_ptr<comm::Communicator> alone_ = comm::alone();
  std::vector<Field<T>> fields_;
  std::vector<const void*> starts_; ///< their values
  std::shared_ptr<stencil::Sweeps> sweeps_;
  RoofSource& roof_;
};

using MakeEvolution = BenchedEvolution(const Extents& size, std::string_view precision);

/// Storage in 16 bits is compiled from the source of the kernel in fp32.
BenchedEvolution made_in(MakeEvolution* make, const BenchRequest& request) {
  if (!is_storage(request.precision)) return make(request.size, request.precision);
  BenchedEvolution kernel = make(request.size, "fp32");
  kernel.made = stored_evolution(kernel.made, request.precision);
  return kernel;
}

} // namespace

BenchKernel
bench_evolution(const std::string& name, const std::string& meaning, const Extents& default_size,
                BenchedEvolution (*make)(const Extents& size, std::string_view precision)) {
  BenchKernel bench{
      name, "sweeps", meaning, default_size,
      [make](const BenchRequest& request, RoofSource& roof) -> std::unique_ptr<Case> {
        BenchedEvolution kernel = made_in(make, request);
        if (request.precision == "fp16")
          return std::make_unique<EvolutionCase<Fp16>>(std::move(kernel), request, roof);
        if (request.precision == "bf16")
          return std::make_unique<EvolutionCase<Bf16>>(std::move(kernel), request, roof);
        if (kernel.made.traits.element_bytes == 4)
          return std::make_unique<EvolutionCase<float>>(std::move(kernel), request, roof);
        return std::make_unique<EvolutionCase<double>>(std::move(kernel), request, roof);
      }};
  bench.make_menu = [make](const BenchRequest& r, const Place& place) {
    const Evolution made = made_in(make, r).made;
    const std::string boundary = r.options.get("boundary", "untouched");
    return stencil::sweeps_menu(made.traits, made.levels, stencil::parse_boundaries(boundary),
                                r.size.xyz(), place);
  };
  return bench;
}

} // namespace ridge::lab
