// The checks of a chain's declaration, each with what would be right.
#include <ridge/chain/description.hpp>
#include <ridge/chain/elements.hpp>
#include <ridge/core/error.hpp>

#include "description_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::chain {

namespace {

/// The checks of one description, in an order in which each may rely on those before.
class Checker {
public:
  explicit Checker(const Description& d) : d_(d), count_(static_cast<int>(d.operations.size())) {}

  void run() const {
    if (count_ < 1 || count_ > most_described_operations)
      fail("a chain has 1 to {} operations", most_described_operations);
    if (d_.arrays.size() > most_described_arrays)
      fail("a chain has at most {} arrays", most_described_arrays);
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

  /// True where operation `k` needs, directly or through others, what operation `on` writes.
  [[nodiscard]] bool depends(int k, int on, std::vector<bool>& seen) const {
    if (k == on) return true;
    if (seen[static_cast<std::size_t>(k)]) return false;
    seen[static_cast<std::size_t>(k)] = true;
    for (const Access& a : operation(k).accesses) {
      if (a.writes) continue;
      for (int j = 0; j < count_; ++j)
        if (j != k && operation(j).writes(a.array) && depends(j, on, seen)) return true;
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

} // namespace

void check(const Description& description) {
  Checker(description).run();
}

} // namespace ridge::chain
