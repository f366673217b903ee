#include <ridge/chain/description.hpp>
#include <ridge/chain/elements.hpp>
#include <ridge/chain/held_rows.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>

#include "description_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

bool OperationInfo::reads(int array) const {
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access& a) { return a.array == array && !a.writes; });
}
bool OperationInfo::writes(int array) const {
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access& a) { return a.array == array && a.writes; });
}
Reach OperationInfo::reach(int array) const {
  Reach all;
  bool first = true;
  for (const Access& a : accesses) {
    if (a.array != array || a.writes) continue;
    const auto low = [&](int Offset::*d) { return std::min(all.low.*d, a.reach.low.*d); };
    const auto high = [&](int Offset::*d) { return std::max(all.high.*d, a.reach.high.*d); };
    all = first ? a.reach
                : Reach{{low(&Offset::x), low(&Offset::y), low(&Offset::z)},
                        {high(&Offset::x), high(&Offset::y), high(&Offset::z)}};
    first = false;
  }
  return all;
}

namespace {

bool reads_rows_again(const OperationInfo& op, int array, int rank) {
  HeldRows rows;
  for (const Access& a : op.accesses)
    if (a.array == array) rows.add(a, rank - 1);
  return rows.count() > 1;
}

} // namespace

bool Description::reads_rows_again(int most) const {
  for (int d = 0; d < rank; ++d)
    if (dimensions[static_cast<std::size_t>(d)].edge != Edge::given) return false;
  const int all = static_cast<int>(arrays.size());
  return rank > 1 && std::any_of(operations.begin(), operations.end(), [&](const auto& op) {
           bool again = false;
           int used = 0;
           for (int a = 0; a < all; ++a) {
             again = again || chain::reads_rows_again(op, a, rank);
             used += op.reads(a) || op.writes(a) ? 1 : 0;
           }
           return again && used <= most;
         });
}
bool Description::marches_alone() const {
  return reads_rows_again(most_marched_arrays);
}

bool Description::read_in(int first, int last, int array) const {
  for (int k = std::max(first, 0); k <= last; ++k)
    if (operations[static_cast<std::size_t>(k)].reads(array)) return true;
  return false;
}
bool Description::written_in(int first, int last, int array) const {
  for (int k = std::max(first, 0); k <= last; ++k)
    if (operations[static_cast<std::size_t>(k)].writes(array)) return true;
  return false;
}

namespace {

/// The table that rules about operations are asked of.
class DescribedUses {
public:
  static constexpr int most_operations = most_described_operations;
  static constexpr int most_arrays = most_described_arrays;

  explicit DescribedUses(const Description& d) : d_(d) {
    for (const OperationInfo& op : d.operations) {
      for (int a = 0; a < arrays(); ++a)
        uses_.push_back({op.reads(a), op.writes(a), op.reach(a)});
    }
  }
  [[nodiscard]] int rank() const { return d_.rank; }
  [[nodiscard]] int operations() const { return d_.last() + 1; }
  [[nodiscard]] int arrays() const { return static_cast<int>(d_.arrays.size()); }
  [[nodiscard]] const Use& use(int k, int a) const {
    return uses_[static_cast<std::size_t>(k * arrays() + a)];
  }
  [[nodiscard]] const Domain& domain(int k) const {
    return d_.operations[static_cast<std::size_t>(k)].domain;
  }
  [[nodiscard]] Scan scan(int k) const { return d_.operations[static_cast<std::size_t>(k)].scan; }
  [[nodiscard]] const Dimension& dimension(int i) const {
    return d_.dimensions[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const Array& array(int a) const { return d_.arrays[static_cast<std::size_t>(a)]; }

private:
  const Description& d_;
  std::vector<Use> uses_;
};

} // namespace

PassedGroup Description::passing_of(int first, int last) const {
  PassedGroup group{first, last};
  if (first == last && !scans_in(first, last)) return group;
  const DescribedUses uses(*this);
  if (joined_to(uses, first) >= last && !scans_in(first, last))
    return group; // item by item in registers
  const Passed<DescribedUses> passed(uses, {first, last});
  group.passing = passed.passing();
  group.along = passed.along(group.passing);
  if (group.passing == Passing::lanes) group.overlap = passed.overlap(0);
  if (group.passing == Passing::block) {
    group.overlap = passed.overlap(group.along);
    group.seam = passed.has_seam(group.along);
    group.shared_elements = passed.shared_arrays().count;
  }
  if (group.passing == Passing::columns) {
    group.shared_elements = passed.kept_before(uses.arrays());
    group.extra = passed.kept_extra();
    group.ring_elements = passed.ring_elements();
  }
  return group;
}
bool Description::scans_in(int first, int last) const {
  for (int k = std::max(first, 0); k <= last; ++k)
    if (operations[static_cast<std::size_t>(k)].scan != Scan::none) return true;
  return false;
}
bool Description::merges_outer() const {
  return chain::merges_outer(DescribedUses(*this));
}
std::vector<int> Description::joined_ends() const {
  const DescribedUses uses(*this);
  std::vector<int> ends;
  for (int k = 0; k <= last(); ++k)
    ends.push_back(joined_to(uses, k));
  return ends;
}
std::vector<OperationRange> Description::joined_runs() const {
  const DescribedUses uses(*this);
  std::vector<OperationRange> all;
  const auto add = [&](const OperationRange& r) {
    if (r.first < r.last && std::find(all.begin(), all.end(), r) == all.end()) all.push_back(r);
  };
  for_each_run(uses, {0, last()}, add);
  for (const OperationRange& g : groups)
    if (joined_to(uses, g.first) >= g.last) add(g);
  return all;
}
bool Description::local_to(int first, int last, int array) const {
  const int end = static_cast<int>(operations.size()) - 1;
  return arrays[static_cast<std::size_t>(array)].role == Role::temporary &&
         !read_in(0, first - 1, array) && !written_in(0, first - 1, array) &&
         !read_in(last + 1, end, array) && !written_in(last + 1, end, array);
}

Description detail::describe(const DeclaredChain& c) {
  Description d;
  d.name = c.name;
  d.element_bytes = c.element_bytes;
  d.rank = static_cast<int>(c.rank);
  d.outer = c.outer;
  d.arrays.assign(c.arrays, c.arrays + c.array_count);
  std::copy(c.dimensions, c.dimensions + c.rank, d.dimensions.begin());
  for (const DeclaredOperation* op = c.operations; op != c.operations + c.operation_count; ++op) {
    d.operations.push_back({op->name,
                            {op->accesses, op->accesses + op->count},
                            op->domain,
                            op->flops,
                            op->scan,
                            op->carried,
                            op->branch,
                            op->says_interior});
  }
  d.groups.assign(c.groups, c.groups + c.group_count);
  check(d);
  return d;
}

namespace {

Index points(const Array& a, const Range& n) {
  return (a.profile ? 1 : n.x + a.extra.x) * (n.y + a.extra.y) * (n.z + a.extra.z) * n.instances();
}

} // namespace

Extents extents_of(const Description& d, const Range& n) {
  const Index inner[3] = {n.x, n.y, n.z};
  Index sizes[3 + most_outer];
  int count = 0;
  for (int i = 0; i < d.rank; ++i)
    sizes[count++] = inner[i];
  for (int k = 0; k < d.outer; ++k)
    sizes[count++] = n.outer[k];
  if (count > max_rank) {
    sizes[max_rank - 1] *= sizes[max_rank];
    count = max_rank;
  }
  return {sizes, count};
}
Range range_of(const Description& d, const Extents& size) {
  if (size.rank() > d.rank + d.outer) {
    const int most = d.rank + d.outer;
    throw UsageError(fmt::format("{} has {} dimension{}, and {} has {}", d.name, most,
                                 most == 1 ? "" : "s", to_text(size), size.rank()));
  }
  const auto along = [&](int i) { return i < d.rank ? size[i] : 1; };
  Range n(along(0), along(1), along(2));
  for (int k = 0; k < d.outer; ++k)
    n.outer[k] = size[d.rank + k];
  return n;
}

Work work_of(const Description& d, const Range& n) {
  Work work;
  const int last = static_cast<int>(d.operations.size()) - 1;
  for (int a = 0; a <= static_cast<int>(d.arrays.size()) - 1; ++a) {
    const Array& array = d.arrays[static_cast<std::size_t>(a)];
    if (array.role == Role::temporary) continue;
    const Index bytes = points(array, n) * d.element_bytes;
    if (array.role == Role::input || array.role == Role::update) work.read.value += bytes;
    if (d.written_in(0, last, a)) work.written.value += bytes;
  }
  double flops = 0;
  for (const OperationInfo& op : d.operations) {
    const Domain& m = op.domain;
    flops += (op.flops + op.branch.flops * op.branch.share) *
             static_cast<double>((n.x + m.end.x - m.begin.x) * (n.y + m.end.y - m.begin.y) *
                                 (n.z + m.end.z - m.begin.z) * n.instances());
  }
  work.flops = flops;
  work.items = n.items();
  work.convention =
      fmt::format("bytes: of {} operations, inputs read once and outputs written once; "
                  "temporaries none",
                  d.operations.size());
  if (std::isnan(flops)) work.convention += "; " + operations_text(flops, "flops");
  return work;
}

} // namespace ridge::chain
