// The module ridge._core: what of the Python package is C++.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/description.hpp>

#include "kernel.hpp"
#include "lattice.hpp"
#include "others_may_run.hpp"
#include "ranks.hpp"
#include "sweeps.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

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

} // namespace

NB_MODULE(_core, m) {
  cpu::be_a_guest();
  nb::exception<UsageError>(m, "UsageError", PyExc_ValueError);
  nb::exception<Failure>(m, "Failure", PyExc_RuntimeError);

  m.def("_end_calls", &end_calls);
  nb::module_::import_("atexit").attr("register")(m.attr("_end_calls"));
  add_lattice(m);
  add_ranks(m);
  m.def("devices", &devices);
  m.def("headers_folder", &headers_folder);
  m.def("folder_of_library", &library_folder);
  m.def("keep_source", &launch::keep_source, "file_name"_a, "text"_a);
  nb::class_<Kernel>(m, "Kernel")
      .def(nb::init<std::string, std::string, std::vector<std::string>, int, std::string,
                    std::string>(),
           "name"_a, "pattern"_a, "arrays"_a, "rank"_a, "description"_a, "file"_a)
      .def("run", &Kernel::run, "arrays"_a, "numbers"_a, "schedule"_a, "device"_a.none())
      .def("record", &Kernel::record)
      .def(
          "measure",
          [](Kernel& kernel, nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
             nb::object device, int repeats, bool check) {
            return kernel.measure(std::move(arrays), std::move(numbers), schedule,
                                  std::move(device), {repeats, check});
          },
          "arrays"_a, "numbers"_a, "schedule"_a, "device"_a.none(), "repeats"_a, "check"_a)
      .def("tune", &Kernel::tune, "arrays"_a, "numbers"_a, "device"_a.none(), "seconds"_a, "most"_a,
           "progress"_a.none())
      .def("doctor", &Kernel::doctor, "arrays"_a, "numbers"_a, "schedule"_a, "device"_a.none(),
           "prove"_a);
  nb::class_<Sweeps>(m, "Sweeps")
      .def(nb::init<std::string, std::vector<std::string>, int, std::string, std::string,
                    const std::string&, const std::array<double, 3>&, const std::vector<Index>&>(),
           "name"_a, "arrays"_a, "rank"_a, "description"_a, "file"_a, "boundary"_a, "spacing"_a,
           "points"_a)
      .def("owned", &Sweeps::owned)
      .def("run", &Sweeps::run, "arrays"_a, "numbers"_a, "schedule"_a, "device"_a.none(), "steps"_a)
      .def("steps", &Sweeps::steps)
      .def("record", &Sweeps::record);
}

} // namespace ridge::python
