#include "kernel.hpp"

#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/description.hpp>

#include "saved_output.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <typeinfo>

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// So many programs of a kernel are kept: a loop over more arrays binds again, which is cheap.
constexpr std::size_t most_programs = 256;

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Calls `work`; errors in the kernel's source name its file without the folder of the cache.
template <class Work>
auto naming_source(const std::string& file, const Work& work) {
  try {
    return work();
  } catch (const UsageError& e) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    std::string message = e.what();
    for (std::size_t at = 0; (at = message.find(folder, at)) != std::string::npos;)
      message.erase(at, folder.size());
    throw UsageError(message);
  }
}

} // namespace

struct Kernel::Asked {
  Arrays arrays;
  std::vector<double> numbers;

  /// What a bound program depends on.
  [[nodiscard]] std::string key(std::string_view schedule) const {
    std::string key(schedule);
    append(key, arrays.device.kind);
    append(key, arrays.device.number);
    append(key, arrays.stream);
    for (const Array& a : arrays.all) {
      append(key, a.data);
      append(key, a.rank);
      append(key, a.element_bytes);
      for (int d = 0; d < a.rank; ++d) {
        append(key, a.extents[static_cast<std::size_t>(d)]);
        append(key, a.strides[static_cast<std::size_t>(d)]);
      }
    }
    for (const double number : numbers)
      append(key, number);
    return key;
  }
};

Kernel::Kernel(std::string name, std::vector<std::string> arrays, int rank, std::string description,
               std::string file)
    : name_(std::move(name)), arrays_(std::move(arrays)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)) {}

Kernel::Asked Kernel::ask(nb::tuple arrays, nb::tuple numbers, nb::object device) const {
  Asked asked;
  asked.arrays = look_at(arrays, arrays_, name_, rank_);
  for (const nb::handle number : numbers) {
    asked.numbers.push_back(PyFloat_AsDouble(number.ptr()));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  if (!device.is_none()) {
    const DeviceId wanted = parse_device(nb::cast<std::string>(device));
    const bool on_host = wanted.kind == DeviceKind::cpu || wanted.kind == DeviceKind::simt;
    if (on_host != (asked.arrays.device.kind == DeviceKind::cpu) ||
        (!on_host && !(wanted == asked.arrays.device))) {
      throw nb::type_error(fmt::format("{}: the arrays are on {}, which {} cannot use in place; "
                                       "copy them there first",
                                       name_, to_text(asked.arrays.device), to_text(wanted))
                               .c_str());
    }
    asked.arrays.device = wanted;
  }
  return asked;
}

MakeCase& Kernel::maker() {
  const std::lock_guard lock(guard_);
  if (make_ == nullptr) {
    for (const Offered& o : launch::load_description(description_, file_, {lab::lab_library()})) {
      if (std::string_view(o.name) == typeid(MakeCase*).name())
        make_ = reinterpret_cast<MakeCase*>(o.function);
    }
    if (make_ == nullptr)
      throw Failure("the description of " + name_ + " offers nothing; please report this");
  }
  return *make_;
}

std::unique_ptr<lab::Case> Kernel::make_case(const Asked& asked, Turn& turn) {
  return maker()(turn.queue, turn.roof, Arguments{name_, asked.arrays.all, asked.numbers});
}

std::shared_ptr<const Program> Kernel::bind(const Asked& asked, Turn& turn,
                                            const std::string& schedule) {
  const auto the_case = make_case(asked, turn);
  const auto schedules = the_case->schedules(schedule);
  if (schedules.size() != 1)
    throw UsageError("a launch takes one schedule; 'all' and 'space' are for measure_all()");
  return std::make_shared<const Program>(the_case->bind(schedules[0]));
}

void Kernel::run(nb::tuple arrays, nb::tuple numbers, std::string_view schedule,
                 nb::object device) {
  const Asked asked = ask(std::move(arrays), std::move(numbers), std::move(device));
  const std::string key = asked.key(schedule);
  const nb::gil_scoped_release others_may_run;
  Turn& turn = queue_of(asked.arrays.device, asked.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  std::shared_ptr<const Program> program;
  {
    const std::lock_guard lock(guard_);
    if (const auto known = programs_.find(key); known != programs_.end()) program = known->second;
  }
  if (!program) {
    program = naming_source(file_, [&] { return bind(asked, turn, std::string(schedule)); });
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

std::string Kernel::measure(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                            nb::object device, Measured options) {
  const Asked asked = ask(std::move(arrays), std::move(numbers), std::move(device));
  const nb::gil_scoped_release others_may_run;
  Turn& turn = queue_of(asked.arrays.device, asked.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  const auto the_case = naming_source(file_, [&] { return make_case(asked, turn); });
  const Array& out = asked.arrays.all.back();
  lab::BenchRequest request{turn.queue.device(),
                            Extents(out.extents.data(), out.rank),
                            out.element_bytes == 4 ? "fp32" : "fp64",
                            schedule,
                            {}};
  request.measure.repeats = options.repeats;
  request.measure.between = [] {
    const nb::gil_scoped_acquire interpreter;
    if (PyErr_CheckSignals() != 0) throw nb::python_error(); // Ctrl-C
  };
  std::vector<Record> records;
  {
    const SavedOutput as_it_was(turn.queue, out);
    naming_source(file_, [&] {
      lab::bench_case(*the_case, request, turn.roof, [&](const Record& record) {
        records.push_back(record);
        if (!options.check) records.back().check.reset();
      });
    });
  }
  if (!records.empty()) {
    the_case->bind({records.back().schedule_name, records.back().schedule}).run();
    turn.queue.wait();
  }
  return to_json(records, -1);
}

} // namespace ridge::python
