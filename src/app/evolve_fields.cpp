#include "evolve_fields.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::app {

using stencil::Boundaries;
using stencil::Condition;

namespace {

/// So many values of a dataset's pieces, one behind the other.
std::vector<double> read_pieces(const InputDataset& input, const std::vector<Piece>& pieces,
                                Index count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::vector<float> narrow;
  for (const Piece& piece : pieces) {
    double* const to = values.data() + piece.first;
    if (input.element_bytes() == 8) {
      input.read(piece, to);
      continue;
    }
    narrow.resize(static_cast<std::size_t>(piece.elements));
    input.read(piece, narrow.data());
    std::copy(narrow.begin(), narrow.end(), to);
  }
  return values;
}

} // namespace

std::vector<double> read_all(const InputDataset& input) {
  return read_pieces(input, input.pieces(), input.extents().count());
}

void read_face_fields(Boundaries& boundaries, const Extents& extents) {
  for (int axis = 0; axis < extents.rank(); ++axis) {
    Index sizes[3] = {1, 1, 1};
    int rank = 0;
    for (int other = 0; other < extents.rank(); ++other)
      if (other != axis) sizes[rank++] = extents[other];
    const Extents face(sizes, std::max(rank, 1));
    for (int side = 0; side < 2; ++side) {
      Condition& c =
          boundaries.faces[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
      if (c.field.empty()) continue;
      const InputDataset field(parse_dataset_name(c.field, "--boundary"));
      refuse_if(field.extents() != face,
                "--boundary {}=dirichlet:{}: the field has {} points, the face {}",
                stencil::face_name(axis, side), c.field, to_text(field.extents()), to_text(face));
      c.values = read_all(field);
      if (!std::all_of(c.values.begin(), c.values.end(),
                       [](double v) { return std::isfinite(v); })) {
        throw UsageError(fmt::format("--boundary {}=dirichlet:{}: the field holds values that are "
                                     "not finite",
                                     stencil::face_name(axis, side), c.field));
      }
    }
  }
}

namespace {

/// The points of a face, or so many planes behind it.
std::vector<double> read_plane(const InputDataset& input, int axis, int side, Index behind) {
  Index3 begin{0, 0, 0};
  Index3 n = input.extents().xyz();
  const Index most = comm::along(n, axis) - 1;
  const Index at = std::min(behind, most);
  comm::along(begin, axis) = side == 0 ? at : most - at;
  comm::along(n, axis) = 1;
  return read_pieces(input, input.pieces_in(begin, n), n.x * n.y * n.z);
}

} // namespace

void let_k_flow_in(Boundaries& boundaries, const InputDataset& k) {
  for (int axis = 0; axis < k.extents().rank(); ++axis) {
    for (int side = 0; side < 2; ++side) {
      Condition& c =
          boundaries.faces[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
      if (c.kind != stencil::Boundary::neumann || c.value == 0) continue;
      const std::vector<double> own = read_plane(k, axis, side, 0);
      const std::vector<double> inner = read_plane(k, axis, side, 1);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double both = own[i] + inner[i];
        c.values.push_back(both > 0 ? c.value * 2 * own[i] / both : 0);
      }
    }
  }
}

Faces parse_faces(std::string_view text, int rank) {
  Faces faces{};
  std::string all = "xyz";
  all.resize(static_cast<std::size_t>(rank));
  if (text == "all") text = rank == 1 ? "x" : rank == 2 ? "x,y" : "x,y,z";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    const auto axis = one.empty() ? std::string::npos : all.find(one[0]);
    const bool single = one.size() == 2 && (one[1] == '-' || one[1] == '+');
    refuse_if(axis == std::string::npos || (one.size() != 1 && !single),
              "--absorb '{}': '{}' is no face of a field of {} dimension{}; give a list such as "
              "x,y- or all",
              text, one, rank, rank == 1 ? "" : "s");
    for (std::size_t side = 0; side < 2; ++side)
      faces[axis][side] = faces[axis][side] || !single || (one[1] == '-') == (side == 0);
  }
  return faces;
}

void require_layers(const Faces& faces, Index width, const Index3& extents) {
  refuse_if(width < 1, "--absorb-width {}: at least 1 is needed", width);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int layers = (faces[axis][0] ? 1 : 0) + (faces[axis][1] ? 1 : 0);
    if (layers == 0) continue;
    const Index points = comm::along(extents, static_cast<int>(axis));
    const Index most = (points - 1) / layers;
    if (width <= most) continue;
    throw UsageError(fmt::format("--absorb-width {}: {} has {} points and {} layer{}; {}", width,
                                 "xyz"[axis], points, layers, layers == 1 ? "" : "s",
                                 most == 0 ? "none fits: leave it out of --absorb"
                                           : fmt::format("at most {} fit", most)));
  }
}

std::vector<double> Friction::within(const comm::Box& box) const {
  // Less comes back from the far wall, but more from the layer itself, as this is made smaller.
  constexpr double through = 1e-3;
  const double h[3] = {spacing.x, spacing.y, spacing.z};
  std::array<std::vector<double>, 3> along;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index n = extents[static_cast<int>(axis)];
    along[axis].assign(static_cast<std::size_t>(n), 0.0);
    // exp(-integral of s / c over the way in and out) = through, at half the friction a wave takes.
    const double most = 3 * speed * std::log(1 / through) / (static_cast<double>(width) * h[axis]);
    for (Index i = 0; i < n; ++i) {
      for (std::size_t side = 0; side < 2; ++side) {
        const Index depth = width - (side == 0 ? i : n - 1 - i);
        if (!faces[axis][side] || depth <= 0) continue;
        const double part = static_cast<double>(depth) / static_cast<double>(width);
        along[axis][static_cast<std::size_t>(i)] += most * part * part;
      }
    }
  }
  std::vector<double> a;
  a.reserve(static_cast<std::size_t>(box.count()));
  const auto at = [&](std::size_t axis, Index i) {
    return along[axis][static_cast<std::size_t>(i)];
  };
  for (Index z = box.begin.z; z < box.end.z; ++z) {
    for (Index y = box.begin.y; y < box.end.y; ++y) {
      for (Index x = box.begin.x; x < box.end.x; ++x)
        a.push_back(1 / (1 + (at(0, x) + at(1, y) + at(2, z)) * dt / 2));
    }
  }
  return a;
}

} // namespace ridge::app
