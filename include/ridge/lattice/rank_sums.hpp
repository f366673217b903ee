// Cases over ranks of reproducible sums of lattice fields: the same bits on any number of ranks.
#pragma once

#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/rank_reduce.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ridge::lattice {

/// The numbers that a reduction sums, where sums over ranks know it.
template <class R>
inline constexpr std::optional<Summed> summed_by = {};
template <>
inline constexpr std::optional<Summed> summed_by<Sum> = Summed::numbers;
template <>
inline constexpr std::optional<Summed> summed_by<Norm2> = Summed::products;
template <>
inline constexpr std::optional<Summed> summed_by<InnerProduct> = Summed::crossed;

struct RankSums {
  std::string name;
  FieldUse use;
  Summed summed;
  bool slices = false; ///< of each slice of the last dimension
};

/// The case of fields of such sites. Its numbers are functions of the site: the record's
/// `result`, the first number of it, is the same over any ranks. Throws UsageError for schedules
/// but `auto`: there is one.
[[nodiscard]] std::unique_ptr<Case> rank_sums_case(const RankSums& sums, const Device& device,
                                                   const SiteShape& shape,
                                                   comm::Communicator& ranks,
                                                   const RankLattice& part);

} // namespace ridge::lattice
