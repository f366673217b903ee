#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/record/numbers.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/own_fields.hpp>
#include <ridge/stencil/sweeps_case.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::stencil {

namespace {

/// Steps from packed fields of T, one an input.
template <class T>
struct SweepsCall {
  CheckedEvolution kernel;
  Extents size;
  std::vector<const void*> start;
  Boundaries boundaries;
  Index steps;

  [[nodiscard]] const Traits& traits() const { return kernel.made.traits; }
  [[nodiscard]] Index3 points() const { return size.xyz(); }
};

template <class T>
std::unique_ptr<Menu> menu_of(const SweepsCall<T>& call, const Place& place) {
  return sweeps_menu(call.traits(), call.kernel.made.levels, call.boundaries, call.points(), place);
}
template <class T>
Subject subject_of(const SweepsCall<T>& call, std::string name) {
  return {call.kernel.pass, std::move(name), precision_name<T>(), call.size};
}

} // namespace

} // namespace ridge::stencil

template <class T>
class ridge::Reference<ridge::stencil::SweepsCall<T>> {
  using Call = stencil::SweepsCall<T>;
  using Sweeps = stencil::Sweeps;

public:
  Reference(RoofSource& roof) : roof_(roof) {}

  /// Each schedule has fields of its own, which hold the start until it runs.
  [[nodiscard]] static std::vector<Output> outputs(const Call& /*call*/) { return {}; }

  [[nodiscard]] Program bind(Queue& queue, const Call& call, const AskedSchedule& asked,
                             const std::string& /*name*/) {
    sweeps_ = std::make_shared<Sweeps>(begun(queue, call, asked.text));
    return {queue, Bound([sweeps = sweeps_, steps = call.steps] { sweeps->run(steps); }),
            [sweeps = sweeps_, steps = call.steps] {
              Record record = sweeps->record();
              const Index passes = sweeps->passes(steps);
              record.work.read = {record.work.read.value * passes};
              record.work.written = {record.work.written.value * passes};
              return record;
            }};
  }
  [[nodiscard]] Check check(Queue& queue, const Call& call) {
    const Index steps = stencil::checked_steps(call.traits().radius, call.steps);
    std::vector<View<const T>> views;
    for (const void* const field : call.start)
      views.emplace_back(static_cast<const T*>(field), call.points());
    sweeps_->restart(views);
    sweeps_->run(steps);
    if constexpr (is_stored<T>) {
      return check_bits(queue, call, steps);
    } else {
      Check check =
          stencil::check_sweeps<T>(queue, *sweeps_, call.kernel.reference, call.traits(),
                                   call.boundaries, call.points(), steps, bounded_unit<T>);
      check.against = fmt::format("reference after {} steps", steps);
      return check;
    }
  }
  [[nodiscard]] Limit limit(Queue& queue, const Call& call) const {
    const Work work = work_of_sweep(queue, call);
    const double bytes = static_cast<double>(work.read.value + work.written.value);
    const Ceiling* const copy = roof_.find("copy");
    const double most = copy == nullptr ? 0 : copy->value * static_cast<double>(work.items) / bytes;
    return {"one-sweep", "points/s", static_cast<double>(work.items * call.steps), most};
  }
  void complete(Queue& queue, const Call& call, Record& record, const AskedSchedule& /*asked*/) {
    const Work work = work_of_sweep(queue, call);
    record.schedule = to_text(sweeps_->schedule());
    record.work.items = work.items * call.steps;
    record.work.flops = work.flops * static_cast<double>(call.steps);
    record.details.push_back({"steps", static_cast<double>(call.steps), ""});
    record.details.push_back(
        {"least_bytes", static_cast<double>(record.work.read.value + record.work.written.value),
         ""});
    record.details.push_back({"boundary", 0, to_text(call.boundaries)});
  }

private:
  [[nodiscard]] Sweeps begun(Queue& queue, const Call& call, const std::string& schedule) {
    const stencil::RankPart whole(*alone_, call.points(), call.traits(), call.boundaries);
    return call.kernel.made.make(queue, call.start, whole,
                                 stencil::parse_sweeps(schedule, queue.device(), call.traits(),
                                                       call.boundaries, call.points(), 1,
                                                       call.kernel.made.levels));
  }
  /// Fields in 16 bits are compared with those after single sweeps: all bits.
  [[nodiscard]] Check check_bits(Queue& queue, const Call& call, Index steps) {
    auto singles = begun(queue, call, "sweeps=1");
    singles.run(steps);
    const std::vector<T> got = newest_of(queue, call, *sweeps_);
    const std::vector<T> right = newest_of(queue, call, singles);
    Check check{true, 0, fmt::format("single sweeps, {} steps", steps), ""};
    for (std::size_t i = 0; i < got.size() && check.ok; ++i) {
      if (got[i] == right[i]) continue;
      const Index3 n = call.points();
      const auto at = static_cast<Index>(i);
      check.ok = false;
      check.max_error = std::abs(static_cast<double>(number_of(got[i])) - number_of(right[i]));
      check.message =
          fmt::format("({}, {}, {}) is {} and after single sweeps {}", at % n.x, at / n.x % n.y,
                      at / n.x / n.y, number_of(got[i]), number_of(right[i]));
    }
    return check;
  }
  [[nodiscard]] static std::vector<T> newest_of(Queue& queue, const Call& call, Sweeps& sweeps) {
    const Field<T> field(queue.device(), call.size, "the check");
    sweeps.read(0, field.view());
    std::vector<T> host(static_cast<std::size_t>(field.count()));
    copy_to_host(queue, host.data(), field.data(), field.count());
    queue.wait();
    return host;
  }
  /// With the shell of its boundaries.
  [[nodiscard]] static Work work_of_sweep(Queue& queue, const Call& call) {
    return stencil::work_of(call.traits(), stencil::shell_layout(queue.device(), call.traits(),
                                                                 call.boundaries, call.points())
                                               .extents);
  }

  std::unique_ptr<comm::Communicator> alone_ = comm::alone();
  std::shared_ptr<Sweeps> sweeps_;
  RoofSource& roof_;
};

namespace ridge::stencil {

std::unique_ptr<Case> sweeps_case(const CheckedEvolution& kernel, const std::string& precision,
                                  const Device& device, const Extents& size, Index steps,
                                  const Boundaries& boundaries, RoofSource& roof) {
  const std::string& name = kernel.made.name;
  const Traits& traits = kernel.made.traits;
  if (steps < 1) throw UsageError(fmt::format("--steps {}: at least 1 is needed", steps));
  require_fit(boundaries, traits.radius, size.xyz());
  const auto made = [&]<class T>(T /*number*/) {
    struct Start {
      Queue queue;
      std::vector<Field<T>> fields;
    };
    const auto own = std::make_shared<Start>(Start{Queue(device), {}});
    SweepsCall<T> call{kernel, size, {}, boundaries, steps};
    for (int i = 0; i < traits.inputs(); ++i) {
      own->fields.emplace_back(device, size, "the start of " + name);
      fill_numbers(own->queue, own->fields.back().elements(), i, Numbers::rounded);
      call.start.push_back(own->fields.back().data());
    }
    return case_of<SweepsCall<T>>(name, own->queue, std::move(call), {roof}, own);
  };
  if (precision == "fp16") return made(Fp16{});
  if (precision == "bf16") return made(Bf16{});
  if (precision == "fp32") return made(float{});
  return made(double{});
}

} // namespace ridge::stencil
