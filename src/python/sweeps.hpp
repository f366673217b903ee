// Many sweeps of a stencil over arrays of Python.
#pragma once

#include <ridge/stencil/sweeps_on_arrays.hpp>

#include "call.hpp"
#include "others_may_run.hpp"
#include "queues.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ridge::python {

using RunningSweeps = stencil::SweepsOnArrays;

class Sweeps {
public:
  /// `arrays` are the names of the inputs, `numbers` those of its numbers, `rank` how many
  /// dimensions they have (0: any), `description` is compiled for the host and offers a
  /// RunningSweeps::Describe, `file` is the kernel's source that it includes. `boundary` is what
  /// parse_boundaries reads, `spacing` what derivatives at faces are by, x first.
  /// `points`, x first, are those of a field that all ranks have together; none: this process has
  /// all of its own. Throws UsageError for a boundary that there is not.
  Sweeps(std::string name, std::vector<std::string> arrays, std::vector<std::string> numbers,
         int rank, std::string description, std::string file, const std::string& boundary,
         const std::array<double, 3>& spacing, const std::vector<Index>& points);

  /// So many steps from the arrays, one an input; those of the time levels hold the result
  /// afterwards. Ctrl-C ends it between steps, and the arrays then hold what `steps` of this run
  /// gave. On a GPU it returns when all is queued.
  void run(nanobind::tuple arrays, nanobind::tuple numbers, const std::string& schedule,
           nanobind::object device, Index steps);
  /// The first point that this rank owns of the whole field, the one behind the last, and the grid
  /// of ranks, x first. Throws UsageError where there are too few points for the ranks.
  [[nodiscard]] std::array<std::array<Index, 3>, 3> part();
  /// Of the latest run: those that were done.
  [[nodiscard]] Index steps();
  /// Of a sweep of the latest run, or of a pass of several; timed where the run was not queued on
  /// a GPU. JSON.
  [[nodiscard]] std::string record();
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  /// What runs have made, one at a time.
  struct Made {
    std::mutex guard; ///< of what follows
    RunningSweeps::Maker maker;
    std::string key;                      ///< what `sweeps` depends on
    std::shared_ptr<Recording> recording; ///< whose queue `sweeps` uses, if any
    std::shared_ptr<RunningSweeps> sweeps;
    std::atomic<Index> steps{0};
    double seconds = 0; ///< of the latest run; 0: not timed
  };
  [[nodiscard]] Made& made();
  [[nodiscard]] const RunningSweeps::Maker& maker(Made& made) const;
  [[nodiscard]] RunningSweeps& begin(Made& made, const Call& call, const std::string& schedule,
                                     Turn& turn) const;
  [[nodiscard]] RunningSweeps& begin_in(Made& made, const std::shared_ptr<Recording>& recording,
                                        const Call& call, const std::string& schedule) const;
  void take(Made& made, Turn& turn, Index steps) const;

  std::string name_;
  std::vector<std::string> arrays_, numbers_;
  int rank_;
  std::string description_, file_;
  RunningSweeps::Field field_;
  OfThisProcess<Made> made_; ///< under moments()
};

} // namespace ridge::python
