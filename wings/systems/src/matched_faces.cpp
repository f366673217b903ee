#include "matched_faces.hpp"

#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ridge::chain {

namespace {

using comm::along;

/// Staggered derivatives along an axis lead half a point aside along it alone.
bool leads_along(const Placement& from, const Placement& to, int axis) {
  for (int d = 0; d < 3; ++d) {
    if ((from.half.along(d) != to.half.along(d)) != (d == axis)) return false;
  }
  return true;
}

bool reads_around(const OperationInfo& op, int array) {
  return op.reads(array) && !(op.reach(array) == Reach{});
}

/// Arrays that an operation writes with derivatives along the axis.
std::vector<int> arrays_along(const SystemKernel& kernel, const OperationInfo& op, int axis) {
  std::vector<int> found;
  for (int to = 0; to < kernel.arrays(); ++to) {
    if (!op.writes(to)) continue;
    for (int from = 0; from < kernel.arrays(); ++from) {
      if (kernel.is_state(from) && reads_around(op, from) &&
          leads_along(kernel.placements[static_cast<std::size_t>(from)],
                      kernel.placements[static_cast<std::size_t>(to)], axis)) {
        found.push_back(to);
        break;
      }
    }
  }
  return found;
}

void require_linear(const SystemKernel& kernel, const Description& chain) {
  bool fits = kernel.absorbs && kernel.knows_step && kernel.swaps.empty();
  for (const OperationInfo& op : chain.operations) {
    for (int a = 0; a < kernel.arrays(); ++a)
      fits = fits && !(op.writes(a) && reads_around(op, a));
  }
  for (const Array& array : chain.arrays)
    fits = fits && array.extra == Offset{};
  if (!fits) {
    throw UsageError(fmt::format("layers of cpml are for staggered waves whose operations read no "
                                 "neighbours of what they write; {} is none, and friction is right",
                                 kernel.name));
  }
  if (!kernel.storage.empty()) {
    throw UsageError(fmt::format(
        "layers of cpml remember fp32 or fp64, not {}; leave out --store-as", kernel.storage));
  }
}

/// Where a layer begins and ends along its axis, with `more` points further inside.
std::array<Index, 2> ends_of_layer(const SystemSetup& setup, const MatchedFace& face, Index more) {
  const Index whole = along(setup.whole(), face.axis);
  // Points half a spacing aside lie in the layer, too.
  const Index width = std::min(whole, setup.layers.width + 1 + more);
  const Index first = face.side == 0 ? 0 : whole - width;
  return {first, first + width};
}

/// The part of a layer that this rank has.
void place(MatchedFace& face, const SystemSetup& setup, Index more) {
  const auto [first, last] = ends_of_layer(setup, face, more);
  const Index mine = along(setup.begin(), face.axis);
  const Index n = along(setup.extents, face.axis);
  const Index begin = std::clamp<Index>(first - mine, 0, n);
  face.extents = setup.extents;
  along(face.begin, face.axis) = begin;
  along(face.extents, face.axis) = std::clamp<Index>(last - mine, 0, n) - begin;
}

/// Faces of all ranks, those with `more` points.
std::vector<MatchedFace> all_faces(const SystemKernel& kernel, const SystemSetup& setup,
                                   const std::function<Index(int axis)>& more) {
  std::vector<MatchedFace> made;
  if (!setup.layers.matched || !setup.layers.any()) return made;
  const Description& chain = kernel.description(setup.element_bytes);
  require_linear(kernel, chain);
  for (int op = 0; op < static_cast<int>(chain.operations.size()); ++op) {
    for (int i = 0; i < 6; ++i) {
      MatchedFace face{op, i / 2, i % 2, {}, {}, {}};
      if (!setup.layers
               .faces[static_cast<std::size_t>(face.axis)][static_cast<std::size_t>(face.side)])
        continue;
      place(face, setup, more(face.axis));
      face.arrays = arrays_along(kernel, chain.operations[static_cast<std::size_t>(op)], face.axis);
      if (!face.arrays.empty()) made.push_back(face);
    }
  }
  return made;
}

Index reach_back(const Description& adjoint, int axis) {
  return adjoint.dimensions[static_cast<std::size_t>(axis)].beyond;
}

} // namespace

std::vector<MatchedFace> matched_faces(const SystemKernel& kernel, const SystemSetup& setup) {
  std::vector<MatchedFace> made = all_faces(kernel, setup, [](int /*axis*/) { return 0; });
  std::erase_if(made, [](const MatchedFace& face) { return face.points() == 0; });
  return made;
}

std::vector<MatchedFace> matched_faces_back(const SystemKernel& kernel, const SystemSetup& setup,
                                            const Description& adjoint) {
  return all_faces(kernel, setup, [&](int axis) { return reach_back(adjoint, axis); });
}

comm::Box box_of_face(const SystemSetup& setup, const Description& adjoint,
                      const MatchedFace& face) {
  constexpr Index far = Index{1} << 40;
  comm::Box made{{-far, -far, -far}, {far, far, far}};
  const auto ends = ends_of_layer(setup, face, reach_back(adjoint, face.axis));
  along(made.begin, face.axis) = ends[0];
  along(made.end, face.axis) = ends[1];
  return made;
}

std::array<std::vector<double>, 2> memory_factors(const SystemKernel& kernel,
                                                  const SystemSetup& setup, const MatchedFace& face,
                                                  int array) {
  constexpr double comes_back = 1e-5; // of a wave straight on, in theory
  const auto axis = static_cast<std::size_t>(face.axis);
  const double width = static_cast<double>(setup.layers.width);
  const double most =
      3 * setup.layers.speed * std::log(1 / comes_back) / (2 * width * setup.spacing[axis]);
  const double last = static_cast<double>(along(setup.whole(), face.axis) - 1);
  const double half =
      kernel.placements[static_cast<std::size_t>(array)].half.along(face.axis) / 2.0;
  const Index begin = along(setup.begin(), face.axis) + along(face.begin, face.axis);
  std::array<std::vector<double>, 2> made;
  for (Index i = 0; i < along(face.extents, face.axis); ++i) {
    const double at = static_cast<double>(begin + i) + half;
    const double depth = std::clamp((width - (face.side == 0 ? at : last - at)) / width, 0.0, 1.0);
    const double friction = most * depth * depth;
    const double shift = M_PI * setup.layers.frequency * (1 - depth);
    const double left = std::exp(-(friction + shift) * setup.dt);
    made[0].push_back(left);
    made[1].push_back(friction > 0 ? friction / (friction + shift) * (left - 1) : 0);
  }
  return made;
}

SystemStep step_along(const SystemSetup& setup, const MatchedFace& face) {
  const auto axis = static_cast<std::size_t>(face.axis);
  SystemStep one;
  one.dt = setup.dt;
  one.spacing.fill(std::numeric_limits<double>::infinity());
  one.spacing[axis] = setup.spacing[axis];
  one.extents = face.extents;
  one.first = face.operation;
  return one;
}

MatchedMemory matched_memory(const SystemKernel& kernel, const SystemSetup& setup) {
  MatchedMemory needed{};
  Index change = 0;
  const Description& chain = kernel.description(setup.element_bytes);
  for (const MatchedFace& face : matched_faces(kernel, setup)) {
    needed.kept.value +=
        face.points() * static_cast<Index>(face.arrays.size()) * setup.element_bytes;
    Index all = 0;
    for (int a = 0; a < kernel.arrays(); ++a) {
      if (chain.operations[static_cast<std::size_t>(face.operation)].writes(a))
        all += layout_of(chain, a, face.extents).elements;
    }
    change = std::max(change, all);
  }
  needed.beside.value = change * setup.element_bytes;
  return needed;
}

} // namespace ridge::chain
