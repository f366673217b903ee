// Cases of reproducible sums over ranks, which have one schedule.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/pattern/case.hpp>

#include <string>
#include <utility>

namespace ridge::lattice {

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
    return comm::greatest_share(part_.whole(), part_.ranks());
  }

protected:
  SumOverRanks(std::string name, std::string precision, comm::Communicator& ranks,
               const RankLattice& part)
      : name_(std::move(name)), precision_(std::move(precision)), ranks_(ranks), part_(part) {}

  void run() final {
    run_compute();
    run_exchange();
  }

  std::string name_, precision_;
  comm::Communicator& ranks_;
  RankLattice part_;
};

} // namespace ridge::lattice
