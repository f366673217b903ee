#include <ridge/chain/over_ranks.hpp>
#include <ridge/core/error.hpp>

#include <fmt/format.h>

namespace ridge::chain {

std::vector<comm::PaddedField> detail::padded_arrays(const RankRange& range,
                                                     const Description& chain,
                                                     const std::vector<comm::FieldMemory>& arrays) {
  std::vector<comm::PaddedField> fields;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& array = chain.arrays[i];
    if (array.role == Role::temporary) continue;
    const auto number = static_cast<int>(i);
    const comm::Box held = range.held_points(number);
    if (!(arrays[i].extents == held.extents())) {
      const auto text = [](const Index3& n) { return ridge::to_text(Extents{n.x, n.y, n.z}); };
      throw UsageError(
          fmt::format("array '{}' of chain '{}' has {} points where this rank holds {}", array.name,
                      chain.name, text(arrays[i].extents), text(held.extents())));
    }
    if (array.profile || array.role == Role::output) continue;
    fields.push_back({arrays[i], held.begin, range.reach(number)});
  }
  return fields;
}

Record detail::rank_record(Record mine, const RankRange& range, const Description& chain,
                           const comm::Exchange& exchange, comm::Communicator& ranks) {
  const Index3 n = range.grid().points();
  const Index sizes[] = {n.x, n.y, n.z};
  mine.size = Extents(sizes, chain.rank);
  mine.work = work_of(chain, n);
  mine.ranks = ranks.ranks();
  mine.details.push_back({"rank_grid", 0, comm::to_text(range.grid().ranks())});
  mine.details.push_back({"carrier", 0, comm::to_text(exchange.carrier())});
  mine.details.push_back(
      {"exchange_bytes", ranks.sum(static_cast<double>(exchange.sent().value)), {}});
  return mine;
}

} // namespace ridge::chain
