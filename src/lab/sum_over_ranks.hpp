// Cases of reproducible sums over ranks, which have one schedule.
#pragma once

#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/pattern/case.hpp>

#include <string>
#include <utility>

namespace ridge::lab {

using lattice::RankLattice;

/// The sites of this rank of the request's world.
[[nodiscard]] inline RankLattice part_of_rank(const BenchRequest& request, const std::string& name,
                                              int width) {
  return {request.size, shares_grid(request.world, request.size, name), request.world.ranks->rank(),
          0, width};
}

class SumOverRanks : public Case, protected comm::Step {
public:
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    if (s.text != "auto") {
      throw UsageError("--schedule " + s.text + ": over ranks " + name_ +
                       " runs under one schedule; give auto");
    }
    return program_of_ranks();
  }
  [[nodiscard]] comm::Step* ranks() override { return this; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(part_.whole(), part_.ranks());
  }

protected:
  SumOverRanks(std::string name, const BenchRequest& request, const RankLattice& part)
      : name_(std::move(name)), precision_(request.precision), ranks_(*request.world.ranks),
        part_(part) {}

  void run() final {
    run_compute();
    run_exchange();
  }

  std::string name_, precision_;
  comm::Communicator& ranks_;
  RankLattice part_;
};

} // namespace ridge::lab
