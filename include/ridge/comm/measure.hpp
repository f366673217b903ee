// Timing what all ranks do together.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/record/measure.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::comm {

/// Times `step`, which each rank gives to its queue: each repeat begins when all ranks are ready
/// and ends when the last is done. Steps that take less than a millisecond are timed in batches.
/// All ranks make the same steps. Collective.
[[nodiscard]] Timing measure_ranks(Communicator& communicator, Queue& queue,
                                   const std::function<void()>& step,
                                   const MeasureOptions& options = {});

/// The cost of a message between rank 0 and another.
struct Link {
  int rank = 1;
  std::string where; ///< "same machine", "other machine"
  Carrier carrier = Carrier::host;
  Seconds latency;      ///< of 8 bytes, one way: half of there and back
  double one_way = 0;   ///< B/s of a large message
  double both_ways = 0; ///< B/s each way, of two large messages at once
  /// Both ways at once, by bytes: what a halo exchange of that size takes.
  struct Exchange {
    Bytes size;
    Seconds seconds;
  };
  std::vector<Exchange> exchanges;
};

/// Measures rank 0 with another rank of its machine, and with one of another where there is one, on
/// memory of the device. Collective; the same on all ranks. None where there is one rank.
[[nodiscard]] std::vector<Link> measure_links(Communicator& communicator, Queue& queue, bool quick);

} // namespace ridge::comm
