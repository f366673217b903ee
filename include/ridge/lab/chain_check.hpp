// Comparing what a chain writes with the reference.
#pragma once

#include <ridge/chain/reference.hpp>
#include <ridge/chain/request.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lab/stencil_check.hpp>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

namespace ridge::lab {

/// Every byte of an output before it is written.
inline constexpr unsigned char chain_poison = 0xff;

/// Rounding of a few dozen operations, relative to the largest value of the result.
template <class T>
inline constexpr double chain_tolerance = 64 *
                                          static_cast<double>(std::numeric_limits<T>::epsilon());

/// The elements of a view, on the host and without gaps.
template <class T>
[[nodiscard]] std::vector<T> packed(Queue& queue, const View<T>& view) {
  std::vector<T> all(static_cast<std::size_t>(view.span()));
  copy_to_host(queue, all.data(), static_cast<const T*>(view.data), view.span());
  queue.wait();
  const Index3 n = view.extents;
  std::size_t to = 0; // never behind what is still to be read
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x)
        all[to++] = all[static_cast<std::size_t>(view.at(x, y, z))];
    }
  }
  all.resize(to);
  return all;
}

/// Compares the last array of a chain, whose memory was poisoned before, with the reference: the
/// items of the last operation's domain within rounding, the others still poisoned.
template <class C, class T>
[[nodiscard]] Check check_chain(Queue& queue, const chain::Request<C, T>& request) {
  constexpr auto last = static_cast<std::size_t>(chain::arrays_of<C> - 1);
  static_assert(C::arrays[last].role == chain::Role::output);
  std::array<std::vector<double>, chain::arrays_of<C>> right;
  for (std::size_t i = 0; i < last; ++i) {
    if (C::arrays[i].role == chain::Role::temporary) continue;
    const std::vector<T> given = packed(queue, request.views.all()[i]);
    right[i].assign(given.begin(), given.end());
  }
  const Index3 n = request.extents;
  chain::apply_reference(request.chain, n, right);
  const std::vector<T> found = packed(queue, request.views.all()[last]);
  constexpr chain::Domain d = chain::domain_of<chain::Operation<C, chain::operations_of<C> - 1>>();
  T untouched;
  std::memset(&untouched, chain_poison, sizeof(T));
  Deviation total;
  std::size_t i = 0;
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x, ++i) {
        Deviation one;
        one.worst = one.first_changed = {x, y, z};
        if (x >= d.begin.x && x < n.x + d.end.x && y >= d.begin.y && y < n.y + d.end.y &&
            z >= d.begin.z && z < n.z + d.end.z) {
          one.scale = std::abs(right[last][i]);
          one.max_error = std::abs(static_cast<double>(found[i]) - right[last][i]);
          one.nan = std::isnan(one.max_error);
          if (one.nan) one.max_error = 0;
        } else if (std::memcmp(&found[i], &untouched, sizeof(T)) != 0) {
          one.changed = 1;
        }
        total.add(one);
      }
    }
  }
  return judge(total, chain_tolerance<T>);
}

} // namespace ridge::lab
