#include <ridge/lattice/rank_program.hpp>

namespace ridge::lattice::detail {

Record rank_record(Record whole, const RankLattice& part, comm::Carrier carrier) {
  const int ranks = static_cast<int>(part.ranks().count());
  whole.size = part.whole();
  whole.ranks = ranks;
  whole.details.push_back({"rank_grid", 0, ridge::to_text(part.ranks())});
  whole.details.push_back({"carrier", 0, comm::to_text(carrier)});
  return whole;
}

SiteBox inner_sites(const RankLattice& part, const std::vector<FieldReach>& reads) {
  SiteBox inner = part.owned();
  for (int d = 0; d < part.whole().rank(); ++d) {
    if (!part.divided(d)) continue;
    int below = 0;
    int above = 0;
    for (const FieldReach& read : reads) {
      below = std::max(below, read.below[d]);
      above = std::max(above, read.above[d]);
    }
    inner.begin[d] += below;
    inner.end[d] -= above;
  }
  return inner.count() > 0 ? inner : SiteBox{};
}

std::vector<FieldReach> reads_of(std::vector<FieldReach> reads,
                                 const std::vector<const void*>& fields, bool of) {
  std::erase_if(reads, [&](const FieldReach& read) {
    return (std::find(fields.begin(), fields.end(), read.data) != fields.end()) != of;
  });
  return reads;
}

} // namespace ridge::lattice::detail
