#include "faces.hpp"

#include "others_may_run.hpp"
#include "queues.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <mutex>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

Faces::Faces(const std::string& boundary, const std::array<Index, 3>& reach,
             const std::array<double, 3>& spacing, bool even)
    : faces_(boundary, reach, spacing, even) {}

void Faces::fill(nb::object array) const {
  static const std::string name = "a gradient over time";
  static const std::vector<std::string> names{"an array with its faces"};
  static const std::vector<std::string> numbers;
  const Arrays given =
      look_at(nb::make_tuple(std::move(array)), {name, names, numbers, 0, 0, 1, true});
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(given.device, given.stream);
  const std::lock_guard in_turn(turn.guard);
  const Unforkable unforkable;
  const Array& one = given.all.front();
  if (given.storage == "fp16") {
    faces_.fill(turn.queue, view_of<Fp16>(one));
  } else if (given.storage == "bf16") {
    faces_.fill(turn.queue, view_of<Bf16>(one));
  } else if (one.element_bytes == 4) {
    faces_.fill(turn.queue, view_of<float>(one));
  } else {
    faces_.fill(turn.queue, view_of<double>(one));
  }
  if (!turn.queue.device().is_gpu()) turn.queue.wait();
}

void add_faces(nb::module_& m) {
  nb::class_<Faces>(m, "Faces")
      .def(nb::init<const std::string&, const std::array<Index, 3>&, const std::array<double, 3>&,
                    bool>(),
           "boundary"_a, "reach"_a, "spacing"_a, "even"_a)
      .def("fill", &Faces::fill, "array"_a);
}

} // namespace ridge::python
