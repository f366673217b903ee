// The module ridge._core: what of the Python package is C++.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/description.hpp>

#include "bodies.hpp"
#include "faces.hpp"
#include "interrupt.hpp"
#include "kernel.hpp"
#include "lattice.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "others_may_run.hpp"
#include "ranks.hpp"
#include "sweeps.hpp"
#include "versions.hpp"
#include "wings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <limits>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

std::vector<std::string> devices() {
  std::vector<std::string> names;
  for (const DeviceId& id : list_devices())
    names.push_back(to_text(id));
  return names;
}

bool truth_of(const nb::object& given) {
  const int truth = PyObject_IsTrue(given.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

int count_of(const std::string& kernel, const char* option, const nb::object& given, Index least) {
  const Index count = whole_of(kernel, option, given, least);
  if (count > std::numeric_limits<int>::max())
    throw UsageError(kernel + ": " + option + "=" + std::to_string(count) + " is too many");
  return static_cast<int>(count);
}

} // namespace

NB_MODULE(_core, m) {
  cpu::be_a_guest();
  heed_interrupts();
  nb::exception<UsageError>(m, "UsageError", PyExc_ValueError);
  nb::exception<Failure>(m, "Failure", PyExc_RuntimeError);

  m.attr("__version__") = RIDGE_VERSION;
  m.def("_end_calls", &end_calls);
  nb::module_::import_("atexit").attr("register")(m.attr("_end_calls"));
  add_lattice(m);
  add_bodies(m);
  add_ranks(m);
  add_messages(m);
  add_faces(m);
  add_wings();
  m.def("devices", &devices);
  m.def("headers_folder", &headers_folder);
  m.def("folder_of_library", &library_folder);
  m.def("keep_source", &launch::keep_source, "file_name"_a, "text"_a);
  m.def(
      "tell_versions",
      [](nb::object tensor, nb::object increment) {
        versions().set(std::move(tensor), std::move(increment));
      },
      "tensor"_a, "increment"_a);
  nb::class_<Kernel>(m, "Kernel")
      .def(nb::init<std::string, std::string, std::vector<std::string>, int,
                    std::vector<std::string>, int, std::string, std::string>(),
           "name"_a, "pattern"_a, "arrays"_a, "outputs"_a, "numbers"_a, "rank"_a, "description"_a,
           "file"_a)
      .def(
          "run",
          [](Kernel& kernel, nb::tuple arrays, nb::tuple numbers, nb::object schedule,
             nb::object device, bool recorded) {
            return kernel.run(std::move(arrays), std::move(numbers),
                              text_of(kernel.name(), "schedule", schedule), std::move(device),
                              recorded);
          },
          "arrays"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none(), "recorded"_a = false)
      .def(
          "run_as_before",
          [](Kernel& kernel, const nb::tuple& arrays, nb::handle out, const nb::dict& numbers,
             nb::object schedule, nb::object device) {
            return static_cast<int>(kernel.run_as_before(
                arrays, out, numbers, text_of(kernel.name(), "schedule", schedule),
                std::move(device)));
          },
          "arrays"_a, "out"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none())
      .def("record", &Kernel::record)
      .def(
          "measure",
          [](Kernel& kernel, nb::tuple arrays, nb::tuple numbers, nb::object schedule,
             nb::object device, nb::object repeat, nb::object check) {
            const std::string& name = kernel.name();
            return kernel.measure(std::move(arrays), std::move(numbers),
                                  text_of(name, "schedule", schedule), std::move(device),
                                  {count_of(name, "repeat", repeat, 1), truth_of(check)});
          },
          "arrays"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none(), "repeat"_a.none(),
          "check"_a.none())
      .def(
          "tune",
          [](Kernel& kernel, nb::tuple arrays, nb::tuple numbers, nb::object device, double seconds,
             nb::object most, nb::object progress) {
            return kernel.tune(std::move(arrays), std::move(numbers), std::move(device), seconds,
                               count_of(kernel.name(), "most", most, 0), std::move(progress));
          },
          "arrays"_a, "numbers"_a, "device"_a.none(), "seconds"_a, "most"_a.none(),
          "progress"_a.none())
      .def(
          "doctor",
          [](Kernel& kernel, nb::tuple arrays, nb::tuple numbers, nb::object schedule,
             nb::object device, nb::object prove) {
            return kernel.doctor(std::move(arrays), std::move(numbers),
                                 text_of(kernel.name(), "schedule", schedule), std::move(device),
                                 truth_of(prove));
          },
          "arrays"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none(), "prove"_a.none());
  nb::class_<Sweeps>(m, "Sweeps")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>, int,
                    std::string, std::string, const std::string&, const std::array<double, 3>&,
                    const std::vector<Index>&>(),
           "name"_a, "arrays"_a, "numbers"_a, "rank"_a, "description"_a, "file"_a, "boundary"_a,
           "spacing"_a, "points"_a)
      .def("part", &Sweeps::part)
      .def(
          "run",
          [](Sweeps& sweeps, nb::tuple arrays, nb::tuple numbers, nb::object schedule,
             nb::object device, nb::object steps) {
            const std::string& name = sweeps.name();
            sweeps.run(std::move(arrays), std::move(numbers), text_of(name, "schedule", schedule),
                       std::move(device), whole_of(name, "steps", steps, 1));
          },
          "arrays"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none(), "steps"_a.none())
      .def("steps", &Sweeps::steps)
      .def("record", &Sweeps::record);
}

} // namespace ridge::python
