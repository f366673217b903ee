#include "faces.hpp"

#include <ridge/device/offer.hpp>
#include <ridge/stencil/stored_shell.hpp>

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

namespace {

int& part_of(stencil::Offset& o, int axis) {
  return axis == 0 ? o.x : axis == 1 ? o.y : o.z;
}

Index& part_of(Index3& n, int axis) {
  return axis == 0 ? n.x : axis == 1 ? n.y : n.z;
}

} // namespace

Faces::Faces(const std::string& boundary, const std::array<Index, 3>& reach,
             const std::array<double, 3>& spacing, bool even)
    : boundaries_(stencil::parse_boundaries(boundary)), reach_{static_cast<int>(reach[0]),
                                                               static_cast<int>(reach[1]),
                                                               static_cast<int>(reach[2])},
      even_(even) {
  boundaries_.spacing = {spacing[0], spacing[1], spacing[2]};
}

template <class T>
void Faces::fill_of(Queue& queue, const Array& array) const {
  const View<T> wide = view_of<T>(array);
  stencil::ShellLayout layout{wide.extents, {}, {wide.row, wide.plane, 0}};
  Index3 points = wide.extents;
  stencil::Offset shell = reach_;
  for (int axis = 0; axis < 3; ++axis) {
    stencil::Offset reach = reach_;
    const Index beyond = part_of(reach, axis);
    for (int side = 0; side < 2; ++side) {
      const auto a = static_cast<std::size_t>(axis);
      const stencil::Boundary kind = boundaries_.faces[a][static_cast<std::size_t>(side)].kind;
      if (kind == stencil::Boundary::untouched) continue;
      if (side == 0) part_of(layout.lead, axis) = beyond;
      part_of(points, axis) -= beyond;
      // The face's own points are fixed, too.
      if (kind == stencil::Boundary::dirichlet) part_of(shell, axis) = static_cast<int>(beyond) + 1;
    }
  }
  const auto filled =
      stencil::shell_of<T>(boundaries_, shell, points, layout, wide.data, {}, even_);
  offered<stencil::FillShell<T>>(queue.device().kind(), typeid(stencil::Shell<T>))(queue, filled);
}

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
    fill_of<Fp16>(turn.queue, one);
  } else if (given.storage == "bf16") {
    fill_of<Bf16>(turn.queue, one);
  } else if (one.element_bytes == 4) {
    fill_of<float>(turn.queue, one);
  } else {
    fill_of<double>(turn.queue, one);
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
