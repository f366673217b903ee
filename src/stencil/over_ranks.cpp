#include <ridge/stencil/over_ranks.hpp>

#include <algorithm>

namespace ridge::stencil {

Record rank_record(const Device& device, const Traits& traits, const comm::Grid& grid,
                   const comm::Exchange& exchange, comm::Communicator& communicator,
                   const std::string& schedule, std::string_view kernel) {
  Record record = record_of(device, traits, grid.points(),
                            default_schedule(device, traits, grid.points()), kernel);
  if (!schedule.empty()) record.schedule = schedule;
  record.ranks = communicator.ranks();
  Index most = 0;
  for (int rank = 0; rank < communicator.ranks(); ++rank) {
    const Index fields = traits.inputs() + 1;
    most = std::max(most, grid.held(rank).count() * traits.element_bytes * fields);
  }
  // Ranks of a cpu share its cache, GPUs have one each.
  const Index together = device.is_gpu() ? most : most * communicator.local_ranks();
  record.in_cache = together <= device.facts().last_level_cache.value;
  record.details.push_back({"rank_grid", 0, comm::to_text(grid.ranks())});
  record.details.push_back({"carrier", 0, comm::to_text(exchange.carrier())});
  record.details.push_back(
      {"exchange_bytes", communicator.sum(static_cast<double>(exchange.sent().value)), {}});
  return record;
}

} // namespace ridge::stencil
