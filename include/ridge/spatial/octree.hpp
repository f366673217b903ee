// An octree over bodies in any order: they are sorted along Hilbert's curve, nodes are found from
// their keys, level by level, and each node knows mass, centre of mass, quadrupole and box of its
// bodies. All on the device; the same bodies give the same bits every time.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/spatial/build.hpp>
#include <ridge/spatial/sort.hpp>

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge::spatial {

struct OctreeOptions {
  int leaf = 64; ///< most bodies of a leaf, but of the deepest level
  /// Levels below the root: bodies closer than 2^-levels of the whole may end in one leaf,
  /// however many they are.
  int levels = most_levels;
};

/// Powers of two that positions and masses are multiplied with inside of a tree, and the sides of a
/// cube of all bodies for which these are right.
struct Units {
  double length = 1, mass = 1;
  double least_side = 0, most_side = std::numeric_limits<double>::infinity();
  /// That positions are taken relative to, if it is not found anew in each build.
  std::optional<std::array<double, 3>> origin;
};
/// Chooses units by the least and the greatest x, y, z of all bodies.
using ChooseUnits =
    std::function<Units(const std::array<double, 3>& low, const std::array<double, 3>& high)>;

/// Positions are of type `S`, moments are computed and kept as `T`: float and float, double and
/// double, or double and float.
template <class S, class T>
class Octree {
public:
  /// Positions x, y, z and masses on the device of `queue`, which must outlive the tree. Throws
  /// UsageError for none, more than 2^31 - 1, spans of several sizes, or options beyond
  /// [1, 2^20] bodies of a leaf and [1, most_levels] levels.
  Octree(Queue& queue, const std::array<Span<const S>, 4>& bodies, const OctreeOptions& options);

  /// Builds the tree of where bodies are now. Waits for the device twice, to hear how many nodes
  /// there are. Throws UsageError that names the first body whose position is not finite, and
  /// Failure where memory is too small.
  void build() {
    build([](const char* /*phase*/) {});
  }
  /// Calls `begins(phase)` before each phase: "bounds and keys", "sort", "gather", "nodes",
  /// "moments". Asks `choose`, where there is one, for units in the first build and when bodies
  /// leave the sides that these are for, and waits once more then.
  void build(const std::function<void(const char* phase)>& begins, const ChooseUnits& choose = {});

  /// As `build`, but each body stays in the nodes that it was in, wherever it is now: centres,
  /// boxes and moments move with bodies that move a little, which no edge of a cell makes jump.
  void follow(const ChooseUnits& choose = {});

  /// The next build asks `choose` for units.
  void forget_units() { has_units_ = false; }

  /// Moments that nodes get, from the next build on: up to order 2 if never called, 5 at most.
  void keep_moments(int order) { order_of_moments_ = order; }

  [[nodiscard]] Index count() const { return call_.count; }
  [[nodiscard]] Index nodes() const { return call_.nodes; }
  /// Levels that have nodes.
  [[nodiscard]] int depth() const { return static_cast<int>(level_begin_.size()) - 1; }
  /// Nodes of level l are [level_begin()[l], level_begin()[l + 1]), l < depth().
  [[nodiscard]] const std::vector<Index>& level_begin() const { return level_begin_; }

  /// Which body is the i-th along the curve.
  [[nodiscard]] Span<const std::uint32_t> order() const { return call_.sorted_order; }
  /// x, y, z, m of the i-th body along the curve at 4 i, from the origin and times the units.
  [[nodiscard]] Span<const S> bodies() const { return call_.sorted; }
  [[nodiscard]] const Build<S, T>& parts() const { return call_; }
  /// The device's memory that the tree takes.
  [[nodiscard]] Bytes held() const;

private:
  void clear(Field<std::uint32_t>& field);
  void step(BuildStep step, Index begin = 0, Index end = 0);
  void sort_bodies(const std::function<void(const char*)>& begins);
  /// Sorts keys_[from] and its order by the leading bits.
  void sort_by(int from, int bits);
  /// Bits of the keys that are best sorted by first: all where runs of keys that begin alike would
  /// be long, or the device's sort does not go by bits.
  [[nodiscard]] int leading_bits() const;
  /// By all bits, once the device has said that runs are too long, and by more from then on. Tells
  /// how many nodes there are.
  std::uint32_t sort_wholly();
  void take_nodes(Index nodes);
  void find_nodes();
  void find_all_moments();
  void find_higher();
  /// Throws UsageError that names the first body that is nowhere; tells how many nodes there are.
  std::uint32_t count_nodes();
  void take_units(const ChooseUnits& choose);

  Queue& queue_;
  Sorter sorter_;
  Memory said_; ///< what the host hears of the device
  BuildTree<S, T>* build_step_;
  Build<S, T> call_;
  std::vector<Index> level_begin_;
  std::array<Field<std::uint64_t>, 2> keys_, node_keys_;
  std::array<Field<std::uint32_t>, 2> order_, node_values_;
  Field<S> partial_, cube_, packed_, sorted_, centres_, low_, high_;
  Field<T> moments_, higher_;
  int order_of_moments_ = 2;
  bool has_units_ = false, needs_units_ = false;
  bool has_long_runs_ = false; ///< so that bodies have no order yet
  int more_bits_ = 0;          ///< that keys are sorted by, since runs were too long
  Field<std::uint32_t> odd_, starts_, links_, level_field_;
};

} // namespace ridge::spatial
