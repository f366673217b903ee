#include "kernel.hpp"

#include <ridge/core/error.hpp>
#include <ridge/lab/tune_case.hpp>

#include "offered.hpp"
#include "others_may_run.hpp"

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// So many programs of a kernel are kept: a loop over more arrays binds again, which is cheap.
constexpr std::size_t most_programs = 256;

} // namespace

Kernel::Kernel(std::string name, std::string pattern, std::vector<std::string> arrays, int rank,
               std::string description, std::string file)
    : name_(std::move(name)), pattern_(std::move(pattern)), arrays_(std::move(arrays)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)) {}

Call Kernel::ask(nb::tuple arrays, nb::tuple numbers, nb::object device) const {
  const std::size_t out = arrays_.size() - 1;
  return look_at_call({name_, arrays_, rank_, out, out + 1}, std::move(arrays), std::move(numbers),
                      std::move(device));
}

Describe& Kernel::describer() {
  const std::lock_guard lock(guard_);
  if (describe_ == nullptr) describe_ = &offered_by<Describe>(description_, file_, name_);
  return *describe_;
}

Described Kernel::describe(const Call& asked, Turn& turn) {
  return describer()(turn.queue, turn.roof, Arguments{name_, asked.arrays.all, asked.numbers});
}

std::shared_ptr<const Program> Kernel::bind(const Call& asked, Turn& turn,
                                            std::string_view schedule) {
  const auto the_case = describe(asked, turn).the_case;
  return std::make_shared<const Program>(the_case->bind(meant(asked, schedule, *the_case)));
}

lab::AskedSchedule Kernel::meant(const Call& asked, std::string_view schedule,
                                 lab::Case& the_case) {
  std::string place = asked.place(schedule);
  {
    const std::lock_guard lock(guard_);
    if (const auto known = meant_.find(place); known != meant_.end()) return known->second;
  }
  auto schedules = lab::schedules_by_wisdom(the_case, std::string(schedule));
  if (schedules.size() != 1)
    throw UsageError("a launch takes one schedule; 'all' and 'space' are for measure_all()");
  const std::lock_guard lock(guard_);
  if (meant_.size() >= most_programs) meant_.clear();
  return meant_.emplace(std::move(place), std::move(schedules[0])).first->second;
}

void Kernel::run(nb::tuple arrays, nb::tuple numbers, std::string_view schedule,
                 nb::object device) {
  const Call asked = ask(std::move(arrays), std::move(numbers), std::move(device));
  const std::string key = asked.key(schedule);
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(asked.arrays.device, asked.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  std::shared_ptr<const Program> program;
  {
    const std::lock_guard lock(guard_);
    if (const auto known = programs_.find(key); known != programs_.end()) program = known->second;
  }
  if (!program) {
    program = naming_source(file_, [&] { return bind(asked, turn, schedule); });
    const std::lock_guard lock(guard_);
    if (programs_.size() >= most_programs) programs_.clear();
    programs_.emplace(key, program);
  }
  program->run();
  const std::lock_guard lock(guard_);
  latest_ = std::move(program);
}

std::string Kernel::record() const {
  const std::lock_guard lock(guard_);
  if (!latest_) throw UsageError(name_ + " was not launched yet");
  return to_json(latest_->record());
}

} // namespace ridge::python
