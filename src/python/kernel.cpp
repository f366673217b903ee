#include "kernel.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/recording.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/pattern/storage.hpp>

#include "../core/refuse.hpp"
#include "offered.hpp"
#include "versions.hpp"

#include <algorithm>

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// So many programs of a kernel are kept: a loop over more arrays binds again, which is cheap.
constexpr std::size_t most_programs = 256;

/// Whether the host takes longer to give a launch than a GPU to run it. Longer ones of chains and
/// pairs are got ready while the one before ends, which graphs are not: 0.7 us on an H200.
bool is_short(const Work& work) {
  constexpr double most_flops = 6e7;
  return (work.read + work.written) < Bytes{8 << 20} && work.flops < most_flops;
}

/// Stands in descriptions for what the arrays hold: half of the code would be for what they do not
/// (python/ridge/_kernel.py).
constexpr std::string_view number_word = "@NUMBER@";

} // namespace

Kernel::Kernel(std::string name, std::string pattern, std::vector<std::string> arrays, int outputs,
               std::vector<std::string> numbers, int rank, std::string description,
               std::string file)
    : name_(std::move(name)), pattern_(std::move(pattern)), arrays_(std::move(arrays)),
      numbers_(std::move(numbers)), outputs_(static_cast<std::size_t>(outputs)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)) {
  for (const std::string& number : numbers_)
    number_names_.push_back(nb::steal(PyUnicode_InternFromString(number.c_str())));
}

Call Kernel::ask(nb::tuple arrays, nb::tuple numbers, nb::object device,
                 Gradients gradients) const {
  const std::size_t all = arrays_.size();
  return look_at_call(
      {name_, arrays_, numbers_, rank_, all - outputs_, all, is_stencil(), 0, gradients},
      std::move(arrays), std::move(numbers), std::move(device));
}

Describe& Kernel::describer(const std::vector<Array>& arrays) {
  const bool fp32 = (is_near() ? arrays.front() : arrays.back()).element_bytes == sizeof(float);
  {
    const std::lock_guard lock(moments());
    if (Describe* const known = found_.get().describe[fp32]) return *known;
  }
  std::string description = description_;
  if (const std::size_t at = description.find(number_word); at != std::string::npos)
    description.replace(at, number_word.size(), fp32 ? "float" : "double");
  Describe& made = offered_by<Describe>(description, file_, name_);
  const std::lock_guard lock(moments());
  found_.get().describe[fp32] = &made;
  return made;
}

void Kernel::check_arrays(const Call& asked) const {
  const std::span<const Array> all = asked.arrays.all;
  const bool pairs = pattern_ == "pairs" || is_near();
  check_shapes(name_, arrays_, all, pairs ? 2 : std::max(3, rank_), !pairs);
  check_memory(name_, arrays_, all, {all.size() - outputs_, all.size()}, pairs);
}

std::unique_ptr<lab::Case> Kernel::describe(const Call& asked, Turn& turn) {
  check_arrays(asked);
  std::vector<Array> arrays = asked.arrays.all;
  if (asked.arrays.storage.empty())
    return describer(arrays)(turn.queue, turn.roof, Arguments{name_, arrays, asked.numbers});
  // The kernel in fp32, whose source is known then, is compiled anew for what the arrays hold.
  for (Array& array : arrays)
    array.element_bytes = sizeof(float);
  const Arguments arguments{name_, arrays, asked.numbers};
  const auto fp32 = describer(arrays)(turn.queue, turn.roof, arguments);
  return stored_on_arrays(*fp32, asked.arrays.storage, arguments);
}

std::shared_ptr<const Program> Kernel::bind(const Call& asked, Turn& turn,
                                            std::string_view schedule) {
  const auto the_case = describe(asked, turn);
  return std::make_shared<const Program>(the_case->bind(meant(asked, schedule, *the_case)));
}

lab::AskedSchedule Kernel::meant(const Call& asked, std::string_view schedule,
                                 lab::Case& the_case) {
  std::string place = asked.place(schedule);
  {
    const std::lock_guard lock(moments());
    const auto& meant = found_.get().meant;
    if (const auto known = meant.find(place); known != meant.end()) return known->second;
  }
  auto schedules = lab::schedules_by_wisdom(the_case, std::string(schedule));
  if (schedules.size() != 1)
    throw UsageError("a launch takes one schedule; 'all' and 'space' are for measure_all()");
  const std::lock_guard lock(moments());
  auto& meant = found_.get().meant;
  if (meant.size() >= most_programs) meant.clear();
  return meant.emplace(std::move(place), std::move(schedules[0])).first->second;
}

bool Kernel::run(nb::tuple arrays, nb::tuple numbers, std::string_view schedule, nb::object device,
                 bool recorded, const Outline* outline) {
  if (!recorded && require_gradient(arrays)) return false;
  const Call asked = ask(std::move(arrays), std::move(numbers), std::move(device),
                         recorded ? Gradients::recorded : Gradients::none);
  const std::string key = asked.key(schedule);
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(asked.arrays.device, asked.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  if (const auto recording = recording_on(turn)) {
    record_in(*recording, asked, schedule);
    return true;
  }
  std::shared_ptr<const Program> program;
  {
    const std::lock_guard lock(moments());
    const auto& programs = found_.get().programs;
    if (const auto known = programs.find(key); known != programs.end()) program = known->second;
  }
  if (program) {
    program->run();
    if (outline != nullptr) keep(*outline, asked, schedule, program, turn);
  } else {
    const Unforkable unforkable; // a first run, too: it may load what the launch needs
    program = naming_source(file_, [&] { return bind(asked, turn, schedule); });
    program->run();
    const std::lock_guard lock(moments());
    auto& programs = found_.get().programs;
    if (programs.size() >= most_programs) programs.clear();
    programs.emplace(key, program);
  }
  const std::lock_guard lock(moments());
  found_.get().latest = std::move(program);
  return true;
}

bool Kernel::run(nb::tuple arrays, nb::tuple numbers, std::string_view schedule, nb::object device,
                 bool recorded) {
  Outline outline(schedule);
  bool is_outlined = recorded && device.is_none() && !is_near();
  for (std::size_t i = 0; i < numbers.size() && is_outlined; ++i) {
    PyObject* const number = PyTuple_GetItem(numbers.ptr(), static_cast<Py_ssize_t>(i));
    is_outlined = PyFloat_CheckExact(number) != 0 && outline.add_number(PyFloat_AsDouble(number));
  }
  const std::size_t given = arrays_.size() - outputs_;
  for (std::size_t i = 0; i < arrays.size() && is_outlined; ++i)
    is_outlined = outline.add_array(PyTuple_GetItem(arrays.ptr(), static_cast<Py_ssize_t>(i)),
                                    i >= given, Gradients::recorded);
  if (is_outlined && run_again(outline)) return true;
  return run(std::move(arrays), std::move(numbers), schedule, std::move(device), recorded,
             is_outlined ? &outline : nullptr);
}

void Kernel::keep(const Outline& outline, const Call& asked, std::string_view schedule,
                  std::shared_ptr<const Program> program, Turn& turn) {
  if (!asked.arrays.kept.empty() || !outline.is_of(asked.arrays.all)) return;
  Repeatable::Bind bind_again; // none: never as a graph
  if (turn.queue.device().is_gpu() && (is_stencil() || is_short(program->record().work))) {
    bind_again = [this, asked, text = std::string(schedule)](Turn& other) {
      return naming_source(file_, [&] { return bind(asked, other, text); });
    };
  }
  auto made =
      std::make_shared<Repeatable>(outline, std::move(program), turn, std::move(bind_again));
  const std::lock_guard lock(moments()); // `made` leaves what was replaced after it
  Found& found = found_.get();
  std::swap(found.repeatable[found.next], made);
  found.next = (found.next + 1) % found.repeatable.size();
}

bool Kernel::run_again(const Outline& outline) {
  std::shared_ptr<Repeatable> again;
  {
    const std::lock_guard lock(moments());
    for (const auto& known : found_.get().repeatable) {
      if (known == nullptr) break;
      if (!(known->outline() == outline)) continue;
      again = known;
      break;
    }
  }
  if (again == nullptr) return false;
  const OthersMayRun others_may_run;
  const std::lock_guard in_turn(again->turn().guard);
  if (recording_of(again->turn().queue) != 0) return false;
  again->run();
  const std::lock_guard lock(moments());
  found_.get().latest = again->program();
  return true;
}

Kernel::Done Kernel::run_as_before(const nb::tuple& arrays, nb::handle out, const nb::dict& numbers,
                                   std::string_view schedule, nb::object device) {
  if (is_near()) return Done::nothing; // whose calls give other numbers
  const bool several = outputs_ > 1;
  if (several && (PyTuple_CheckExact(out.ptr()) == 0 || nb::len(out) != outputs_))
    return Done::nothing;
  const std::size_t given = arrays.size();
  if (given + outputs_ != arrays_.size() || numbers.size() != number_names_.size())
    return Done::nothing;
  const auto array = [&](std::size_t i) -> nb::handle {
    if (i < given) return PyTuple_GetItem(arrays.ptr(), static_cast<Py_ssize_t>(i));
    return several ? PyTuple_GetItem(out.ptr(), static_cast<Py_ssize_t>(i - given)) : out.ptr();
  };
  Outline outline(schedule);
  bool is_outlined = device.is_none();
  std::array<nb::handle, Outline::most> value;
  PyObject* name = nullptr;
  PyObject* number = nullptr;
  Py_ssize_t next = 0;
  for (std::size_t i = 0; PyDict_Next(numbers.ptr(), &next, &name, &number) != 0; ++i) {
    if (name != number_names_[i].ptr() || PyFloat_CheckExact(number) == 0) return Done::nothing;
    if (!outline.add_number(PyFloat_AsDouble(number))) return Done::nothing;
    value[i] = number;
  }
  for (std::size_t i = 0; i < arrays_.size() && is_outlined; ++i)
    is_outlined = outline.add_array(array(i), i >= given, Gradients::none);
  const auto done = [&] {
    return versions().tell(out, several) ? Done::launched_and_told : Done::launched;
  };
  if (is_outlined && run_again(outline)) return done();
  const nb::object values = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(number_names_.size())));
  for (std::size_t i = 0; i < number_names_.size(); ++i)
    PyTuple_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i), value[i].inc_ref().ptr());
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arrays_.size())));
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), array(i).inc_ref().ptr());
  const bool ran = run(nb::borrow<nb::tuple>(all), nb::borrow<nb::tuple>(values), schedule,
                       std::move(device), false, is_outlined ? &outline : nullptr);
  return ran ? done() : Done::nothing;
}

void Kernel::record_in(Recording& recording, const Call& asked, std::string_view schedule) {
  refuse_if(is_near(),
            "{}: lists of near pairs are looked at by the host, which no graph holds; call it "
            "outside of the graph",
            name_);
  const Unforkable unforkable;
  Turn& turn = recording.turn;
  std::shared_ptr<const Program> program;
  {
    const Binding binding(turn.queue);
    program = naming_source(file_, [&] { return bind(asked, turn, schedule); });
  }
  program->run();
  recording.kept.push_back(program);
  const std::lock_guard lock(moments());
  found_.get().latest = nullptr;
  found_.get().latest_record = program->record();
}

std::string Kernel::record() {
  std::shared_ptr<const Program> latest;
  std::optional<Record> record;
  {
    const std::lock_guard lock(moments());
    latest = found_.get().latest;
    record = found_.get().latest_record;
  }
  if (latest) record = latest->record();
  if (!record) throw UsageError(name_ + " was not launched yet");
  return to_json(*record);
}

} // namespace ridge::python
