// A case over ranks: one kernel on all ranks together. What it does is collective.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/record/record.hpp>

#include <functional>
#include <string>

namespace ridge::lab {

class RankCase {
public:
  RankCase() = default;
  RankCase(const RankCase&) = delete;
  RankCase& operator=(const RankCase&) = delete;
  virtual ~RankCase() = default;

  [[nodiscard]] virtual Queue& queue() = 0;
  /// Binds the launch; once.
  virtual void bind() = 0;
  /// One launch; its exchange alone, and what it computes alone.
  virtual void run() = 0;
  virtual void run_exchange() = 0;
  virtual void run_compute() = 0;
  /// Whether ranks send each other anything.
  [[nodiscard]] virtual bool exchanges() const { return true; }
  /// The ceiling that records compare with.
  [[nodiscard]] virtual std::string roof_name() const { return "copy"; }
  /// Poisons results and halos, launches once, and compares: what came from other ranks with what
  /// they hold, bit for bit, and the results with the reference. The verdict is that of all ranks.
  [[nodiscard]] virtual Check check() = 0;
  /// Of all ranks together, untimed.
  [[nodiscard]] virtual Record record() = 0;
  /// Extents of what the busiest rank owns.
  [[nodiscard]] virtual Extents share() const = 0;
};

/// What to run over ranks.
struct RankRequest {
  std::string grid;     ///< PxQxR; empty: the one with least exchange
  bool scaling = false; ///< also one rank alone, with all of it and with a share
};

/// Runs a kernel over all ranks: checked, timed, exchange and computation also apart. The record is
/// the same on all ranks. Throws UsageError for kernels that run on one rank only.
[[nodiscard]] Record bench_ranks(const BenchKernel& kernel, const BenchRequest& request,
                                 const RankRequest& asked, comm::Communicator& ranks);

/// The worst of the ranks' checks, with the rank that found it.
[[nodiscard]] Check worst_of(comm::Communicator& ranks, const Check& mine);

} // namespace ridge::lab
