// Systems of several fields over arrays of Python.
#pragma once

#include <ridge/chain/system/on_arrays.hpp>

#include "python/call.hpp"
#include "python/others_may_run.hpp"
#include "python/queues.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ridge::python {

using System = chain::SystemOnArrays;

class Systems {
public:
  /// `arrays` are the names of the inputs, of which the first `states` change, `numbers` those of
  /// its numbers, `rank` how many dimensions they have, `description` is compiled for the host and
  /// offers a System::Describe, `file` is the chain's source that it includes. `boundary` is what
  /// chain::parse_walls reads, `spacing` what derivatives at faces are by, x first. Throws
  /// UsageError for a boundary that there is not.
  Systems(std::string name, std::vector<std::string> arrays, std::vector<std::string> numbers,
          int rank, int states, std::string description, std::string file, std::string boundary,
          const std::array<double, 3>& spacing);

  /// Numbers with a value for each step, by name.
  using Tables = std::vector<std::pair<std::string, std::vector<double>>>;

  /// So many steps from the arrays, one an input; the first hold the result afterwards. Ctrl-C ends
  /// it between steps, and the arrays then hold what `steps` of this run gave.
  void run(nanobind::tuple arrays, nanobind::tuple numbers, const std::string& schedule,
           nanobind::object device, Index steps, const Tables& by_step);
  /// Of the latest run: those that were done.
  [[nodiscard]] Index steps();
  /// Of a step of the latest run. JSON.
  [[nodiscard]] std::string record();
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  /// What runs have made, one at a time.
  struct Made {
    std::mutex guard; ///< of what follows
    System::Describe* describe = nullptr;
    std::string key; ///< what `system` depends on
    std::unique_ptr<System> system;
    std::atomic<Index> steps{0};
    double seconds = 0; ///< of the latest run
  };
  [[nodiscard]] Made& made();
  [[nodiscard]] System& begin(Made& made, const Call& call, const std::string& schedule, Turn& turn,
                              const Tables& by_step) const;
  void take(Made& made, Index steps) const;

  std::string name_;
  std::vector<std::string> arrays_, numbers_;
  int rank_;
  std::size_t states_;
  std::string description_, file_, boundary_;
  std::array<double, 3> spacing_;
  OfThisProcess<Made> made_; ///< under moments()
};

} // namespace ridge::python
