#include <ridge/chain/rank_range.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace ridge::chain {

namespace {

using comm::along;

/// Whether ranks get what they need of an array from each other.
bool exchanged(const Array& array) {
  return !array.profile && (array.role == Role::input || array.role == Role::update);
}

/// From where on along a dimension, counted from an end that is none, values of an array are those
/// of the whole range: so many items behind the begin, and before the end (beyond it where
/// negative).
struct Known {
  int low = 0, high = 0;
};

/// What an operation makes of what is known of the arrays that it reads.
Known made_by(const OperationInfo& op, int d, const std::vector<std::optional<Known>>& arrays) {
  Known made{op.domain.begin.along(d), -op.domain.end.along(d)};
  for (const Access& a : op.accesses) {
    if (a.writes || (a.profile && d == 0)) continue;
    const Known from = arrays[static_cast<std::size_t>(a.array)].value_or(Known{});
    made.low = std::max(made.low, from.low - a.reach.low.along(d));
    made.high = std::max(made.high, from.high + a.reach.high.along(d));
  }
  return made;
}

/// How far the results are not known, at either end.
Known unknown_results(const Description& c, int d) {
  std::vector<std::optional<Known>> arrays(c.arrays.size());
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const Array& array = c.arrays[i];
    if (array.role == Role::input || array.role == Role::update)
      arrays[i] = Known{0, -array.extra.along(d)};
  }
  for (const OperationInfo& op : c.operations) {
    const Known made = made_by(op, d, arrays);
    for (const Access& a : op.accesses) {
      if (!a.writes) continue;
      auto& to = arrays[static_cast<std::size_t>(a.array)];
      to = to ? Known{std::max(to->low, made.low), std::max(to->high, made.high)} : made;
    }
  }
  Known most;
  for (std::size_t i = 0; i < c.arrays.size(); ++i) {
    const Role role = c.arrays[i].role;
    if ((role != Role::output && role != Role::update) || !arrays[i]) continue;
    most = {std::max(most.low, arrays[i]->low), std::max(most.high, arrays[i]->high)};
  }
  return most;
}

/// Why a periodic dimension cannot be divided: beyond its ends a rank has the items of the other
/// end, and these must be what operations find there on one rank.
std::string why_not_periodic(const Description& c, const PlaceNotes& notes, int d) {
  const char* const axis = axis_name(d);
  if (d == 0 && notes.first_of_pack)
    return "it goes round, and an operation asks for at.x() or at.before_x()";
  for (const Array& array : c.arrays) {
    if (array.role != Role::temporary && array.extra.along(d) != 0 && !(array.profile && d == 0)) {
      return fmt::format("it goes round, and '{}' has more points along {} than the range",
                         array.name, axis);
    }
  }
  for (const OperationInfo& op : c.operations) {
    const int begin = op.domain.begin.along(d);
    const int end = op.domain.end.along(d);
    if (notes.asked[static_cast<std::size_t>(d)] && (begin != 0 || end != 0)) {
      return fmt::format("it goes round, operations ask where they are, and '{}' has another "
                         "domain than the range",
                         op.name);
    }
    for (const Access& a : op.accesses) {
      const Array& array = c.arrays[static_cast<std::size_t>(a.array)];
      const int extra = array.extra.along(d);
      if (a.writes || extra == 0 || (array.profile && d == 0)) continue;
      if (begin + a.reach.low.along(d) < 0 || end + a.reach.high.along(d) > extra) {
        return fmt::format("it goes round, and '{}' reads beyond the ends of '{}', which has more "
                           "points than the range",
                           op.name, array.name);
      }
    }
  }
  return {};
}

/// Why a dimension cannot be divided whether it goes round or not: exchanges send whole faces of
/// the range.
std::string why_not(const Description& c, int d) {
  if (c.dimensions[static_cast<std::size_t>(d)].points > 0) return "elements are not divided";
  if (c.dimensions[static_cast<std::size_t>(d)].edge == Edge::given)
    return "the arrays' owner sets what lies beyond its ends";
  for (const OperationInfo& op : c.operations) {
    if (op.scan != Scan::none && d == c.column_dimension())
      return fmt::format("'{}' scans along it", op.name);
  }
  for (const Array& array : c.arrays) {
    if (!exchanged(array)) continue;
    for (int other = 0; other < 3; ++other) {
      if (other == d || array.extra.along(other) == 0) continue;
      return fmt::format("'{}' has more points along {} than the range, and they are not exchanged",
                         array.name, axis_name(other));
    }
  }
  return {};
}

/// Which of the dimensions go round for ranks: those that are divided.
comm::Periodic periodic_of(const RankDivision& division, Index3 ranks) {
  const auto goes_round = [&](int d) {
    return division.periodic[static_cast<std::size_t>(d)] && along(ranks, d) > 1;
  };
  return {goes_round(0), goes_round(1), goes_round(2)};
}

comm::Grid grid_of(const RankDivision& division, Index3 extents, Index3 ranks) {
  for (int d = 0; d < 3; ++d) {
    const std::string& why = division.undivided[static_cast<std::size_t>(d)];
    if (along(ranks, d) == 1 || why.empty()) continue;
    throw UsageError(fmt::format("ranks {}: chain '{}' cannot be divided along {}: {}",
                                 comm::to_text(ranks), division.name, axis_name(d), why));
  }
  return {extents, ranks, division.reach(), periodic_of(division, ranks)};
}

} // namespace

comm::Reach box_around(const Index3& before, const Index3& behind) {
  std::vector<Index3> corners;
  for (const Index x : {-before.x, behind.x})
    for (const Index y : {-before.y, behind.y})
      for (const Index z : {-before.z, behind.z})
        corners.push_back({x, y, z});
  return comm::Reach(corners);
}

RankDivision division_of(const Description& c, const PlaceNotes& notes) {
  RankDivision made;
  made.name = c.name;
  made.arrays = c.arrays;
  for (int d = 0; d < 3; ++d) {
    const Known unknown = unknown_results(c, d);
    along(made.before, d) = unknown.low;
    along(made.behind, d) = unknown.high;
    const auto i = static_cast<std::size_t>(d);
    made.periodic[i] = c.dimensions[i].edge == Edge::periodic;
    made.undivided[i] = why_not(c, d);
    if (made.periodic[i] && made.undivided[i].empty())
      made.undivided[i] = why_not_periodic(c, notes, d);
  }
  return made;
}

comm::Reach RankDivision::reach() const {
  Index3 beyond = behind;
  for (const Array& array : arrays) {
    if (!exchanged(array)) continue;
    for (int d = 0; d < 3; ++d)
      along(beyond, d) = std::max(along(beyond, d), along(behind, d) + array.extra.along(d));
  }
  return box_around(before, beyond);
}

Index3 choose_ranks(const RankDivision& division, int ranks, Index3 extents) {
  Index3 least{1, 1, 1};
  std::string why;
  for (int d = 0; d < 3; ++d) {
    const std::string& undivided = division.undivided[static_cast<std::size_t>(d)];
    if (undivided.empty()) continue;
    along(least, d) = along(extents, d) + 1;
    why += fmt::format("; along {} it cannot be divided: {}", axis_name(d), undivided);
  }
  try {
    return comm::choose_ranks(ranks, extents, division.reach(), {}, least);
  } catch (const UsageError& e) {
    if (why.empty()) throw;
    throw UsageError(
        fmt::format("{} ranks are too many for chain '{}'{}", ranks, division.name, why));
  }
}

RankRange::RankRange(const RankDivision& division, Index3 extents, Index3 ranks, int rank)
    : division_(division), grid_(grid_of(division, extents, ranks)), rank_(rank),
      owned_(grid_.owned(rank)), held_(owned_) {
  for (int d = 0; d < 3; ++d) {
    if (along(ranks, d) == 1) continue;
    along(held_.begin, d) -= along(division.before, d);
    along(held_.end, d) += along(division.behind, d);
    if (grid_.periodic().along(d)) continue;
    along(held_.begin, d) = std::max<Index>(along(held_.begin, d), 0);
    along(held_.end, d) = std::min(along(held_.end, d), along(extents, d));
  }
}

comm::Box RankRange::points(int array, const comm::Box& items, bool beyond) const {
  const Array& a = division_.arrays[static_cast<std::size_t>(array)];
  comm::Box points = items;
  for (int d = 0; d < 3; ++d) {
    if (beyond || along(items.end, d) == along(grid_.points(), d))
      along(points.end, d) += a.extra.along(d);
  }
  if (a.profile) {
    points.begin.x = 0;
    points.end.x = 1;
  }
  return points;
}
comm::Box RankRange::owned_points(int array) const {
  return points(array, owned_, false);
}
comm::Box RankRange::held_points(int array) const {
  return points(array, held_, true);
}

comm::Reach RankRange::reach(int array) const {
  const Array& a = division_.arrays[static_cast<std::size_t>(array)];
  if (a.profile) return {};
  Index3 behind = division_.behind;
  for (int d = 0; d < 3; ++d)
    along(behind, d) += a.extra.along(d);
  return box_around(division_.before, behind);
}

} // namespace ridge::chain
