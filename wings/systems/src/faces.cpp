#include "faces.hpp"

#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::chain {

namespace {

using comm::along;

constexpr Index line_bytes = 128;

/// floor(a / 2) and ceil(a / 2) of any sign.
constexpr Index floor_half(Index a) {
  return a >= 0 ? a / 2 : -((1 - a) / 2);
}
constexpr Index ceil_half(Index a) {
  return -floor_half(-a);
}

/// A wall in half spacings, and which of its images are negative.
struct Mirror {
  Index place;
  bool odd;
};

std::optional<Mirror> mirror_of(const WallCondition& c, const Placement& p, int d, int side,
                                Index n, bool traction) {
  const Index first = side == 0 ? 0 : 2 * n - 2;
  const bool odd = p.mirrored.along(d) < 0;
  switch (c.kind) {
  case Wall::mirror:
    return Mirror{side == 0 ? -1 : 2 * n - 1, odd};
  case Wall::antimirror:
    return Mirror{first, !odd};
  case Wall::dirichlet:
    return Mirror{first, true};
  case Wall::neumann:
    return Mirror{first, false};
  case Wall::free:
    return Mirror{first, traction};
  default:
    return std::nullopt;
  }
}

} // namespace

ArrayLayout layout_of(const Description& d, int array, Index3 n) {
  const Array& a = d.arrays[static_cast<std::size_t>(array)];
  const auto beyond = [&](int i) {
    return Index{d.dimensions[static_cast<std::size_t>(i)].beyond};
  };
  const Index line = line_bytes / d.element_bytes;
  const auto whole = [&](Index elements) { return ceil_div(elements, line) * line; };
  ArrayLayout made;
  made.points = {n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
  const Index lead = whole(beyond(0));
  made.row = whole(lead + made.points.x + beyond(0));
  made.plane = made.row * (made.points.y + 2 * beyond(1));
  // Arrays do not begin at the same sets of the cache.
  const Index aside = array * 5 % 32 * line;
  made.before = aside + lead + beyond(1) * made.row + beyond(2) * made.plane;
  made.elements = aside + made.plane * (made.points.z + 2 * beyond(2));
  return made;
}

Reach reach_of_all(const Description& d, int array) {
  Reach all;
  for (const OperationInfo& op : d.operations) {
    const Reach r = op.reach(array);
    all.low = {std::min(all.low.x, r.low.x), std::min(all.low.y, r.low.y),
               std::min(all.low.z, r.low.z)};
    all.high = {std::max(all.high.x, r.high.x), std::max(all.high.y, r.high.y),
                std::max(all.high.z, r.high.z)};
  }
  return all;
}

template <class T>
BeyondArray<T> faces_of(const SystemKernel& kernel, const SystemSetup& setup, int array,
                        const ArrayLayout& layout, T* memory) {
  BeyondArray<T> made = rules_of<T>(kernel, setup, array, layout.points);
  made.data = memory + layout.before;
  made.row = layout.row;
  made.plane = layout.plane;
  made.before = layout.before;
  made.size = layout.elements;
  return made;
}
template BeyondArray<float> faces_of(const SystemKernel&, const SystemSetup&, int,
                                     const ArrayLayout&, float*);
template BeyondArray<double> faces_of(const SystemKernel&, const SystemSetup&, int,
                                      const ArrayLayout&, double*);
template BeyondArray<Fp16> faces_of(const SystemKernel&, const SystemSetup&, int,
                                    const ArrayLayout&, Fp16*);
template BeyondArray<Bf16> faces_of(const SystemKernel&, const SystemSetup&, int,
                                    const ArrayLayout&, Bf16*);

template <class T>
BeyondArray<T> rules_of(const SystemKernel& kernel, const SystemSetup& setup, int array,
                        const Index3& extents) {
  using Number = NumberOf<T>;
  const Description& chain = kernel.of_double;
  const Placement& placement = kernel.placements[static_cast<std::size_t>(array)];
  const Reach reach = reach_of_all(chain, array);
  BeyondArray<T> made;
  made.bits = kernel.has_halves(array);
  for (int d = 0; d < 3; ++d) {
    const Index n = along(setup.extents, d);
    const Index points = along(extents, d);
    ShellOf& s = made.shell;
    s.begin[d] = reach.low.along(d);
    s.end[d] = points + reach.high.along(d);
    s.low[d] = 0;
    s.high[d] = points;
    for (int side = 0; side < 2; ++side) {
      FaceRule<Number>& rule = made.faces[d][side];
      const WallCondition& c =
          setup.walls[static_cast<std::size_t>(array)][static_cast<std::size_t>(d)]
                     [static_cast<std::size_t>(side)];
      if (along(setup.whole(), d) == 1) { // no such dimension
        rule.image = Image::first;
        continue;
      }
      if (setup.part && setup.part->has_neighbour(d, side)) {
        (side == 0 ? s.low : s.high)[d] = side == 0 ? s.begin[d] : s.end[d];
        continue;
      }
      if (c.kind == Wall::periodic) {
        rule.image = Image::wrapped;
        rule.place = side == 0 ? n : -n;
        s.high[d] = n;
        continue;
      }
      const bool changes = kernel.is_state(array) || kernel.is_next(array);
      if (c.kind == Wall::untouched && side == 1 && placement.half.along(d) > 0 && changes) {
        rule.image = Image::first; // the last point lies beyond the range, and keeps 0
        rule.sign = 0;
        s.high[d] = points - 1;
        continue;
      }
      const auto mirror = mirror_of(c, placement, d, side, n,
                                    kernel.free_faces && kernel.free_faces->acts(array, d));
      if (!mirror) continue;
      const Index half = mirror->place - placement.half.along(d);
      rule.image = Image::reflected;
      rule.place = half;
      if (!changes) { // a medium is continued evenly
        (side == 0 ? s.low : s.high)[d] = side == 0 ? std::max<Index>(0, ceil_half(half))
                                                    : std::min(points, floor_half(half) + 1);
        continue;
      }
      rule.sign = mirror->odd ? -1 : 1;
      if (mirror->odd && half % 2 == 0) rule.wall = half / 2;
      if (c.kind == Wall::dirichlet) {
        rule.value = static_cast<Number>(c.value);
        rule.add = 2 * rule.value;
      }
      if (c.kind == Wall::neumann)
        rule.slope = static_cast<Number>(c.value * setup.spacing[static_cast<std::size_t>(d)]);
      if (side == 0) {
        s.low[d] = std::max<Index>(0, mirror->odd ? floor_half(half) + 1 : ceil_half(half));
      } else {
        s.high[d] = std::min(points, (mirror->odd ? ceil_half(half) - 1 : floor_half(half)) + 1);
      }
    }
    // Images lie within what is computed.
    if (along(setup.whole(), d) == 1) continue;
    const FaceRule<Number>* const faces = made.faces[d];
    const auto inside = [&](const FaceRule<Number>& rule, Index i) {
      if (rule.image == Image::none || rule.image == Image::first || i == rule.wall) return true;
      const Index at = rule.image == Image::reflected ? rule.place - i : i + rule.place;
      return at >= s.low[d] && at < s.high[d];
    };
    if (s.low[d] >= s.high[d] || (s.begin[d] < s.low[d] && !inside(faces[0], s.begin[d])) ||
        (s.end[d] > s.high[d] && !inside(faces[1], s.end[d] - 1))) {
      const int away = std::max(-reach.low.along(d), reach.high.along(d));
      throw UsageError(fmt::format("{} items along {} are too few for what '{}' shows beyond its "
                                   "faces; operations read it {} points away, for which {} are "
                                   "enough, or 1",
                                   n, "xyz"[d], chain.arrays[static_cast<std::size_t>(array)].name,
                                   away, away + 2));
    }
  }
  return made;
}

std::vector<std::array<int, 2>> free_faces(const SystemKernel& kernel, const SystemSetup& setup) {
  std::vector<std::array<int, 2>> made;
  for (int d = 0; d < 3; ++d) {
    for (int side = 0; side < 2; ++side) {
      const auto is_free = [&](const ArrayWalls& walls) {
        return walls[static_cast<std::size_t>(d)][static_cast<std::size_t>(side)].kind ==
               Wall::free;
      };
      if (std::none_of(setup.walls.begin(), setup.walls.end(), is_free)) continue;
      const std::string face = fmt::format("{}{}", "xyz"[d], "-+"[side]);
      if (!kernel.free_faces) {
        throw UsageError(fmt::format("--boundary {}=free is of elastic; a free face of {} is "
                                     "another condition: antimirror of acoustic",
                                     face, kernel.name));
      }
      if (!std::all_of(setup.walls.begin(), setup.walls.end(), is_free)) {
        throw UsageError(fmt::format("--boundary {0}=free is for all arrays, and one has another "
                                     "condition at {0}",
                                     face));
      }
      if (setup.part) {
        throw UsageError(fmt::format("--boundary {}=free runs on one rank; start one", face));
      }
      if (!kernel.storage.empty()) {
        throw UsageError(fmt::format("--boundary {}=free runs in fp32 and fp64, not beside "
                                     "--store-as {}",
                                     face, kernel.storage));
      }
      if (along(setup.extents, d) > 1) made.push_back({d, side});
    }
  }
  return made;
}

bool AbsorbingLayers::any() const {
  for (const auto& axis : faces) {
    if (axis[0] || axis[1]) return true;
  }
  return false;
}

ShellOf layers_of(const SystemSetup& setup, const Placement& placement, Index3 points) {
  ShellOf s;
  for (int d = 0; d < 3; ++d) {
    const auto& faces = setup.layers.faces[static_cast<std::size_t>(d)];
    s.begin[d] = 0;
    s.end[d] = along(points, d);
    const Index begin = along(setup.begin(), d);
    const Index n = along(setup.whole(), d);
    const Index half = placement.half.along(d);
    // Those less than its width from a face; half a spacing aside there is one more.
    const Index low = setup.layers.width + (half < 0 ? 1 : 0);
    const Index high = n - setup.layers.width - (half != 0 ? 1 : 0);
    s.low[d] = faces[0] ? std::clamp<Index>(low - begin, 0, s.end[d]) : 0;
    s.high[d] = faces[1] ? std::clamp(high - begin, s.low[d], s.end[d]) : s.end[d];
  }
  return s;
}

std::vector<double> factors_of(const SystemSetup& setup, const Placement& placement, Index points,
                               int axis) {
  // What is left of an amplitude that goes in and comes back; friction grows with the depth
  // squared.
  constexpr double through = 1e-3;
  const auto& faces = setup.layers.faces[static_cast<std::size_t>(axis)];
  const double width = static_cast<double>(setup.layers.width);
  const double most = 3 * setup.layers.speed * std::log(1 / through) /
                      (2 * width * setup.spacing[static_cast<std::size_t>(axis)]);
  const double last = static_cast<double>(along(setup.whole(), axis) - 1);
  const Index begin = along(setup.begin(), axis);
  std::vector<double> factors;
  for (Index i = 0; i < points; ++i) {
    const double at = static_cast<double>(begin + i) + placement.half.along(axis) / 2.0;
    double friction = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const double depth = (width - (side == 0 ? at : last - at)) / width;
      if (faces[side] && depth > 0) friction += most * depth * depth;
    }
    factors.push_back(std::exp(-friction * setup.dt));
  }
  return factors;
}

namespace {

/// A place along an axis in units of its spacing, which the rounding of both may have put outside.
double place_along(const SystemSetup& setup, int d, double position, const std::string& what) {
  const double h = setup.spacing[static_cast<std::size_t>(d)];
  const auto last = static_cast<double>(along(setup.whole(), d) - 1);
  if (!lies_within(position, h, last)) {
    throw UsageError(fmt::format("{}: {}={:g} lies outside the domain, which goes from 0 to {:g}",
                                 what, "xyz"[d], position, last * h));
  }
  return std::clamp(position / h, 0.0, last);
}

} // namespace

bool lies_within(double position, double spacing, double last) {
  constexpr double rounding = 1e-12; // of numbers that users write and compute
  const double allowed = rounding * std::max(last, 1.0);
  const double at = position / spacing;
  return at >= -allowed && at <= last + allowed;
}

AroundPlace around(const SystemKernel& kernel, const SystemSetup& setup, int array,
                   const std::array<double, 3>& position, const std::string& what) {
  SystemSetup whole; // faces are those of all ranks together
  const Index3 n = whole.extents = setup.whole();
  whole.spacing = setup.spacing;
  whole.walls = setup.walls;
  const Offset extra = kernel.of_double.arrays[static_cast<std::size_t>(array)].extra;
  const Offset half = kernel.placements[static_cast<std::size_t>(array)].half;
  const auto rules =
      rules_of<double>(kernel, whole, array, {n.x + extra.x, n.y + extra.y, n.z + extra.z});
  Index base[3] = {0, 0, 0};
  double part[3] = {0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    if (along(n, d) == 1) continue;
    const double at =
        place_along(setup, d, position[static_cast<std::size_t>(d)], what) - half.along(d) / 2.0;
    base[d] = static_cast<Index>(std::floor(at));
    part[d] = at - static_cast<double>(base[d]);
  }
  AroundPlace made;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    for (int d = 0; d < 3; ++d)
      weight *= (corner >> d & 1) == 1 ? part[d] : 1 - part[d];
    if (weight == 0) continue;
    Around one{{}, {}, weight};
    double add = 0;
    for (int d = 2; d >= 0; --d) { // as launches set points beyond faces
      const Index i = base[d] + (corner >> d & 1);
      BeyondArray<double>::Shown shown;
      if (along(n, d) == 1) {
        shown.at = i;
      } else if (!rules.shows(d, i, shown)) { // it keeps 0
        shown.sign = 0;
      }
      if (shown.sign == 0) shown.at = std::clamp(i, rules.shell.low[d], rules.shell.high[d] - 1);
      along(one.at, d) = shown.at;
      along(one.beside, d) = rules.faces[d][0].image == Image::wrapped ? i : shown.at;
      one.weight *= shown.sign;
      add = shown.sign == 0 ? shown.add : shown.add + shown.sign * add;
    }
    made.add += weight * add;
    made.points.push_back(one);
  }
  // Points whose values do not count are none, but for one where there is no other.
  const auto counts = [](const Around& one) { return one.weight != 0; };
  if (std::any_of(made.points.begin(), made.points.end(), counts))
    std::erase_if(made.points, [&](const Around& one) { return !counts(one); });
  return made;
}

} // namespace ridge::chain
