// Cases over ranks of reproducible sums of lattice fields: the same bits on any number of ranks.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/rank_reduce.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ridge::lab {

/// The numbers that a reduction sums, where sums over ranks know it.
template <class R>
inline constexpr std::optional<lattice::Summed> summed_by = {};
template <>
inline constexpr std::optional<lattice::Summed> summed_by<lattice::Sum> = lattice::Summed::numbers;
template <>
inline constexpr std::optional<lattice::Summed> summed_by<lattice::Norm2> =
    lattice::Summed::products;
template <>
inline constexpr std::optional<lattice::Summed> summed_by<lattice::InnerProduct> =
    lattice::Summed::crossed;

struct RankSums {
  std::string name;
  lattice::FieldUse use;
  lattice::Summed summed;
  bool slices = false; ///< of each slice of the last dimension
};

/// The case for the precision that is asked for. Its numbers are functions of the site: the
/// record's `result`, the first number of it, is the same over any ranks. Throws UsageError for
/// what is no grid of the ranks, and for schedules but `auto`: there is one.
[[nodiscard]] std::unique_ptr<Case> rank_sums_case(const RankSums& sums,
                                                   const BenchRequest& request);

} // namespace ridge::lab
