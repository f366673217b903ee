// What operations of an adjoint read around the items that they compute: of other ranks, beyond
// periodic ends, and along dimensions of one item. Beyond walls it is 0.
#pragma once

#include <ridge/chain/system/adjoint.hpp>
#include <ridge/chain/system/fold.hpp>
#include <ridge/chain/system/matched.hpp>
#include <ridge/comm/exchange.hpp>

#include "face_launches.hpp"
#include "faces.hpp"
#include "parts.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ridge::chain {

/// Whether this rank's range ends with a wall there. What operations add to points beyond it is
/// folded back; elsewhere the items beyond are computed where they are owned.
[[nodiscard]] bool ends_at_wall(const SystemSetup& setup, int axis, int side);

/// Items beyond walls around a box of this rank's items, before it and behind it.
struct BeyondWalls {
  Index3 before, behind;
};
[[nodiscard]] BeyondWalls beyond_walls(const SystemSetup& setup, const Description& adjoint,
                                       const comm::Box& items);

/// Replaces values by the sums of those of all ranks. Collective.
void sum_over_ranks(std::vector<double>& values, comm::Communicator& ranks);

/// The exchange of fields whose points lie within a box of the whole range alone, on the ranks that
/// have some of them. Null where there is nothing to send. Collective.
[[nodiscard]] std::shared_ptr<comm::Transfer>
exchange_within(const SystemPart& part, Queue& queue, const comm::Box& within,
                const std::vector<comm::PaddedField>& fields);

/// What an array shows around items: copies, where faces are no walls.
template <class T>
[[nodiscard]] BeyondArray<T> copies_around(const SystemSetup& setup, const SystemAdjoint& adjoint,
                                           int array, const Reach& reach, const LayerPoints<T>& at,
                                           const Index3& extents) {
  BeyondArray<T> one;
  one.data = at.data;
  one.row = at.row;
  one.plane = at.plane;
  one.before = -at.at({reach.low.x, reach.low.y, reach.low.z});
  one.size = one.before + at.size;
  const auto& of = adjoint.of_neighbours;
  for (int d = 0; d < 3; ++d) {
    ShellOf& s = one.shell;
    const Index n = s.high[d] = s.end[d] = comm::along(extents, d);
    const Index low = reach.low.along(d);
    const Index high = n + reach.high.along(d);
    const auto side = [&](int i) { return setup.part && setup.part->has_neighbour(d, i); };
    const bool is_one = comm::along(setup.whole(), d) == 1;
    const bool wraps =
        !is_one && setup.walls.front()[static_cast<std::size_t>(d)][0].kind == Wall::periodic;
    if (side(0)) s.begin[d] = s.low[d] = low;
    if (side(1)) s.high[d] = s.end[d] = high;
    if (side(0) || side(1) || (is_one && std::find(of.begin(), of.end(), array) == of.end()) ||
        (!is_one && !wraps))
      continue;
    s.begin[d] = low;
    s.end[d] = high;
    for (FaceRule<T>& face : one.faces[d])
      face.image = is_one ? Image::first : Image::wrapped;
    one.faces[d][0].place = n;
    one.faces[d][1].place = -n;
  }
  return one;
}

/// Brings what operations read around items.
template <class T>
class Surroundings {
public:
  /// Where an array of the adjoint has the first of some items.
  using Place = std::function<LayerPoints<T>(int array)>;

  /// All must outlive it.
  Surroundings(Queue& queue, const SystemSetup& setup, const SystemAdjoint& adjoint,
               const Description& chain)
      : queue_(queue), setup_(setup), adjoint_(adjoint), chain_(chain) {}

  /// Appends what an operation needs of arrays that are none of the system's, around some items of
  /// this rank: all, or those `within` a box of the whole range. Collective.
  void bring(std::vector<Bound>& to, const OperationInfo& op, const comm::Box& items,
             const std::optional<comm::Box>& within, const Place& place) {
    std::vector<BeyondArray<T>> copied;
    std::vector<comm::PaddedField> sent;
    Index most = 0;
    const Index3 extents = items.extents();
    for (int a = static_cast<int>(adjoint_.derivatives.size());
         a < static_cast<int>(chain_.arrays.size()); ++a) {
      const Reach reach = op.reach(a);
      if (reach == Reach{}) continue;
      const LayerPoints<T> at = items.empty() ? LayerPoints<T>{} : place(a);
      if (setup_.part) sent.push_back(padded(at, items, reach));
      if (items.empty()) continue;
      copied.push_back(copies_around<T>(setup_, adjoint_, a, reach, at, extents));
      most = std::max(most, copied.back().shell.count());
      if (copied.back().shell.count() == 0) copied.pop_back();
    }
    if (setup_.part) send(to, within, sent);
    if (copied.empty()) return;
    copies_.emplace_back(queue_, copied, "copies of derivatives");
    to.push_back(bind_on_faces(queue_, copies_.back(), most));
  }
  /// What an array of the system has of other ranks, as far as all its operations read.
  void bring_forward(std::vector<Bound>& to, const Description& forward,
                     const std::vector<int>& arrays, const Place& place) {
    if (!setup_.part || arrays.empty()) return;
    std::vector<comm::PaddedField> sent;
    for (const int a : arrays)
      sent.push_back(padded(place(a), {{}, setup_.extents}, reach_of_all(forward, a)));
    send(to, {}, sent);
  }

private:
  [[nodiscard]] comm::PaddedField padded(const LayerPoints<T>& at, const comm::Box& items,
                                         const Reach& reach) const {
    const auto beyond = [&](int d) {
      return Index{chain_.dimensions[static_cast<std::size_t>(d)].beyond};
    };
    const Index3 b{beyond(0), beyond(1), beyond(2)};
    const Index3 n = items.extents();
    const Index3 begin = setup_.begin();
    return {{at.data - at.at(b),
             {n.x + 2 * b.x, n.y + 2 * b.y, n.z + 2 * b.z},
             at.row,
             at.plane,
             static_cast<int>(sizeof(T))},
            {begin.x + items.begin.x - b.x, begin.y + items.begin.y - b.y,
             begin.z + items.begin.z - b.z},
            box_around({-reach.low.x, -reach.low.y, -reach.low.z},
                       {reach.high.x, reach.high.y, reach.high.z})};
  }
  void send(std::vector<Bound>& to, const std::optional<comm::Box>& within,
            const std::vector<comm::PaddedField>& fields) {
    if (fields.empty()) return;
    const SystemPart& part = *setup_.part;
    std::shared_ptr<comm::Transfer> exchange;
    if (within) {
      exchange = exchange_within(part, queue_, *within, fields);
    } else {
      exchange = std::make_shared<comm::Exchange>(*part.ranks, queue_, part.grid, fields);
    }
    if (exchange) to.emplace_back([exchange] { exchange->run(); });
  }

  Queue& queue_;
  const SystemSetup& setup_;
  const SystemAdjoint& adjoint_;
  const Description& chain_;
  std::deque<OnDevice<BeyondArray<T>>> copies_;
};

} // namespace ridge::chain
