// Cases over ranks of reproducible sums of lattice fields: the same bits on any number of ranks.
#pragma once

#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/rank_reduce.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace ridge::lattice {

/// The reductions that have such cases.
template <class R>
inline constexpr bool has_rank_sums =
    std::is_same_v<R, Sum> || std::is_same_v<R, Norm2> || std::is_same_v<R, InnerProduct>;

struct RankSums {
  std::string name;
  FieldUse use;
  bool slices = false; ///< of each slice of the last dimension
};

/// The case of fields of such sites. Its numbers are functions of the site: the record's
/// `result`, the first number of it, is the same over any ranks. Throws UsageError for schedules
/// but `auto`: there is one.
template <class R>
[[nodiscard]] std::unique_ptr<Case>
rank_sums_case(const RankSums& sums, const Device& device, const SiteShape& shape,
               comm::Communicator& ranks, const RankLattice& part);

} // namespace ridge::lattice
