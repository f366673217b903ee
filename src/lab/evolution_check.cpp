#include <ridge/lab/evolution_check.hpp>

#include <algorithm>

namespace ridge::lab {

namespace {

/// Points along each axis of what is compared.
constexpr Index compared = 6;

} // namespace

Index checked_steps(stencil::Offset radius, Index steps) {
  const int most = std::max({radius.x, radius.y, radius.z, 1});
  return std::min<Index>(steps, 24 / most);
}

std::vector<CheckedBox> checked_boxes(Index3 extents, stencil::Offset radius,
                                      const stencil::Boundaries& boundaries, Index steps) {
  const Index n[3] = {extents.x, extents.y, extents.z};
  const Index r[3] = {radius.x, radius.y, radius.z};
  std::vector<CheckedBox> boxes;
  for (int place = 0; place < 3; ++place) {
    CheckedBox box{{}, {}, {}, {}, boundaries};
    for (int axis = 0; axis < 3; ++axis) {
      auto& faces = box.boundaries.faces[static_cast<std::size_t>(axis)];
      const bool periodic = faces[0].kind == stencil::Boundary::periodic;
      const Index room = n[axis] - std::min(compared, n[axis]);
      const Index begin = periodic || place == 1 ? room / 2 : place == 0 ? 0 : room;
      box.right_begin[axis] = begin;
      box.right_end[axis] = std::min(begin + compared, n[axis]);
      box.begin[axis] = begin - steps * r[axis];
      box.end[axis] = box.right_end[axis] + steps * r[axis];
      if (periodic && (box.begin[axis] < 0 || box.end[axis] > n[axis])) {
        box.begin[axis] = 0;
        box.end[axis] = n[axis];
        continue; // stays periodic
      }
      box.begin[axis] = std::max<Index>(box.begin[axis], 0);
      box.end[axis] = std::min(box.end[axis], n[axis]);
      if (box.begin[axis] > 0 || periodic) faces[0] = {};
      if (box.end[axis] < n[axis] || periodic) faces[1] = {};
    }
    boxes.push_back(std::move(box));
  }
  return boxes;
}

} // namespace ridge::lab
