#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>
#include <ridge/stencil/boundary.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace ridge::stencil {

namespace {

constexpr const char* right_boundary = "a list such as x=periodic,y=dirichlet:0,z-=neumann:1,z+=mirror";

bool has_value(Boundary kind) {
  return kind == Boundary::dirichlet || kind == Boundary::neumann;
}

std::string to_text(const Condition& c) {
  const std::string name(enum_names(Boundary{})[static_cast<std::size_t>(c.kind)]);
  if (!has_value(c.kind)) return name;
  return c.field.empty() ? fmt::format("{}:{}", name, c.value)
                         : fmt::format("{}:{}", name, c.field);
}

Condition parse_condition(std::string_view text, std::string_view whole) {
  const auto colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  Condition condition;
  refuse_if(!text::value_from_text(kind, condition.kind),
            "boundary '{}': there is no condition '{}'; there are untouched, dirichlet:VALUE, "
            "neumann:VALUE, periodic and mirror",
            whole, kind);
  if (!has_value(condition.kind)) {
    if (colon == std::string_view::npos) return condition;
    throw UsageError(fmt::format("boundary '{}': {} takes no value", whole, kind));
  }
  const std::string_view value =
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  const auto [end, status] =
      std::from_chars(value.data(), value.data() + value.size(), condition.value);
  if (status == std::errc{} && end == value.data() + value.size()) {
    if (std::isfinite(condition.value)) return condition;
  } else if (condition.kind == Boundary::dirichlet && value.find(':') != std::string_view::npos) {
    condition.value = 0;
    condition.field = value;
    return condition;
  }
  throw UsageError(fmt::format(
      "boundary '{}': '{}' is no number; {} takes a finite one, such as {}:0{}", whole, value, kind,
      kind, condition.kind == Boundary::dirichlet ? ", or FILE.h5:/path" : ""));
}

} // namespace

std::string face_name(int axis, int side) {
  return fmt::format("{}{}", "xyz"[axis], "-+"[side]);
}

Index face_points(Index3 n, int axis) {
  return axis == 0 ? n.y * n.z : axis == 1 ? n.x * n.z : n.x * n.y;
}

std::string to_text(const Boundaries& boundaries) {
  std::string line;
  const auto add = [&](const std::string& face, const Condition& c) {
    if (c.kind == Boundary::untouched) return;
    line += fmt::format("{}{}={}", line.empty() ? "" : ",", face, to_text(c));
  };
  for (int axis = 0; axis < 3; ++axis) {
    const auto& [low, high] = boundaries.faces[static_cast<std::size_t>(axis)];
    if (low == high) {
      add(std::string(1, "xyz"[axis]), low);
    } else {
      add(face_name(axis, 0), low);
      add(face_name(axis, 1), high);
    }
  }
  return line.empty() ? "untouched" : line;
}

Boundaries parse_boundaries(std::string_view text) {
  Boundaries boundaries;
  std::array<std::array<bool, 2>, 3> seen{};
  if (text == "untouched") return boundaries;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const auto equals = one.find('=');
    const std::string_view face = one.substr(0, equals);
    const bool single = face.size() == 2 && (face[1] == '-' || face[1] == '+');
    refuse_if(equals == std::string_view::npos || face.empty() || (face.size() > 1 && !single),
              "boundary '{}': expected {}", one, right_boundary);
    const auto axis = std::string_view("xyz").find(face[0]);
    if (axis == std::string_view::npos) {
      throw UsageError(fmt::format("boundary '{}': there is no axis '{}'; the axes are x, y and z",
                                   one, face[0]));
    }
    const Condition condition = parse_condition(one.substr(equals + 1), one);
    for (std::size_t side = 0; side < 2; ++side) {
      if (single && (face[1] == '-' ? 0U : 1U) != side) continue;
      if (std::exchange(seen[axis][side], true)) {
        throw UsageError(fmt::format("boundary '{}': the face {} is given twice", text,
                                     face_name(static_cast<int>(axis), static_cast<int>(side))));
      }
      boundaries.faces[axis][side] = condition;
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& [low, high] = boundaries.faces[axis];
    refuse_if((low.kind == Boundary::periodic) != (high.kind == Boundary::periodic),
              "boundary '{}': periodic needs both faces, as in {}=periodic", text, "xyz"[axis]);
  }
  return boundaries;
}

void require_fit(const Boundaries& boundaries, Offset radius, Index3 extents) {
  const Index n[3] = {extents.x, extents.y, extents.z};
  const int r[3] = {radius.x, radius.y, radius.z};
  const auto at_points = [](const Condition& c) { return has_value(c.kind); };
  for (int axis = 0; axis < 3; ++axis) {
    const auto& faces = boundaries.faces[static_cast<std::size_t>(axis)];
    const char name = "xyz"[axis];
    Index kept = 0;
    for (int side = 0; side < 2; ++side) {
      const Condition& c = faces[static_cast<std::size_t>(side)];
      if (c.kind == Boundary::untouched) {
        kept += r[axis];
        continue;
      }
      kept += c.kind == Boundary::dirichlet ? 1 : 0;
      if (r[axis] == 0) {
        throw UsageError(fmt::format("boundary {}: this stencil reads no neighbours along {}",
                                     face_name(axis, side), name));
      }
      if (r[axis] > 8) {
        throw UsageError(fmt::format("boundary {}: boundaries are for stencils of a radius up to 8",
                                     face_name(axis, side)));
      }
      const auto wanted = static_cast<std::size_t>(face_points(extents, axis));
      if ((!c.field.empty() || !c.values.empty()) && c.values.size() != wanted) {
        throw UsageError(fmt::format("boundary {}={}: the field has {} values, the face {} points",
                                     face_name(axis, side), to_text(c), c.values.size(), wanted));
      }
    }
    refuse_if((faces[0].kind == Boundary::periodic) != (faces[1].kind == Boundary::periodic),
              "boundary {}: periodic needs both faces of an axis", name);
    // What is beyond one face must not be read from beyond the other without end.
    const Index least =
        std::max<Index>(kept + 1, at_points(faces[0]) && at_points(faces[1]) ? 2 : 1);
    refuse_if(n[axis] < least,
              "{} points along {} leave none to compute; these boundaries need at least {}",
              n[axis], name, least);
  }
}

} // namespace ridge::stencil
