// Regions: the items a run computes for a tile.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

#include <type_traits>

namespace ridge::chain {

/// Items [begin, end) along each dimension.
struct Box {
  Index begin[3] = {0, 0, 0};
  Index end[3] = {1, 1, 1};
  [[nodiscard]] RIDGE_FN bool empty() const {
    return begin[0] >= end[0] || begin[1] >= end[1] || begin[2] >= end[2];
  }
};

/// Along one dimension of n items, what an operation of that domain computes of the tile
/// [begin, end): its own items, `low` before and `high` behind them.
template <class I>
RIDGE_FN void own_items(std::type_identity_t<I> n, int domain_begin, int domain_end,
                        std::type_identity_t<I> begin, std::type_identity_t<I> end, I& from,
                        I& to) {
  from = begin < domain_begin || begin == 0 ? domain_begin : begin;
  to = end >= n ? n + domain_end : end;
  if (to > n + domain_end) to = n + domain_end;
}
RIDGE_FN void grown_items(Index n, int domain_begin, int domain_end, bool periodic, int low,
                          int high, Index& from, Index& to) {
  from -= low;
  to += high;
  if (periodic) return;
  if (from < domain_begin) from = domain_begin;
  if (to > n + domain_end) to = n + domain_end;
}

} // namespace ridge::chain
