// A chain as plain data: what checks, schedules and plans need to know of it.
#pragma once

#include <ridge/chain/passing.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/record/operations.hpp>
#include <ridge/record/work.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ridge::chain {

struct OperationInfo {
  std::string name;
  std::vector<Access> accesses;
  Domain domain;
  double flops = 0;
  Scan scan = Scan::none;
  int carried = 0; ///< values that it hands on from item to item
  Branch branch = {};
  bool says_interior = false; ///< which items are interior (ridge/chain/interior.hpp)

  [[nodiscard]] bool reads(int array) const;
  [[nodiscard]] bool writes(int array) const;
  [[nodiscard]] Reach reach(int array) const;
};

/// A group of which a GPU lane keeps the items it computes.
struct PassedGroup {
  int first = 0, last = 0;
  Passing passing = Passing::memory;
  int overlap = 0;         ///< lanes of each warp, or rows of each block, that compute for others
  bool seam = false;       ///< of lanes of a block; see Flow::has_seam
  int along = 0;           ///< the dimension that values are passed along
  int shared_elements = 0; ///< of each lane of a block; of a lane with a column, at each level
  int extra = 0;           ///< levels of such a lane beyond those of the range
  int ring_elements = 0;   ///< that such a lane fetches into, where there are asynchronous copies

  /// Elements of shared memory of a lane, in a range of these extents.
  [[nodiscard]] Index lane_elements(Index3 n, bool copies_asynchronously) const {
    if (passing != Passing::columns) return shared_elements;
    const Index kept = shared_elements * ((along == 1 ? n.y : n.z) + extra);
    return column_elements(kept, copies_asynchronously ? ring_elements : 0);
  }
};

/// A chain without its type.
struct Description {
  std::string name;
  int element_bytes = 8;
  int rank = 3;  ///< dimensions that the chain declares; the others have one item
  int outer = 0; ///< dimensions around them
  std::vector<Array> arrays;
  std::array<Dimension, 3> dimensions;
  std::vector<OperationInfo> operations;
  std::vector<OperationRange> groups; ///< that GPUs run in one launch each by default

  [[nodiscard]] int last() const { return static_cast<int>(operations.size()) - 1; }
  [[nodiscard]] bool read_in(int first, int last, int array) const;
  [[nodiscard]] bool written_in(int first, int last, int array) const;
  /// How GPUs pass values between these operations.
  [[nodiscard]] PassedGroup passing_of(int first, int last) const;
  /// Whether any of these operations scans.
  [[nodiscard]] bool scans_in(int first, int last) const;
  /// True where an operation that uses at most so many arrays reads rows of one again, between
  /// given ends.
  [[nodiscard]] bool reads_rows_again(int most = 1 << 20) const;
  /// Whether GPU lanes march through operations that run alone.
  [[nodiscard]] bool marches_alone() const;
  /// The dimension that columns lie along.
  [[nodiscard]] int column_dimension() const { return rank - 1; }
  /// Whether instances may follow each other along it (ridge/chain/uses.hpp).
  [[nodiscard]] bool merges_outer() const;
  /// Whether the first dimensions are the points of elements.
  [[nodiscard]] bool has_elements() const { return dimensions[0].points > 0; }
  /// A temporary that only these operations use.
  [[nodiscard]] bool local_to(int first, int last, int array) const;
  /// For each operation, the last of the longest run from it that can be joined in registers.
  [[nodiscard]] std::vector<int> joined_ends() const;
  /// The runs that executors join wherever a group has them: the longest ones, one behind the other
  /// from the first operation on, and those of `groups` that can be joined.
  [[nodiscard]] std::vector<OperationRange> joined_runs() const;
};

/// Throws UsageError that says which declaration is wrong: of arrays that are not there, reads of
/// what nobody has written yet (missing or cyclic), operations that read neighbours of what they
/// write, neighbours across an independent dimension without a halo, or items outside an array.
void check(const Description& description);

/// Least traffic of the whole chain: each array that is no temporary is read once if an operation
/// reads it before one writes it, and written once if one writes it.
[[nodiscard]] Work work_of(const Description& description, const Range& range);

/// The range as a size: as many numbers as the chain has dimensions, five at most; the last two of
/// six are one then.
[[nodiscard]] Extents extents_of(const Description& description, const Range& range);
/// The range of a size; dimensions that it lacks have one item. Throws UsageError for a size of
/// more dimensions than the chain has.
[[nodiscard]] Range range_of(const Description& description, const Extents& size);

namespace detail {
/// An operation as its type declares it, as data.
struct DeclaredOperation {
  const char* name;
  const Access* accesses;
  std::size_t count;
  Domain domain;
  double flops;
  Scan scan;
  int carried;
  Branch branch;
  bool says_interior;
};
template <class Op>
constexpr DeclaredOperation declared() {
  constexpr bool says_interior = requires {
    Op::interior;
  };
  return {Op::name,         Op::accesses.data(), Op::accesses.size(),
          domain_of<Op>(),  said_flops<Op>(),    scan_of<Op>(),
          carried_by<Op>(), branch_of<Op>(),     says_interior};
}
/// A chain as its type declares it, as data.
struct DeclaredChain {
  const char* name;
  int element_bytes;
  const Array* arrays;
  std::size_t array_count;
  const Dimension* dimensions;
  std::size_t rank;
  int outer;
  const DeclaredOperation* operations;
  std::size_t operation_count;
  const OperationRange* groups;
  std::size_t group_count;
};
[[nodiscard]] Description describe(const DeclaredChain& declared);

template <class C, class Numbers = std::make_integer_sequence<int, operations_of<C>>>
struct DeclaredOperations;
template <class C, int... K>
struct DeclaredOperations<C, std::integer_sequence<int, K...>> {
  static constexpr std::array values{declared<Operation<C, K>>()...};
};
template <class C>
inline constexpr auto declared_groups = groups_of<C>();
} // namespace detail

/// The chain's declarations, checked. Throws what `check` throws.
template <class C, class T>
[[nodiscard]] Description describe() {
  constexpr const auto& operations = detail::DeclaredOperations<C>::values;
  constexpr const auto& groups = detail::declared_groups<C>;
  return detail::describe({C::name, static_cast<int>(sizeof(T)), C::arrays.data(), C::arrays.size(),
                           C::dimensions.data(), C::dimensions.size(), outer_of<C>(),
                           operations.data(), operations.size(), groups.data(), groups.size()});
}

/// "fp32" or "fp64".
template <class C>
[[nodiscard]] Description describe_in(std::string_view precision) {
  return precision == "fp32" ? describe<C, float>() : describe<C, double>();
}

} // namespace ridge::chain
