// The box that bodies are in, and what lists of near pairs are made for.
#pragma once

#include <array>

namespace ridge::pairs {

/// An orthorhombic box. An axis is periodic; or it has walls, which no body may be beyond; or, with
/// a length of 0, it is open and bodies may be anywhere.
struct Box {
  std::array<double, 3> low{}, length{};
  std::array<bool, 3> periodic{};

  /// From 0 to `length` along each axis, periodic in all.
  [[nodiscard]] static Box cube(double length) {
    return {{}, {length, length, length}, {true, true, true}};
  }
};

struct ListOptions {
  double cutoff = 0; ///< pairs nearer than this interact
  /// Lists hold pairs nearer than cutoff + skin: they serve until a body has moved half of the
  /// skin.
  double skin = 0;
  Box box = {};
  /// Neighbouring bodies that have one list in common; 0: what is best on the device.
  int share = 0;
  /// Lists of one part of so many of the bodies along the curve, those of a rank: sums of others
  /// are not written, and only these are looked at for how far they have moved.
  int part = 0, parts = 1;
};

} // namespace ridge::pairs
