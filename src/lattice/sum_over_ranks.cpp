#include "sum_over_ranks.hpp"

#include <ridge/lattice/check.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include <cstring>

namespace ridge::lattice {

void PlainSums::merge(const PlainSums& other) {
  for (std::size_t i = 0; i < binned.size(); ++i) {
    binned[i].merge(other.binned[i]);
    value[i] += other.value[i];
    scale[i] += other.scale[i];
  }
}

Check compare_with(comm::Communicator& ranks, const RankLattice& part, int dimension,
                   const PlainSums& mine, const std::vector<double>& found, double tolerance) {
  const auto of_all = [&](const std::vector<BinnedSum<double>>& own) {
    return detail::sums_of_ranks(ranks, part, dimension, own);
  };
  const auto numbers_of_all = [&](const std::vector<long double>& numbers) {
    std::vector<BinnedSum<double>> own;
    for (const long double number : numbers) {
      own.emplace_back().clear();
      own.back().add(static_cast<double>(number));
    }
    const auto sums = of_all(own);
    return std::vector<long double>(sums.begin(), sums.end());
  };
  const auto right = of_all(mine.binned);
  ExpectedResults expected;
  expected.value = numbers_of_all(mine.value);
  expected.scale = numbers_of_all(mine.scale);
  Check check = check_results(expected, found, tolerance);
  if (check.ok && std::memcmp(right.data(), found.data(), right.size() * sizeof(double)) != 0) {
    check.ok = false;
    check.message = "the sum over ranks has other bits than plain loops over the sites";
  }
  return check;
}

} // namespace ridge::lattice
