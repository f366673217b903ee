// Bodies that change ranks, on their devices: the host hears of keys and numbers only.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/device/field.hpp>
#include <ridge/spatial/sort.hpp>

#include "domains.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace ridge::nbody {

/// Values of a body that go with it, of which the first three are its position.
inline constexpr int moved_columns = 11;

/// Arguments of a launch for bodies that change ranks.
template <class T>
struct MovedBodies {
  Index count = 0; ///< of the bodies here
  std::array<Span<T>, moved_columns> columns;
  Span<std::uint32_t> bodies; ///< their numbers
  Domains::Cube cube;
  Span<std::uint64_t> keys, sorted_keys;
  Span<std::uint32_t> order;
  Span<const std::uint64_t> end_keys; ///< the last place of each domain but the last one
  Span<const std::uint32_t> end_bodies;
  /// A body's, and one more: 1 if it is of `domain`; then, those before.
  Span<std::uint32_t> marks;
  Index domain = 0;
  /// Values that go to a domain or come from one; which bodies here they begin with.
  Span<T> piece;
  Span<std::uint32_t> piece_bodies;
  Index first = 0;
};

enum class MovedStep {
  places, ///< keys along the curve
  mark,
  pack,
  unpack
};

/// Offered by each kind's module under MovedBodies<T>, for float and double: a step in queue
/// order.
template <class T>
using MoveBetweenRanks = void(Queue& queue, MovedStep step, const MovedBodies<T>& moved);

/// Domains::divide of bodies on a device. Calls are collective.
template <class T>
class BodyExchange {
public:
  using Columns = std::array<Field<T>*, moved_columns>;

  BodyExchange(Queue& queue, comm::Communicator& ranks, Domains& domains);

  /// Gives each body to the rank in whose domain it is, in the order of Domains::divide. `low` and
  /// `high` are corners of the box of own bodies. Fields have as many values as there are bodies
  /// here then: others where that is another number. Waits.
  void divide(const Columns& columns, const std::array<T, 3>& low, const std::array<T, 3>& high);
  [[nodiscard]] Bytes held() const;

private:
  [[nodiscard]] std::vector<Domains::Place> find_ends();
  [[nodiscard]] std::vector<Index> pack();
  void exchange(const Columns& columns, const std::vector<Index>& sizes);
  void step(MovedStep step) { move_(queue_, step, call_); }

  Queue& queue_;
  comm::Communicator& ranks_;
  Domains& domains_;
  comm::Endpoint at_;
  spatial::Sorter sorter_;
  MoveBetweenRanks<T>* move_;
  MovedBodies<T> call_;
  Memory host_keys_;
  std::array<Field<std::uint64_t>, 3> keys_;
  std::array<Field<std::uint32_t>, 2> order_;
  Field<std::uint64_t> end_keys_;
  Field<std::uint32_t> bodies_, end_bodies_, marks_, going_bodies_, coming_bodies_;
  Field<T> going_, coming_;
};

} // namespace ridge::nbody
