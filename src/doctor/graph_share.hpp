// What a launch costs in a graph.
#pragma once

namespace ridge::doctor {

/// Of a launch's own cost, where many are given to the device as one graph: of ten, 11.3 us instead
/// of 33.4 (docs/results/h200/chain-10-10000.json).
inline constexpr double graph_share = 0.34;

} // namespace ridge::doctor
