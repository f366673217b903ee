// A launch over ranks whose interior runs beside the exchange that its other items wait for.
#pragma once

#include <ridge/chain/system/kernel.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/exchange.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace ridge::chain {

struct SplitLaunch {
  Bound faces;                  ///< sets points beyond faces that show nothing of other ranks
  std::optional<Program> inner; ///< items that read nothing of other ranks
  std::unique_ptr<comm::Exchange> exchange;
  Bound halo_faces;           ///< the points beyond faces that halos show, on its queue
  std::vector<Program> outer; ///< the other items, on its queue

  void run(StepPart part) const {
    if (!exchange) {
      if (part == StepPart::exchange) return;
      if (faces) faces.run();
      inner->run();
      return;
    }
    if (part == StepPart::exchange) {
      exchange->run();
      return;
    }
    // Messages begin first: behind an interior they wait until all of its blocks are given out.
    const bool sends = part == StepPart::all;
    if (sends) exchange->begin();
    if (faces) faces.run();
    exchange->fork(); // items at the ends read what faces show
    if (inner) inner->run();
    if (sends) exchange->receive();
    if (halo_faces) halo_faces.run();
    for (const Program& one : outer)
      one.run();
    exchange->join();
  }
};

/// Of an array whose shell lies around what a rank owns: the parts of it beyond the sides that
/// other ranks have.
template <class T>
[[nodiscard]] std::vector<BeyondArray<T>> halo_faces_of(const BeyondArray<T>& array,
                                                        const SystemPart& part) {
  std::vector<BeyondArray<T>> all;
  const Index3 owned = part.owned().extents();
  for (int d = 0; d < 3; ++d) {
    for (int side = 0; side < 2; ++side) {
      if (!part.has_neighbour(d, side)) continue;
      BeyondArray<T> one = array;
      ShellOf& s = one.shell;
      (side == 0 ? s.end : s.begin)[d] = side == 0 ? 0 : comm::along(owned, d);
      s.low[d] = s.begin[d];
      s.high[d] = s.end[d];
      if (s.end[d] > s.begin[d] && s.count() > 0) all.push_back(one);
    }
  }
  return all;
}

} // namespace ridge::chain
