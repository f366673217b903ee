#include "adjoint_surroundings.hpp"

#include <algorithm>
#include <utility>

namespace ridge::chain {

namespace {

using comm::along;

/// Routes of a rank within a box, between ranks that have some of its points.
std::vector<comm::Route> clipped(const comm::Grid& grid, int rank, const comm::Box& within,
                                 std::vector<comm::Route> routes) {
  const auto has_some = [&](int of) { return !comm::overlap(grid.owned(of), within).empty(); };
  std::vector<comm::Route> made;
  for (comm::Route& route : routes) {
    route.box = comm::overlap(route.box, within);
    if (has_some(rank) && has_some(route.peer) && !route.box.empty()) made.push_back(route);
  }
  return made;
}

/// Appends messages that are packed, and the copies between them and a field.
void add_messages(comm::Phase& phase, const comm::PaddedField& field,
                  const std::vector<comm::Route>& routes, int tag, bool receives) {
  if (routes.empty()) return;
  const comm::FieldMemory& memory = field.memory;
  std::vector<comm::MemoryBox> boxes;
  for (const comm::Route& route : routes) {
    const Index3& first = route.box.begin;
    const Index3& origin = field.origin;
    boxes.push_back(
        {{first.x - origin.x, first.y - origin.y, first.z - origin.z}, route.box.extents()});
    (receives ? phase.receives : phase.sends)
        .push_back({nullptr, Bytes{route.box.count() * memory.element_bytes}, route.peer,
                    tag + route.tag});
  }
  const auto copies = [memory, boxes, receives](Queue& queue, void* buffer) {
    return comm::bind_copies(queue, memory, boxes, buffer, receives);
  };
  constexpr const char* what = "the messages of a layer";
  receives ? phase.unpack(what, copies) : phase.pack(what, copies);
}

} // namespace

bool ends_at_wall(const SystemSetup& setup, int axis, int side) {
  if (setup.part && setup.part->has_neighbour(axis, side)) return false;
  return setup.walls.front()[static_cast<std::size_t>(axis)][0].kind != Wall::periodic;
}

BeyondWalls beyond_walls(const SystemSetup& setup, const Description& adjoint,
                         const comm::Box& items) {
  BeyondWalls made;
  for (int d = 0; d < 3; ++d) {
    if (along(setup.whole(), d) == 1) continue;
    const Index beyond = adjoint.dimensions[static_cast<std::size_t>(d)].beyond;
    if (along(items.begin, d) == 0 && ends_at_wall(setup, d, 0)) along(made.before, d) = beyond;
    if (along(items.end, d) == along(setup.extents, d) && ends_at_wall(setup, d, 1))
      along(made.behind, d) = beyond;
  }
  return made;
}

void sum_over_ranks(std::vector<double>& values, comm::Communicator& ranks) {
  const std::size_t count = values.size();
  std::vector<double> all(count * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(values.data(), count * sizeof(double), all.data());
  std::fill(values.begin(), values.end(), 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    values[i % count] += all[i];
}

std::shared_ptr<comm::Transfer> exchange_within(const SystemPart& part, Queue& queue,
                                                const comm::Box& within,
                                                const std::vector<comm::PaddedField>& fields) {
  const int me = part.ranks->rank();
  comm::Phase phase;
  bool sends = false; // some rank
  int tag = 0;
  for (const comm::PaddedField& field : fields) {
    for (int rank = 0; rank < part.grid.count(); ++rank) {
      comm::HaloPlan plan = comm::halo_plan(part.grid, rank, field.reach);
      const auto sent = clipped(part.grid, rank, within, std::move(plan.sends));
      sends = sends || !sent.empty();
      if (rank != me) continue;
      add_messages(phase, field, sent, tag, false);
      add_messages(phase, field, clipped(part.grid, me, within, std::move(plan.receives)), tag,
                   true);
    }
    tag += comm::directions;
  }
  if (!sends) return {};
  return std::make_shared<comm::Transfer>(comm::Endpoint{*part.ranks, queue}, std::move(phase));
}

} // namespace ridge::chain
