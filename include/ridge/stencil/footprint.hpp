// Footprints: which neighbours a stencil reads, known at compile time.
#pragma once

#include <ridge/core/config.hpp>

#include <array>

namespace ridge::stencil {

/// Distance of a neighbour, in points along each axis.
struct Offset {
  int x = 0, y = 0, z = 0;
  friend constexpr bool operator==(const Offset&, const Offset&) = default;
};

/// The neighbours a stencil reads of one input, in no particular order, each once.
template <int N>
struct Footprint {
  std::array<Offset, N> offsets;
  static constexpr int size = N;

  [[nodiscard]] constexpr bool contains(Offset o) const {
    for (const Offset& mine : offsets) {
      if (mine == o) return true;
    }
    return false;
  }
  /// Largest distance along each axis.
  [[nodiscard]] constexpr Offset radius() const {
    Offset r;
    for (const Offset& o : offsets) {
      r.x = larger(r.x, o.x < 0 ? -o.x : o.x);
      r.y = larger(r.y, o.y < 0 ? -o.y : o.y);
      r.z = larger(r.z, o.z < 0 ? -o.z : o.z);
    }
    return r;
  }

private:
  static constexpr int larger(int a, int b) { return a > b ? a : b; }
};

/// The point and its neighbours up to `Radius` along each of the first `Rank` axes.
template <int Radius, int Rank = 3>
constexpr auto star() {
  static_assert(Radius >= 1 && Rank >= 1 && Rank <= 3);
  Footprint<1 + 2 * Radius * Rank> f{};
  int n = 1; // the first is the point itself
  for (int r = 1; r <= Radius; ++r) {
    for (int axis = 0; axis < Rank; ++axis) {
      for (int sign = -1; sign <= 1; sign += 2) {
        Offset o;
        (axis == 0 ? o.x : axis == 1 ? o.y : o.z) = sign * r;
        f.offsets[n++] = o;
      }
    }
  }
  return f;
}

/// All points within `Radius` along each of the first `Rank` axes.
template <int Radius, int Rank = 3>
constexpr auto box() {
  static_assert(Radius >= 1 && Rank >= 1 && Rank <= 3);
  constexpr int side = 2 * Radius + 1;
  constexpr int ry = Rank > 1 ? Radius : 0;
  constexpr int rz = Rank > 2 ? Radius : 0;
  Footprint<(Rank > 2 ? side : 1) * (Rank > 1 ? side : 1) * side> f{};
  int n = 0;
  for (int z = -rz; z <= rz; ++z) {
    for (int y = -ry; y <= ry; ++y) {
      for (int x = -Radius; x <= Radius; ++x)
        f.offsets[n++] = {x, y, z};
    }
  }
  return f;
}

/// The point alone: for inputs that are only read where the result is written.
constexpr auto point() {
  return Footprint<1>{{Offset{}}};
}

} // namespace ridge::stencil
