#include <ridge/chain/description.hpp>
#include <ridge/chain/elements.hpp>
#include <ridge/chain/held_rows.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>

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
  for (const Access& a : op.accesses) {
    if (a.array == array) rows.add(a, rank - 1);
  }
  return rows.count() > 1;
}

} // namespace

bool Description::reads_rows_again(int most) const {
  for (int d = 0; d < rank; ++d) {
    if (dimensions[static_cast<std::size_t>(d)].edge != Edge::given) return false;
  }
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
  for (int k = std::max(first, 0); k <= last; ++k) {
    if (operations[static_cast<std::size_t>(k)].reads(array)) return true;
  }
  return false;
}
bool Description::written_in(int first, int last, int array) const {
  for (int k = std::max(first, 0); k <= last; ++k) {
    if (operations[static_cast<std::size_t>(k)].writes(array)) return true;
  }
  return false;
}

namespace {

constexpr int most_operations = 63;
constexpr int most_arrays = 256;

/// The table that rules about operations are asked of.
class DescribedUses {
public:
  static constexpr int most_operations = chain::most_operations;
  static constexpr int most_arrays = chain::most_arrays;

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
  for (int k = std::max(first, 0); k <= last; ++k) {
    if (operations[static_cast<std::size_t>(k)].scan != Scan::none) return true;
  }
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
  for (const OperationRange& g : groups) {
    if (joined_to(uses, g.first) >= g.last) add(g);
  }
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
                            op->branch});
  }
  d.groups.assign(c.groups, c.groups + c.group_count);
  check(d);
  return d;
}

namespace {

/// The checks of one description, in an order in which each may rely on those before.
class Checker {
public:
  explicit Checker(const Description& d) : d_(d), count_(static_cast<int>(d.operations.size())) {}

  void run() const {
    if (count_ < 1 || count_ > most_operations)
      fail("a chain has 1 to {} operations", most_operations);
    if (d_.arrays.size() > most_arrays) fail("a chain has at most {} arrays", most_arrays);
    if (d_.outer < 0 || d_.outer > most_outer)
      fail("{} outer dimensions; 0 to {} are possible", d_.outer, most_outer);
    for (int d = 0; d_.outer > 0 && d < d_.rank; ++d) {
      if (dimension_at(d).edge == Edge::given)
        fail("{} has given ends, and the chain has outer dimensions: nobody sets those of each "
             "instance",
             axis_name(d));
    }
    points();
    for (const OperationInfo& op : d_.operations)
      accesses(op);
    for (int a = 0; a < static_cast<int>(d_.arrays.size()); ++a)
      uses(a);
    for (int k = 0; k < count_; ++k)
      written_before(k);
    for (int k = 0; k < count_; ++k)
      neighbours(k);
    for (int k = 0; k < count_; ++k)
      bounds(k);
  }

private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw UsageError(
        fmt::format("chain '{}': {}", d_.name, fmt::format(text, std::forward<Args>(args)...)));
  }
  [[nodiscard]] const Array& array(int a) const { return d_.arrays[static_cast<std::size_t>(a)]; }
  [[nodiscard]] const OperationInfo& operation(int k) const {
    return d_.operations[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] const Dimension& dimension_at(int d) const {
    return d_.dimensions[static_cast<std::size_t>(d)];
  }

  /// Elements have their points along x, or x and y, and whole ones are computed at once.
  void points() const {
    for (int d = 0; d < 3; ++d) {
      const int count = d_.dimensions[static_cast<std::size_t>(d)].points;
      if (count == 0) continue;
      if (count < 2 || count > most_points) {
        fail("{} points along {}: registers hold 2 to {} of each array; contract more through the "
             "memory, in an operation that reads its neighbours",
             count, axis_name(d), most_points);
      }
      if (d == 2 || (d == 1 && !d_.has_elements()))
        fail("points along {}: elements have them along x, or along x and y", axis_name(d));
      for (const Array& a : d_.arrays) {
        if (a.extra.along(d) != 0)
          fail("'{}' has more points along {} than the element", a.name, axis_name(d));
      }
      for (const OperationInfo& op : d_.operations) {
        if (op.domain.begin.along(d) != 0 || op.domain.end.along(d) != 0)
          fail("operation '{}' has less points along {} than the element", op.name, axis_name(d));
        if (op.scan != Scan::none)
          fail("operation '{}' scans, and the chain has elements; give it a chain of its own",
               op.name);
        for (const Access& a : op.accesses) {
          if (a.reach.low.along(d) != 0 || a.reach.high.along(d) != 0)
            fail("operation '{}' reads neighbours along {}, points of an element; contract instead",
                 op.name, axis_name(d));
        }
      }
    }
  }

  void accesses(const OperationInfo& op) const {
    if (op.scan != Scan::none && d_.rank < 2) {
      fail("operation '{}' scans along the last dimension, and there is one alone; declare two, of "
           "which the first may have one item",
           op.name);
    }
    if (op.scan != Scan::none && op.carried < 1)
      fail("operation '{}' scans and carries nothing", op.name);
    bool writes = false;
    for (const Access& a : op.accesses) {
      if (a.array < 0 || a.array >= static_cast<int>(d_.arrays.size())) {
        fail("operation '{}' declares array {}; the chain has arrays 0 to {}", op.name, a.array,
             static_cast<int>(d_.arrays.size()) - 1);
      }
      const Array& to = array(a.array);
      if (a.profile != to.profile) {
        fail("operation '{}' takes '{}' for {}", op.name, to.name,
             a.profile ? "a profile, and it is not declared as one"
                       : "an array with values along x, and it is a profile");
      }
      if (a.writes && to.role == Role::input) {
        fail("operation '{}' writes '{}', an input; declare it an update or an output", op.name,
             to.name);
      }
      for (int d = 0; d < 3; ++d) {
        if (a.reach.low.along(d) > a.reach.high.along(d)) {
          fail("operation '{}' reads '{}' from {} to {} along {}: nothing", op.name, to.name,
               a.reach.low.along(d), a.reach.high.along(d), axis_name(d));
        }
        if (a.reach.low.along(d) < -farthest || a.reach.high.along(d) > farthest) {
          fail("operation '{}' reads '{}' farther than {} items along {}", op.name, to.name,
               farthest, axis_name(d));
        }
      }
      writes = writes || a.writes;
    }
    if (!writes) fail("operation '{}' declares nothing that it writes", op.name);
    for (const Access& a : op.accesses) {
      if (!a.writes && op.writes(a.array) && !(a.reach == Reach{})) {
        fail("operation '{}' reads neighbours of '{}', which it writes: a cycle; write to another "
             "array",
             op.name, array(a.array).name);
      }
    }
  }

  void uses(int a) const {
    const bool read = d_.read_in(0, count_ - 1, a);
    const bool written = d_.written_in(0, count_ - 1, a);
    const Array& it = array(a);
    if (it.role != Role::input && !written)
      fail("no operation declares that it writes '{}'", it.name);
    if (it.role != Role::output && !read) {
      fail("no operation declares that it reads '{}'{}", it.name,
           it.role == Role::temporary ? ", a temporary" : "");
    }
  }

  /// Whether operation `k` needs, directly or through others, what operation `on` writes.
  [[nodiscard]] bool depends(int k, int on, std::vector<bool>& seen) const {
    if (k == on) return true;
    if (seen[static_cast<std::size_t>(k)]) return false;
    seen[static_cast<std::size_t>(k)] = true;
    for (const Access& a : operation(k).accesses) {
      if (a.writes) continue;
      for (int j = 0; j < count_; ++j) {
        if (j != k && operation(j).writes(a.array) && depends(j, on, seen)) return true;
      }
    }
    return false;
  }

  void written_before(int k) const {
    for (const Access& a : operation(k).accesses) {
      const Role role = array(a.array).role;
      if (a.writes || role == Role::input || role == Role::update) continue;
      if (d_.written_in(0, k - 1, a.array)) continue;
      const char* const name = array(a.array).name;
      if (operation(k).writes(a.array)) {
        fail("operation '{}' reads '{}', which it is the first to write: a cycle; declare it an "
             "update if it holds values before",
             operation(k).name, name);
      }
      for (int j = k + 1; j < count_; ++j) {
        if (!operation(j).writes(a.array)) continue;
        std::vector<bool> seen(static_cast<std::size_t>(count_), false);
        if (depends(j, k, seen)) {
          fail("operations '{}' and '{}' need each other's results ('{}'): a cycle",
               operation(k).name, operation(j).name, name);
        }
        fail("operation '{}' reads '{}' before '{}' writes it; put it behind", operation(k).name,
             name, operation(j).name);
      }
      fail("operation '{}' reads '{}', which no operation before it writes", operation(k).name,
           name);
    }
  }

  void neighbours(int k) const {
    for (int d = 0; d < 3; ++d) {
      const Dimension& dimension = d_.dimensions[static_cast<std::size_t>(d)];
      if (dimension.halo < 0) fail("a halo of {} along {}", dimension.halo, axis_name(d));
      if (dimension.beyond < 0)
        fail("{} points beyond the ends of {}", dimension.beyond, axis_name(d));
      if (!dimension.independent || dimension.halo > 0 || dimension.edge == Edge::given) continue;
      for (const Access& a : operation(k).accesses) {
        if (a.writes || (a.reach.low.along(d) == 0 && a.reach.high.along(d) == 0)) continue;
        for (int j = 0; j < count_; ++j) {
          if (j == k || !operation(j).writes(a.array)) continue;
          fail("operation '{}' reads neighbours of '{}' along {}, which '{}' writes, and {} is "
               "declared independent; declare a halo, or the dimension internal",
               operation(k).name, array(a.array).name, axis_name(d), operation(j).name,
               axis_name(d));
        }
      }
    }
  }

  /// Every item stays within its arrays, and reads of a temporary within what was written.
  void bounds(int k) const {
    const OperationInfo& op = operation(k);
    for (int d = 0; d < 3; ++d) {
      const Edge edge = d_.dimensions[static_cast<std::size_t>(d)].edge;
      const int begin = op.domain.begin.along(d);
      const int end = op.domain.end.along(d);
      for (const Access& a : op.accesses) {
        const Array& to = array(a.array);
        if (to.profile && d == 0) continue;
        const int extra = to.extra.along(d);
        int low = begin + a.reach.low.along(d);
        int high = end + a.reach.high.along(d);
        const int held = edge == Edge::given && !a.writes ? dimension_at(d).beyond : 0;
        if (edge != Edge::none && edge != Edge::given &&
            !a.writes) { // what lies beyond is the other end, or the last point
          low = std::max(low, 0);
          high = std::min(high, extra);
        }
        if (low < -held || high > extra + held) {
          fail("operation '{}' {} '{}' up to {} {} its {} along {}; give it a smaller domain, the "
               "array more points, or the dimension an edge",
               op.name, a.writes ? "writes" : "reads", to.name, low < -held ? -low : high - extra,
               low < -held ? "before" : "behind", low < -held ? "first" : "last", axis_name(d));
        }
        if (a.writes || to.role == Role::input || to.role == Role::update) continue;
        if (edge == Edge::given && to.role == Role::output) { // whose owner sets what lies beyond
          low = std::max(low, 0);
          high = std::min(high, extra);
        }
        written(k, a, d, low, high);
      }
    }
  }

  void written(int k, const Access& a, int d, int low, int high) const {
    int from = 1 << 20;
    int to = -(1 << 20);
    for (int j = 0; j < k; ++j) {
      if (!operation(j).writes(a.array)) continue;
      from = std::min(from, operation(j).domain.begin.along(d));
      to = std::max(to, operation(j).domain.end.along(d));
    }
    if (low >= from && high <= to) return;
    fail("operation '{}' reads points of '{}' along {} that no operation before it writes",
         operation(k).name, array(a.array).name, axis_name(d));
  }

  const Description& d_;
  int count_;
};

Index points(const Array& a, const Range& n) {
  return (a.profile ? 1 : n.x + a.extra.x) * (n.y + a.extra.y) * (n.z + a.extra.z) * n.instances();
}

} // namespace

void check(const Description& description) {
  Checker(description).run();
}

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
