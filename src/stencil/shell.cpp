#include <ridge/device/kind.hpp>
#include <ridge/stencil/shell.hpp>

namespace ridge::stencil {

namespace {

/// Points of a face that the shell holds and the field, too.
int own_points(const Condition& c, int radius) {
  return c.kind == Boundary::untouched ? radius : c.kind == Boundary::dirichlet ? 1 : 0;
}

int radius_along(Offset r, int axis) {
  return axis == 0 ? r.x : axis == 1 ? r.y : r.z;
}

/// Follows a point beyond a face from reflection to reflection until it is in the field.
template <class T>
Image<T> image_of(const std::array<Condition, 2>& faces, Index points, double spacing, Index at,
                  bool even) {
  Image<T> image;
  double add = 0;
  while (at < 0 || at >= points) {
    const int side = at < 0 ? 0 : 1;
    const Condition& c = faces[static_cast<std::size_t>(side)];
    const Index distance = side == 0 ? -at : at - (points - 1);
    const Index about_point = side == 0 ? distance : points - 1 - distance;
    switch (c.kind) {
    case Boundary::periodic:
      at += side == 0 ? points : -points;
      break;
    case Boundary::mirror:
      at = side == 0 ? about_point - 1 : about_point + 1;
      break;
    case Boundary::neumann:
      if (!even && c.values.empty()) {
        add +=
            static_cast<double>(image.sign) * 2 * static_cast<double>(distance) * spacing * c.value;
      } else if (!even) { // the face's values are twice the spacing times G
        image.of_face[side] += image.sign * static_cast<T>(distance);
      }
      at = about_point;
      break;
    default: // dirichlet: nothing lies beyond untouched points
      if (!even) {
        image.of_face[side] += 2 * image.sign;
        image.sign = -image.sign;
      }
      at = about_point;
    }
  }
  image.at = at;
  image.add = static_cast<T>(add);
  return image;
}

} // namespace

ShellLayout shell_layout(const Device& device, const Traits& traits, const Boundaries& boundaries,
                         Index3 extents, bool single) {
  ShellLayout layout{extents, {}, {}};
  Index* const sizes[3] = {&layout.extents.x, &layout.extents.y, &layout.extents.z};
  Index* const leads[3] = {&layout.lead.x, &layout.lead.y, &layout.lead.z};
  for (int axis = 0; axis < 3; ++axis) {
    const auto& faces = boundaries.faces[static_cast<std::size_t>(axis)];
    const int r = radius_along(traits.radius, axis);
    *leads[axis] = r - own_points(faces[0], r);
    *sizes[axis] += *leads[axis] + r - own_points(faces[1], r);
  }
  constexpr Index line_bytes = 128; // a GPU's; twice a cpu's
  const Index line = line_bytes / traits.element_bytes;
  const bool has_rows = layout.extents.y * layout.extents.z > 1;
  const bool shifts =
      single && facts_of(device).takes_gpu_schedules && has_rows && layout.lead.x > 0;
  const Index misfit = shifts ? line - traits.radius.x : 0;
  Index row = has_rows ? ceil_div(layout.extents.x, line) * line : layout.extents.x;
  // Rows a multiple of a page's size apart would all want the same few sets of a cache.
  constexpr Index page = 4096;
  if (row * traits.element_bytes % (page / 2) == 0) row += line;
  layout.strides = spread(device, traits, layout.extents, {row, row * layout.extents.y, misfit});
  return layout;
}

template <class T>
Shell<T> make_shell(const Boundaries& boundaries, Offset radius, Index3 extents,
                    const ShellLayout& layout, T* data, const FaceValues<T>& face_values,
                    bool even) {
  Shell<T> shell;
  const Strides& strides = layout.strides;
  shell.field = View<T>(data + strides.misfit, layout.extents, strides.row, strides.plane);
  const Index n[3] = {extents.x, extents.y, extents.z};
  const Index size[3] = {layout.extents.x, layout.extents.y, layout.extents.z};
  const Index lead[3] = {layout.lead.x, layout.lead.y, layout.lead.z};
  const double spacing[3] = {boundaries.spacing.x, boundaries.spacing.y, boundaries.spacing.z};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    ShellAxis<T>& made = shell.axes[axis];
    made.points = n[axis];
    made.radius = radius_along(radius, axis);
    made.lead = static_cast<int>(lead[axis]);
    const Index beyond[2] = {lead[axis], size[axis] - lead[axis] - n[axis]};
    for (int side = 0; side < 2; ++side) {
      const auto s = static_cast<std::size_t>(side);
      const Condition& c = boundaries.faces[a][s];
      made.fixed[side] = !even && c.kind == Boundary::dirichlet;
      made.value[side] = static_cast<T>(c.value);
      made.values[side] = face_values[a][s];
      for (Index k = 0; k < beyond[side]; ++k) {
        const Index at = side == 0 ? -1 - k : n[axis] + k;
        made.beyond[side][k] = image_of<T>(boundaries.faces[a], n[axis], spacing[axis], at, even);
      }
    }
  }
  return shell;
}

template Shell<float> make_shell(const Boundaries&, Offset, Index3, const ShellLayout&, float*,
                                 const FaceValues<float>&, bool);
template Shell<double> make_shell(const Boundaries&, Offset, Index3, const ShellLayout&, double*,
                                  const FaceValues<double>&, bool);

bool shell_changes(const Boundaries& boundaries, Offset radius) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const Condition& c : boundaries.faces[static_cast<std::size_t>(axis)]) {
      const int r = radius_along(radius, axis);
      if (own_points(c, r) < r) return true;
    }
  }
  return false;
}

} // namespace ridge::stencil
