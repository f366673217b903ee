// Accesses of an operation: which arrays it reads and writes, and how far.
#pragma once

#include <ridge/core/config.hpp>

namespace ridge::chain {

/// Distance in items along each dimension.
struct Offset {
  int x = 0, y = 0, z = 0;
  [[nodiscard]] constexpr int along(int dimension) const {
    return dimension == 0 ? x : dimension == 1 ? y : z;
  }
  friend constexpr bool operator==(const Offset&, const Offset&) = default;
};

/// The farthest neighbour along a dimension: what is computed of offsets stays far from 2^31.
inline constexpr int farthest = 1 << 20;

/// The neighbours an operation reads: all from `low` to `high`, both included.
struct Reach {
  Offset low, high;
  friend constexpr bool operator==(const Reach&, const Reach&) = default;
};
constexpr Reach along_x(int low, int high) {
  return {{low, 0, 0}, {high, 0, 0}};
}
constexpr Reach along_y(int low, int high) {
  return {{0, low, 0}, {0, high, 0}};
}
constexpr Reach along_z(int low, int high) {
  return {{0, 0, low}, {0, 0, high}};
}

/// The name by which operations know array `Number` of their chain. A profile has one value for all
/// x: an array of extent 1 along x.
template <int Number, bool Profile = false>
struct Slot {
  static constexpr int number = Number;
  static constexpr bool profile = Profile;
};
template <int Number>
using ProfileSlot = Slot<Number, true>;

/// One declared access.
struct Access {
  int array;
  bool writes;
  bool profile;
  Reach reach; ///< of a read; what is written is the item itself
};
template <int Number, bool Profile>
constexpr Access read(Slot<Number, Profile>, Reach reach = {}) {
  return {Number, false, Profile, reach};
}
template <int Number>
constexpr Access write(Slot<Number>) {
  return {Number, true, false, {}};
}

/// Which items an operation computes: from begin to extents + end; all of the range by default.
/// `{{}, {1, 0, 0}}` are the interfaces between and around the cells of a row.
struct Domain {
  Offset begin, end;
  friend constexpr bool operator==(const Domain&, const Domain&) = default;
};

/// A branch that some items of an operation take (ridge/core/branch.hpp).
struct Branch {
  double flops = 0; ///< operations inside, of an item
  double share = 0; ///< of the items that take it
};

/// In which order an operation takes the items of a column, which lie along the last dimension.
enum class Scan {
  none, ///< in any: each item on its own
  up,   ///< from the first to the last
  down, ///< from the last to the first
};

/// The part that an array plays in its chain.
enum class Role {
  input,     ///< only read
  output,    ///< written before it is read
  update,    ///< read, then written
  temporary, ///< of no interest outside: the chain's own, whose memory the schedule decides
};

struct Array {
  const char* name;
  Role role;
  Offset extra;         ///< points beyond the extents of the range
  bool profile = false; ///< one value for all x
};
constexpr Array input(const char* name, Offset extra = {}) {
  return {name, Role::input, extra};
}
constexpr Array profile(const char* name, Offset extra = {}) {
  return {name, Role::input, extra, true};
}
constexpr Array output(const char* name, Offset extra = {}) {
  return {name, Role::output, extra};
}
constexpr Array update(const char* name, Offset extra = {}) {
  return {name, Role::update, extra};
}
constexpr Array temporary(const char* name, Offset extra = {}) {
  return {name, Role::temporary, extra};
}

/// Values beyond the ends of a dimension.
enum class Edge {
  none,     ///< nothing: operations stay within their arrays
  periodic, ///< the other end of the array
  clamp,    ///< the last point once more
  given,    ///< points that the arrays' owner holds there, and sets
};

/// Whether the items along a dimension may be computed tile by tile.
struct Dimension {
  bool independent = true;
  int halo = 0; ///< items by which tiles may overlap
  Edge edge = Edge::none;
  int points = 0; ///< of an element, of which the dimension is one; 0: it is of the range
  int beyond = 0; ///< points that arrays hold beyond each end, where they are given
};
/// No operation reads across it what another wrote, or only so far that tiles may overlap by `halo`
/// items.
constexpr Dimension independent(int halo = 0, Edge edge = Edge::none) {
  return {true, halo, edge};
}
/// Beyond its ends every array holds so many points, which its owner sets: before the chain runs,
/// and in between where an operation reads neighbours of what another wrote. Operations that do so
/// are of different launches.
constexpr Dimension given(int beyond) {
  return {true, 0, Edge::given, 0, beyond};
}
/// Every tile has all of it.
constexpr Dimension internal(Edge edge = Edge::none) {
  return {false, 0, edge};
}
/// The dimension has so many items, the points of an element: operations may contract along it
/// (ridge/chain/elements.hpp). For x, or for x and y.
constexpr Dimension points(int count) {
  return {false, 0, Edge::none, count};
}

} // namespace ridge::chain
