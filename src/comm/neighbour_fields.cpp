#include <ridge/comm/neighbour_fields.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>

#include <cstdint>

namespace ridge::comm {

namespace {

/// A field as other ranks see it.
struct Seen {
  ExportedMemory memory;
  Index row, plane, owned_begin;
  bool is_shared;
};

} // namespace

std::unique_ptr<NeighbourFields> NeighbourFields::reach(Communicator& communicator, Queue& queue,
                                                        const Grid& grid,
                                                        const std::vector<FieldMemory>& fields,
                                                        Index owned_begin) {
  const Index3 ranks = grid.ranks();
  if (ranks.x > 1 || ranks.y > 1 || ranks.z == 1) return nullptr;
  if (choose_carrier(communicator, queue.device()) != Carrier::peer) return nullptr;

  const int mine = communicator.rank();
  std::array<Side, 2> sides;
  for (const int side : {0, 1}) {
    Side& one = sides[at(side)];
    one.rank = grid.neighbour(mine, {0, 0, side == 0 ? -1 : 1});
    if (one.rank < 0) continue;
    const Box owned = grid.owned(one.rank);
    const Box held = grid.held(one.rank);
    one.needed = side == 0 ? held.end.z - owned.end.z : owned.begin.z - held.begin.z;
  }
  std::vector<ImportedMemory> reached;
  for (const FieldMemory& field : fields) {
    const auto exported = export_memory(queue.device(), field.data);
    const Seen seen{exported.value_or(ExportedMemory{}), field.row, field.plane, owned_begin,
                    exported.has_value()};
    const auto all = communicator.gather(seen);
    for (const Seen& other : all) {
      if (!other.is_shared || other.row != field.row || other.plane != field.plane) return nullptr;
    }
    for (const int side : {0, 1}) {
      Side& one = sides[at(side)];
      if (one.rank < 0) continue;
      const Seen& other = all[at(one.rank)];
      reached.emplace_back(queue.device(), other.memory);
      const auto there =
          reinterpret_cast<std::intptr_t>(reached.back().data()) + other.memory.offset;
      const auto here = reinterpret_cast<std::intptr_t>(field.data);
      // My first planes follow what the rank below owns; my last come before what the one above
      // has.
      const Box theirs = grid.owned(one.rank);
      const Box ours = grid.owned(mine);
      const Index planes = side == 0 ? other.owned_begin + theirs.extents().z - owned_begin
                                     : other.owned_begin - owned_begin - ours.extents().z;
      one.further.push_back((there - here) / field.element_bytes + planes * field.plane);
    }
  }

  auto made =
      std::unique_ptr<NeighbourFields>(new NeighbourFields(std::move(sides), std::move(reached)));
  constexpr Bytes word{16};
  made->words_ = Memory(queue.device(), Bytes{4 * word.value}, "signals between ranks");
  fill_bytes(queue, made->words_.data(), 0, made->words_.size());
  Phase words;
  for (const int side : {0, 1}) {
    if (!made->is_there(side)) continue;
    const int peer = made->sides_[at(side)].rank;
    const auto place = [&](int i) {
      return static_cast<char*>(made->words_.data()) + i * word.value;
    };
    words.sends.push_back({place(side), word, peer, side});
    words.receives.push_back({place(2 + side), word, peer, 1 - side}); // it sends to its other side
  }
  made->meeting_ = Transfer({communicator, queue, Carrier::peer}, std::move(words));
  return made;
}

} // namespace ridge::comm
