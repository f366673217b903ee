#include <ridge/device/offer.hpp>
#include <ridge/gradient/faces.hpp>
#include <ridge/stencil/stored_shell.hpp>

namespace ridge::gradient {

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
void Faces::fill(Queue& queue, const View<T>& wide) const {
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

template void Faces::fill(Queue&, const View<float>&) const;
template void Faces::fill(Queue&, const View<double>&) const;
template void Faces::fill(Queue&, const View<Fp16>&) const;
template void Faces::fill(Queue&, const View<Bf16>&) const;

} // namespace ridge::gradient
