// Compiled once per device kind: bodies that change ranks.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/hilbert.hpp>
#include <ridge/spatial/items.hpp>

#include "moved_bodies.hpp"

namespace ridge::nbody {

namespace dividing::inline RIDGE_TARGET_NAME {

/// As Domains::places has it.
template <class T>
struct FindPlace {
  static constexpr const char* name = "n-body places along the curve";
  MovedBodies<T> m;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    constexpr double cells = std::uint32_t{1} << spatial::most_levels;
    std::uint32_t cell[3] = {};
    for (int c = 0; c < 3 && m.cube.side > 0; ++c) {
      const auto x = static_cast<double>(access.load(Span<const T>(m.columns[c]), i));
      const double at = (x - m.cube.low[c]) / m.cube.side * cells;
      if (at > 0) cell[c] = static_cast<std::uint32_t>(at < cells - 1 ? at : cells - 1); // NaN: 0
    }
    const std::uint64_t key = spatial::hilbert_key(cell[0], cell[1], cell[2], spatial::most_levels);
    access.store(m.keys, i, key);
    access.store(m.sorted_keys, i, key);
    access.store(m.order, i, static_cast<std::uint32_t>(i));
  }
};

template <class T>
struct MarkBody {
  static constexpr const char* name = "n-body bodies of a domain";
  MovedBodies<T> m;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const std::uint64_t key = access.load(Span<const std::uint64_t>(m.keys), i);
    const std::uint32_t body = access.load(Span<const std::uint32_t>(m.bodies), i);
    Index domain = 0; // the first that ends with this place or a later one
    while (domain < m.end_keys.size) {
      const std::uint64_t end_key = access.load(m.end_keys, domain);
      if (key < end_key || (key == end_key && body <= access.load(m.end_bodies, domain))) break;
      ++domain;
    }
    access.store(m.marks, i, domain == m.domain ? 1u : 0u);
  }
};

template <class T>
struct PackBody {
  static constexpr const char* name = "n-body bodies for a domain";
  MovedBodies<T> m;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    const std::uint32_t to = access.load(m.marks, i);
    if (access.load(m.marks, i + 1) == to) return;
    for (int c = 0; c < moved_columns; ++c)
      access.store(m.piece, m.piece_bodies.size * c + to,
                   access.load(Span<const T>(m.columns[c]), i));
    access.store(m.piece_bodies, to, access.load(Span<const std::uint32_t>(m.bodies), i));
  }
};

template <class T>
struct UnpackBody {
  static constexpr const char* name = "n-body bodies of a domain in place";
  MovedBodies<T> m;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index n) const {
    const Index i = m.first + n;
    for (int c = 0; c < moved_columns; ++c)
      access.store(m.columns[c], i, access.load_written(m.piece, m.piece_bodies.size * c + n));
    access.store(m.bodies, i, access.load_written(m.piece_bodies, n));
  }
};

template <class T>
void move_bodies_of(Queue& queue, MovedStep step, const MovedBodies<T>& m) {
  switch (step) {
  case MovedStep::places:
    spatial::for_each_item(queue, m.count, FindPlace<T>{m});
    break;
  case MovedStep::mark:
    spatial::for_each_item(queue, m.count, MarkBody<T>{m});
    break;
  case MovedStep::pack:
    spatial::for_each_item(queue, m.count, PackBody<T>{m});
    break;
  case MovedStep::unpack:
    spatial::for_each_item(queue, m.piece_bodies.size, UnpackBody<T>{m});
    break;
  }
}

const Offer floats(kind_of<Here>, typeid(MovedBodies<float>), &move_bodies_of<float>);
const Offer doubles(kind_of<Here>, typeid(MovedBodies<double>), &move_bodies_of<double>);

} // namespace dividing::inline RIDGE_TARGET_NAME

} // namespace ridge::nbody
