#include <ridge/comm/exchange.hpp>
#include <ridge/core/error.hpp>

namespace ridge::comm {

namespace {

constexpr int tags_of_a_field = directions;
constexpr const char* buffer_name = "the messages of a halo";

bool inside(const FieldMemory& memory, const MemoryBox& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const Index begin = along(box.begin, axis);
    if (begin < 0 || begin + along(box.extents, axis) > along(memory.extents, axis)) return false;
  }
  return true;
}

/// Whether a box lies in one piece of memory.
bool in_one_piece(const FieldMemory& memory, const Index3& box) {
  const bool rows = box.y == 1 && box.z == 1;
  const bool whole_rows = box.x == memory.row && box.z == 1;
  return rows || whole_rows || (box.x == memory.row && box.x * box.y == memory.plane);
}

/// Makes messages of routes, and the copies between their boxes and what is sent or received.
void add_messages(const PaddedField& field, const std::vector<Route>& routes, int tag,
                  bool receives, Phase& phase) {
  const FieldMemory& memory = field.memory;
  std::vector<MemoryBox> packed;
  for (const Route& route : routes) {
    const Index3 first = route.box.begin;
    const MemoryBox box{
        {first.x - field.origin.x, first.y - field.origin.y, first.z - field.origin.z},
        route.box.extents()};
    if (!inside(memory, box)) {
      throw UsageError(
          "a field over ranks has no room for its halo: its memory holds " +
          ridge::to_text(Extents{memory.extents.x, memory.extents.y, memory.extents.z}) +
          " points");
    }
    Message message{nullptr, Bytes{box.count() * memory.element_bytes}, route.peer,
                    tag + route.tag};
    if (in_one_piece(memory, box.extents)) {
      const Index at = box.begin.x + box.begin.y * memory.row + box.begin.z * memory.plane;
      message.data = static_cast<char*>(memory.data) + at * memory.element_bytes;
    } else {
      packed.push_back(box);
    }
    (receives ? phase.receives : phase.sends).push_back(message);
  }
  if (packed.empty()) return;
  const auto copies = [memory, packed, receives](Queue& queue, void* buffer) {
    return bind_copies(queue, memory, packed, buffer, receives);
  };
  receives ? phase.unpack(buffer_name, copies) : phase.pack(buffer_name, copies);
}

Phase halo_messages(const Grid& grid, int rank, const std::vector<PaddedField>& fields) {
  Phase phase;
  int tag = 0;
  for (const PaddedField& field : fields) {
    const HaloPlan plan = halo_plan(grid, rank, field.reach);
    add_messages(field, plan.sends, tag, false, phase);
    add_messages(field, plan.receives, tag, true, phase);
    tag += tags_of_a_field;
  }
  return phase;
}

} // namespace

Exchange::Exchange(Communicator& communicator, Queue& queue, const Grid& grid,
                   const std::vector<PaddedField>& fields)
    : Transfer({communicator, queue}, {halo_messages(grid, communicator.rank(), fields)},
               Travels::beside) {}

} // namespace ridge::comm
