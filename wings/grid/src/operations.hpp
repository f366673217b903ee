// What multigrid asks of a device, as plain data: each a pass over a level, offered for each kind
// of device under its own type (grid_kernels.cpp).
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/view.hpp>

#include <array>

namespace ridge::solve::detail {

/// An axis as kernels see it: its tables are on the device.
template <class T>
struct AxisTables {
  int points = 1;
  bool is_periodic = false;
  int even_begin = 0, even_end = 0; ///< points that weigh as the middle one, with neighbours
  Span<const T> low, high, volume;
};

/// -div(k grad) + shift on a level: packed arrays of x, y, z points.
template <class T>
struct Operator {
  std::array<AxisTables<T>, 3> axes;
  T shift = 0;
  /// k, of the points and of one more around them: those on walls that hold values, or beyond.
  /// Between two points it is their harmonic mean. Empty: 1.
  Span<const T> k;
};

/// Where all points of a level weigh alike and it ends at walls that hold values, at mirrors, or
/// nowhere: the weights of neighbours along each axis, those beyond ends included, and the
/// diagonal.
template <class T>
struct UniformWeights {
  T of[3] = {};
  unsigned mirrors = 0; ///< a bit an end beyond which all is as before, reflected at its point
  T diagonal = 0;       ///< 0: points differ
  T inverse = 0;

  [[nodiscard]] RIDGE_FN bool has_mirror(int axis, int side) const {
    return (mirrors >> (2 * axis + side) & 1) != 0;
  }
};

/// out = u + weight (b - A u) / diagonal; of u = 0 where `u` is empty.
template <class T>
struct Sweep {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
  T weight = 1;
};

/// The same over the points of one colour, the others as they are: those where x + y + z + `colour`
/// is even, of the whole level, whose plane `first_z` is the first here. Beyond the ends of a
/// periodic axis planes are counted on.
template <class T>
struct ColouredSweep {
  Sweep<T> sweep;
  int colour = 0;
  int first_z = 0, all_z = 1;
  Span<double> sums; ///< as of CountedSweep, where not empty; where the device has that

  /// What is added to x + y in plane z.
  [[nodiscard]] RIDGE_FN int of_plane(int z) const {
    const int there = z + first_z;
    return colour + (there < 0 ? there + all_z : there >= all_z ? there - all_z : there);
  }
};

/// A Sweep from a u, with the sum of (b - A u)^2 of that in parts of two numbers, as of Norms.
/// Where the device has it.
template <class T>
struct CountedSweep {
  Sweep<T> sweep;
  Span<double> sums;
};

/// out = b - A u.
template <class T>
struct Residual {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
};

/// out = A u.
template <class T>
struct Applied {
  Operator<T> a;
  Span<const T> u;
  Span<T> out;
};

/// out = |A| |u| + |b|.
template <class T>
struct Magnified {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
};

/// out = b - A u, computed in fp64 of differences between neighbours, which do not cancel.
template <class T>
struct Defect {
  Operator<T> a;
  Span<const T> u, b;
  Span<T> out;
};

/// out = u + scale e, cycles in fp32 having found e; left = number (r b - A out), for the next
/// ones, r being `of_right`. Without a coefficient.
struct Corrected {
  Operator<double> a;
  Span<const double> u, b; ///< `u` empty: 0
  Span<const float> e;     ///< empty: 0, and then `out` is not written
  double scale = 1, number = 1, of_right = 1;
  Span<double> out;
  Span<float> left;     ///< empty: it is not written
  Span<double> squares; ///< parts of the sum of (r b - A out)^2, as many as corrected_parts says
  int counts_from = 0, counts_to = 0; ///< planes that are in that sum

  static constexpr int wide = 32, high = 8; ///< points of a part
  [[nodiscard]] static constexpr int planes(Index nz) { return nz < 256 ? 8 : 32; }
};
[[nodiscard]] constexpr Index corrected_parts(Index3 n) {
  return ceil_div(n.x, Corrected::wide) * ceil_div(n.y, Corrected::high) *
         ceil_div(n.z, Corrected::planes(n.z));
}

/// to = number from.
struct Narrowed {
  Span<const double> from;
  Span<float> to;
  double number = 1;
};

/// to = number to + other_number other.
template <class T>
struct Combined {
  Span<T> to;
  Span<const T> other;
  T number = 0, other_number = 1;
};

/// For parts of the rows the sum of volume times x y.
template <class T>
struct Product {
  std::array<AxisTables<T>, 3> axes;
  Span<const T> x, y;
  Span<double> sums;
};

/// k of a level and around it from the user's field, whose point `first` is the level's first:
/// beyond the field the nearest point, of periodic axes the other end.
template <class T>
struct Surrounded {
  View<const T> from;
  Index3 first, points;
  std::array<bool, 3> is_periodic{};
  Span<T> to;
};

/// For parts of the rows, two numbers each: the sum of (b - A u)^2, and that of volume times
/// (b - A u).
template <class T>
struct Norms {
  Operator<T> a;
  Span<const T> u, b; ///< `u` empty: of b
  Span<double> sums;
};

/// How an axis is restricted, and interpolated.
template <class T>
struct TransferTables {
  int fine = 1, coarse = 1;
  bool is_periodic = false;
  Span<const int> centre, reach;
  Span<const T> taken; ///< five a coarse point
  Span<const int> left, right;
  Span<const T> left_weight, right_weight;
};

/// The same where coarse point c lies at fine point `first` + c, or `first` + 2 c where the axis is
/// halved; an axis of which every other point is kept fits that up to its last one.
template <class T>
struct StepTables {
  int coarse = 1;
  int first = 0;
  int halved = 0; ///< 0 or 1
  bool is_periodic = false;
  Span<const T> taken; ///< three a coarse point: of the fine ones around its place
  Span<const T> given; ///< two a fine point: of the coarse ones on both sides of it

  /// The coarse point before fine point i, or there; both counted on beyond ends.
  [[nodiscard]] RIDGE_FN int left_of(int i) const { return (i - first) >> halved; }
  /// The coarse point that is counted as i, or -1 beyond a wall.
  [[nodiscard]] RIDGE_FN int coarse_place(int i) const {
    if (i >= 0 && i < coarse) return i;
    if (!is_periodic) return -1;
    const int rest = i % coarse;
    return rest < 0 ? rest + coarse : rest;
  }
};

/// coarse = scale R fine.
template <class T>
struct Restriction {
  std::array<TransferTables<T>, 3> axes;
  std::array<StepTables<T>, 3> steps;
  bool in_steps = false; ///< `steps` say the same as `axes`
  Span<const T> fine;
  Span<T> coarse;
  T scale = 1;
};

/// The tiles that a device has: those of MarchTile, in that order.
constexpr std::size_t march_tiles = 3;

/// The room that a device has for passes over half a cycle on a level.
struct MarchFits {
  /// By tile, steps of the blocks of a multiprocessor, one after the other; 0: it has no room.
  std::array<double, march_tiles> down = {}, up = {};
  std::array<int, march_tiles> parts = {}; ///< of sums of squares, on the way down
  bool varied = false;                     ///< with a coefficient, which has a tile of its own
};

/// The levels on which half a cycle is one pass, and how that is laid over a level.
struct MarchChoice {
  bool plain = false, varied = false; ///< without a coefficient, and with one
  int tile = 0, up_tile = 0;          ///< of the device's, where there is none
  int parts = 0;                      ///< of sums of squares; 0 where they are not to be had
};

/// Planes of what a pass leaves that somebody reads; all where `end` is 0. It may leave more.
struct NeededPlanes {
  int begin = 0, end = 0;
  int counted_begin = 0, counted_end = 0; ///< on the way down: in sums of squares
  int coarse_begin = 0, coarse_end = 0;   ///< likewise
};

/// Half a cycle on a level, in one pass: two sweeps from u, or from zero where `u` is empty, to
/// `out`; then the residual, restricted and scaled.
template <class T>
struct WayDown {
  Operator<T> a;
  std::array<StepTables<T>, 3> transfer;
  Span<const T> u, b;
  Span<T> out, coarse;
  T weights[2] = {};
  T scale = 1; ///< of the restricted residual
  UniformWeights<T> alike;
  int tile = 0; ///< of MarchChoice
  NeededPlanes needed;
  /// Where not empty: parts of the sum of (b - A u)^2 of the u that it begins with, which is not
  /// empty then, as many as MarchChoice says.
  Span<double> squares;
};

/// The other half: two sweeps to `out` from u + P coarse.
template <class T>
struct WayUp {
  Operator<T> a;
  std::array<StepTables<T>, 3> transfer;
  Span<const T> u, b, coarse;
  Span<T> out;
  T weights[2] = {};
  UniformWeights<T> alike;
  int tile = 0; ///< of MarchChoice
  NeededPlanes needed;
};

/// Asks for the room on a level of so many points, those of all ranks: bits depend on the choice.
template <class T>
struct FitsMarch {
  std::array<StepTables<T>, 3> transfer; ///< along z with `first` and `coarse` of all ranks
  Index3 points;
  MarchFits* fits;
  bool is_uniform = false; ///< there are UniformWeights
  NeededPlanes needed;
};

/// k of a coarse level and around it: means of the fine one's, weighted as restriction does.
template <class T>
struct Averaged {
  std::array<TransferTables<T>, 3> axes;
  Span<const T> fine;
  Span<T> coarse;
};

/// fine = P coarse, or fine += P coarse.
template <class T>
struct Interpolation {
  std::array<TransferTables<T>, 3> axes;
  Span<const T> coarse;
  Span<T> fine;
  bool adds = true;
};

/// u = matrix b; element (row, i) of the matrix is at i times the points, plus row.
template <class T>
struct Exact {
  Span<const T> matrix, b;
  Span<T> u;
};

/// to = a product of signs times points of `from`: of each axis a point's place there, and its
/// sign, 0 where `to` is 0. Rows of `from` and `to` may be longer than the points that are taken.
template <class T>
struct Picked {
  Index3 points;
  std::array<Span<const int>, 3> place;
  std::array<Span<const T>, 3> sign;
  Span<const T> from;
  Index3 from_points; ///< its rows' length and their number in a plane
  Span<T> to;
  Index to_row = 0;
};

/// Divides a spectrum by the operator's eigenvalues, sums of one of each axis and the shift, times
/// `number`. That of no eigenvalue becomes 0. A point is `parts` numbers.
template <class T>
struct Divided {
  Span<T> spectrum;
  Index3 points;
  int parts = 1;
  std::array<Span<const T>, 3> eigenvalues;
  T shift = 0, number = 1;
};

/// out = b - A u with second differences of higher order: sums of `weights`, that of the point
/// itself first, over neighbours along each axis; and what faces add, where `faces` are not empty.
/// Tables of an axis hold the places of its points and of `radius` more at both ends. `negates`:
/// the negative of it.
template <class T>
struct Wide {
  std::array<AxisTables<T>, 3> axes;
  std::array<Span<const int>, 3> place;
  std::array<Span<const T>, 3> sign, weights, faces;
  int radius = 1;
  T shift = 0;
  bool negates = false;
  Span<const T> u, b; ///< either may be empty: 0
  Span<T> out;
};

/// to = 0 where `land` is not.
template <class T>
struct Masked {
  Span<T> to;
  Span<const unsigned char> land;
};

/// to += number.
template <class T>
struct Shifted {
  Span<T> to;
  T number = 0;
};

/// What a face adds to the right-hand side of the points next to it: `scale` times its value.
template <class T>
struct FaceTerm {
  T scale = 0, value = 0;
  bool holds_value = true; ///< k counts between the point and the face; else at the point
  Span<const T> values;    ///< one a point of the face, of all of the field; empty: `value`
};

/// The packed right-hand side of -laplacian + shift from the user's field: scale times its points
/// from `first` on, and what faces add.
template <class T>
struct Gathered {
  View<const T> from;
  Index3 first, points;
  T scale = 1;
  std::array<std::array<FaceTerm<T>, 2>, 3> faces;
  Span<const T> k; ///< as of an Operator: what faces add is multiplied with it
  Span<T> to;
};

/// The user's field from packed points less a number; points on faces that hold values get these.
template <class T>
struct Scattered {
  Span<const T> from;
  T less = 0;
  Index3 first, points;
  std::array<std::array<FaceTerm<T>, 2>, 3> faces; ///< scale 1 where a face holds values
  View<T> to;
};

} // namespace ridge::solve::detail
