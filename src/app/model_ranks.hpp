// `ridge model --ranks`: scaling on paper.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/core/units.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::app {

/// What messages between two ranks cost.
struct Network {
  double latency = 0;          ///< seconds of a small message
  double bytes_per_second = 0; ///< each way, both ways at once
};
/// The slowest link of what `ridge roof --json` printed over ranks. Throws UsageError for other
/// files.
[[nodiscard]] Network read_network(const std::string& file);

/// A step over ranks, as predicted.
struct RankStep {
  int ranks = 1;
  Index3 grid;
  Seconds compute;             ///< of the share of a rank
  Seconds exchange;            ///< of the halos of the busiest rank
  Seconds step;                ///< the longer of exchange and what needs no halo, then the rest
  double strong = 0, weak = 0; ///< efficiencies
};

/// Predicts steps for 1, 2, 4, ... and `most` ranks. `launch` predicts a launch on a box of so many
/// points; `elements` are the bytes that a point of each input takes together.
[[nodiscard]] std::vector<RankStep> predict_ranks(int most, Index3 points, const comm::Reach& reach,
                                                  int elements, const Network& network,
                                                  const std::function<Seconds(Index3)>& launch);

} // namespace ridge::app
