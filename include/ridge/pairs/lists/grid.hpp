// The grid of cells by which bodies are sorted.
//
// Cells are numbered along a curve, so that bodies that follow each other are near each other: in
// bricks of 4 x 4 x 4 cells along Hilbert's curve, and from brick to neighbouring brick. Cells
// beyond periodic faces hold images, and have the numbers after those.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

#include <cmath>

namespace ridge::pairs {

/// The number of a cell of a brick, along Hilbert's curve from (0, 0, 0) to (3, 0, 0). After
/// J. Skilling, AIP Conf. Proc. 707, 381 (2004), for two bits.
RIDGE_FN unsigned hilbert_of(unsigned x, unsigned y, unsigned z) {
  unsigned at[3] = {x, y, z};
  for (int k = 0; k < 3; ++k) { // the high bits
    if ((at[k] & 2U) != 0) {
      at[0] ^= 1U;
    } else {
      const unsigned swapped = (at[0] ^ at[k]) & 1U;
      at[0] ^= swapped;
      at[k] ^= swapped;
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  const unsigned flip = (at[2] & 2U) != 0 ? 1U : 0U;
  unsigned number = 0;
  for (int bit = 1; bit >= 0; --bit) {
    for (const unsigned value : at)
      number = number << 1U | ((value ^ flip) >> static_cast<unsigned>(bit) & 1U);
  }
  return number;
}

/// Where a position lies: its cell, and how many periods it is moved to be within the box.
struct Place {
  int cell[3];
  int shift[3];
  bool is_good; ///< finite, not beyond a wall, and not absurdly many periods away
};

struct Grid {
  double low[3] = {}, length[3] = {}, inverse_side[3] = {};
  int cells[3] = {1, 1, 1}; ///< along each axis
  int halo[3] = {0, 0, 0};  ///< cells beyond each of the two faces, where the axis is periodic
  bool periodic[3] = {};
  unsigned inside = 0; ///< numbers of cells within the box, those that fill bricks included
  unsigned all = 0;    ///< and of those beyond its faces

  RIDGE_FN unsigned number_of(int x, int y, int z) const {
    if (x >= 0 && x < cells[0] && y >= 0 && y < cells[1] && z >= 0 && z < cells[2])
      return number_inside(static_cast<unsigned>(x), static_cast<unsigned>(y),
                           static_cast<unsigned>(z));
    const int nx = cells[0] + 2 * halo[0];
    const int ny = cells[1] + 2 * halo[1];
    const int row = (z + halo[2]) * ny + y + halo[1];
    return inside + static_cast<unsigned>(row) * static_cast<unsigned>(nx) +
           static_cast<unsigned>(x + halo[0]);
  }

  template <class T>
  RIDGE_FN Place place(const T (&position)[3]) const {
    Place place{};
    place.is_good = true;
    for (int a = 0; a < 3; ++a) {
      T from_low = position[a] - static_cast<T>(low[a]);
      if (periodic[a]) {
        const T extent = static_cast<T>(length[a]);
        const T periods = ::floor(from_low / extent);
        if (!(periods >= -400 && periods <= 400)) {
          place.is_good = false;
          continue;
        }
        place.shift[a] = -static_cast<int>(periods);
        from_low -= periods * extent;
      } else if (!is_between(position[a], low[a], length[a])) {
        place.is_good = false;
        continue;
      }
      const int cell = static_cast<int>(from_low * static_cast<T>(inverse_side[a]));
      place.cell[a] = cell < 0 ? 0 : cell >= cells[a] ? cells[a] - 1 : cell;
    }
    return place;
  }

  /// Both ends are, as they are rounded: a difference would be rounded again.
  template <class T>
  static RIDGE_FN bool is_between(T at, double from, double extent) {
    return at >= static_cast<T>(from) && at <= static_cast<T>(from + extent);
  }

  /// Calls `take(number of a cell, shift)` for the body at a place, then for its images.
  template <class Take>
  RIDGE_FN void for_each_image(const Place& at, const Take& take) const {
    int first[3], last[3];
    for (int a = 0; a < 3; ++a) {
      // Into the cells beyond the upper face go those near the lower one.
      last[a] = at.cell[a] < halo[a] ? 1 : 0;
      first[a] = at.cell[a] >= cells[a] - halo[a] ? -1 : 0;
    }
    take(number_of(at.cell[0], at.cell[1], at.cell[2]), code(at, 0, 0, 0));
    for (int z = first[2]; z <= last[2]; ++z) {
      for (int y = first[1]; y <= last[1]; ++y) {
        for (int x = first[0]; x <= last[0]; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          take(number_of(at.cell[0] + x * cells[0], at.cell[1] + y * cells[1],
                         at.cell[2] + z * cells[2]),
               code(at, x, y, z));
        }
      }
    }
  }

  /// The cells of an axis that a range of distances from the low corner meets.
  RIDGE_FN int first_cell(int axis, float from) const {
    const int cell = static_cast<int>(::floorf(from * static_cast<float>(inverse_side[axis])));
    return cell < -halo[axis] ? -halo[axis] : cell >= cells[axis] ? cells[axis] - 1 : cell;
  }
  RIDGE_FN int last_cell(int axis, float to) const {
    const int most = cells[axis] - 1 + halo[axis];
    const int cell = static_cast<int>(::floorf(to * static_cast<float>(inverse_side[axis])));
    return cell > most ? most : cell < 0 ? 0 : cell;
  }

private:
  RIDGE_FN unsigned number_inside(unsigned x, unsigned y, unsigned z) const {
    const unsigned along = static_cast<unsigned>(cells[0] + 3) / 4;
    const unsigned across = static_cast<unsigned>(cells[1] + 3) / 4;
    // Rows of bricks alternate in direction, and so do layers of rows.
    const bool back_y = (z / 4 & 1U) != 0;
    const unsigned row = z / 4 * across + (back_y ? across - 1 - y / 4 : y / 4);
    const bool back_x = (row & 1U) != 0;
    const unsigned brick = row * along + (back_x ? along - 1 - x / 4 : x / 4);
    return 64 * brick + hilbert_of(back_x ? 3 - x % 4 : x % 4, back_y ? 3 - y % 4 : y % 4, z % 4);
  }
  static RIDGE_FN unsigned code(const Place& at, int x, int y, int z) {
    return static_cast<unsigned>(at.shift[0] + x + 512) |
           static_cast<unsigned>(at.shift[1] + y + 512) << 10U |
           static_cast<unsigned>(at.shift[2] + z + 512) << 20U;
  }
};

} // namespace ridge::pairs
