// Benchmarks of many sweeps: one launch is so many steps.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/evolution_check.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/pass.hpp>

#include "asked_schedules.hpp"

#include <fmt/format.h>

#include <memory>

namespace ridge::lab {

/// Of the grids that are benched: different along each axis, so that a swapped axis shows.
inline constexpr stencil::Spacing sweeps_spacing{1.0, 1.25, 0.75};
/// And a step well within the stable ones.
inline constexpr double part_of_stable = 0.5;

/// A limit in points a second: what single sweeps at the speed of a copy reach.
template <class K, class T>
class EvolutionCase final : public Case {
public:
  EvolutionCase(std::string name, const K& kernel, const BenchRequest& request, RoofSource& roof)
      : name_(std::move(name)), kernel_(kernel), queue_(request.device), size_(request.size),
        steps_(request.steps), boundaries_(stencil::parse_boundaries(request.boundary)),
        traits_(stencil::traits_of<K, T>()) {
    boundaries_.spacing = sweeps_spacing;
    if (steps_ < 1) throw UsageError(fmt::format("--steps {}: at least 1 is needed", steps_));
    stencil::require_fit(boundaries_, traits_.radius, size_.xyz());
    for (int i = 0; i < traits_.inputs(); ++i) {
      fields_.emplace_back(request.device, size_, "the start of " + name_);
      fill_random(queue_, fields_.back().elements(), static_cast<std::uint64_t>(i) + 1);
      views_.emplace_back(fields_.back().view());
    }
    const Ceiling* const copy = roof.find("copy");
    copy_ = copy == nullptr ? 0 : copy->value;
  }

  [[nodiscard]] Queue& queue() override { return queue_; }

  [[nodiscard]] tune::Subject subject() const override {
    return {&typeid(stencil::Pass<K, T>), name_, sizeof(T) == 4 ? "fp32" : "fp64", size_};
  }
  [[nodiscard]] std::vector<AskedSchedule> schedules(const std::string& asked) const override {
    if (asked == "space") {
      throw UsageError("--schedule space is for single launches; --schedule all compares single "
                       "sweeps with several in one pass");
    }
    if (asked != "all") return {{asked == "auto" ? "default" : "", stencil::to_text(parse(asked))}};
    std::vector<AskedSchedule> all;
    for (const auto& s : stencil::compared_sweeps(queue_.device(), traits_, stencil::levels_of<K>(),
                                                  boundaries_, size_.xyz()))
      all.push_back({s.name, stencil::to_text(s.schedule)});
    return all;
  }

  [[nodiscard]] Program bind(const AskedSchedule& asked) override {
    sweeps_ = std::make_shared<stencil::Sweeps>(queue_, kernel_, views_, boundaries_,
                                                parse(asked.text), name_);
    return {queue_, Bound([sweeps = sweeps_, steps = steps_] { sweeps->run(steps); }),
            [sweeps = sweeps_, steps = steps_] {
              Record record = sweeps->record();
              const Index passes = ceil_div(steps, sweeps_of(*sweeps));
              record.work.read = {record.work.read.value * passes};
              record.work.written = {record.work.written.value * passes};
              return record;
            }};
  }

  /// Each schedule has fields of its own, which hold the start until it runs.
  void poison() override {}

  [[nodiscard]] Check check() override {
    const Index steps = checked_steps(traits_.radius, steps_);
    sweeps_->restart(views_);
    sweeps_->run(steps);
    Check check = check_sweeps<K, T>(queue_, *sweeps_, kernel_, boundaries_, size_.xyz(), steps,
                                     static_cast<double>(steps) * stencil_tolerance<T>);
    check.against = fmt::format("reference after {} steps", steps);
    return check;
  }

  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(traits_, whole());
    const double bytes = static_cast<double>(work.read.value + work.written.value);
    return {"one-sweep", "points/s", static_cast<double>(work.items * steps_),
            copy_ * static_cast<double>(work.items) / bytes, std::nullopt};
  }

  void complete(Record& record, const AskedSchedule&) override {
    const Work work = stencil::work_of(traits_, whole());
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
  [[nodiscard]] static int sweeps_of(const stencil::Sweeps& sweeps) {
    return sweeps.schedule().pass ? stencil::sweeps_of(*sweeps.schedule().pass) : 1;
  }
  [[nodiscard]] stencil::SweepsSchedule parse(const std::string& text) const {
    return stencil::parse_sweeps(text, queue_.device(), traits_, boundaries_, size_.xyz());
  }
  /// The extents with their shell.
  [[nodiscard]] Index3 whole() const {
    return stencil::shell_layout(queue_.device(), traits_, boundaries_, size_.xyz()).extents;
  }

  std::string name_;
  K kernel_;
  Queue queue_;
  Extents size_;
  Index steps_;
  stencil::Boundaries boundaries_;
  stencil::Traits traits_;
  std::vector<Field<T>> fields_;
  std::vector<View<const T>> views_;
  std::shared_ptr<stencil::Sweeps> sweeps_;
  double copy_ = 0;
};

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<Case> evolution_case(const std::string& name, const K& kernel,
                                                   const BenchRequest& request, RoofSource& roof) {
  if (request.precision == "fp64")
    return std::make_unique<EvolutionCase<K, double>>(name, kernel, request, roof);
  if (request.precision == "fp32")
    return std::make_unique<EvolutionCase<K, float>>(name, kernel, request, roof);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
