// A kernel that Python calls: what it is, compiled when first called, and its bound programs.
#pragma once

#include <ridge/launch/program.hpp>

#include "call.hpp"
#include "latest.hpp"
#include "others_may_run.hpp"
#include "queues.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::python {

class Kernel {
public:
  /// `pattern` is "stencil", "pairs", "chain", or "near" for pairs within a cutoff, `arrays` are
  /// the names of inputs and, at last, so many `outputs`, `numbers` those of its numbers, `rank`
  /// how many dimensions they have (0: any), `description` is compiled for the host and offers a
  /// python::Describe, `file` is the kernel's source that it includes.
  Kernel(std::string name, std::string pattern, std::vector<std::string> arrays, int outputs,
         std::vector<std::string> numbers, int rank, std::string description, std::string file);

  /// Gives one launch to the queue of the arrays' device and stream. Programs that were bound
  /// before are launched again; one that was `recorded`, as by torch, and is like one of the latest
  /// is not looked at again. `device`: None, or where host arrays are computed on. Returns false,
  /// and launches nothing, where a tensor requires a gradient and nobody has recorded the call.
  bool run(nanobind::tuple arrays, nanobind::tuple numbers, std::string_view schedule,
           nanobind::object device, bool recorded);

  enum class Done { nothing, launched, launched_and_told };
  /// The same of a call as Python has it, where `numbers` are floats with this kernel's names in
  /// order, and `out` is the result, or a tuple of several. Has done nothing elsewhere. A call that
  /// is like one of the latest is not looked at again. Says whether torch was told of the write.
  Done run_as_before(const nanobind::tuple& arrays, nanobind::handle out,
                     const nanobind::dict& numbers, std::string_view schedule,
                     nanobind::object device);

  /// The record of the latest launch, as JSON.
  [[nodiscard]] std::string record();

  [[nodiscard]] const std::string& name() const { return name_; }

  struct Measured {
    int repeats = 15;
    bool check = true;
  };
  /// Times launches under each schedule that is asked for, and leaves the output as one launch
  /// does. Returns the records, as JSON.
  [[nodiscard]] std::string measure(nanobind::tuple arrays, nanobind::tuple numbers,
                                    const std::string& schedule, nanobind::object device,
                                    Measured options);

  /// Searches the fastest schedule for `seconds`, measuring `most` at most (0: as tune::search
  /// chooses), and keeps it in wisdom; `auto` is that schedule from now on. `progress`: None, or a
  /// function that is given a line about what is being done. Leaves the output as a launch does.
  /// Returns what lab::tuned_json says.
  [[nodiscard]] std::string tune(nanobind::tuple arrays, nanobind::tuple numbers,
                                 nanobind::object device, double seconds, int most,
                                 nanobind::object progress);

  /// Examines a launch, which runs, and with `prove` the cures. Leaves the output as a launch does.
  /// Returns its record with the diagnoses, as lab::record_text does.
  [[nodiscard]] std::string doctor(nanobind::tuple arrays, nanobind::tuple numbers,
                                   const std::string& schedule, nanobind::object device,
                                   bool prove);

private:
  /// A launch that is measured, and whose turn it is.
  struct Bench {
    lab::Case& the_case;
    lab::BenchRequest& request;
    Turn& turn;
  };
  /// Calls `work` with the case of a call, `schedule` in its request; the output is as it was
  /// afterwards, and then as a launch leaves it under the schedule that `work` returns.
  template <class Work>
  void on_bench(const Call& call, const std::string& schedule, const Work& work);
  [[nodiscard]] Call ask(nanobind::tuple arrays, nanobind::tuple numbers, nanobind::object device,
                         Gradients gradients = Gradients::refused) const;
  [[nodiscard]] std::unique_ptr<lab::Case> describe(const Call& asked, Turn& turn);
  [[nodiscard]] std::shared_ptr<const Program> bind(const Call& asked, Turn& turn,
                                                    std::string_view schedule);
  /// Gives a launch to a graph that is recorded. It is bound anew: programs of queues share memory
  /// that no two graphs may have.
  void record_in(Recording& recording, const Call& asked, std::string_view schedule);
  [[nodiscard]] lab::AskedSchedule meant(const Call& asked, std::string_view schedule,
                                         lab::Case& the_case);
  [[nodiscard]] Describe& describer(const std::vector<Array>& arrays);

  /// Throws UsageError, in Python's words, for arrays that do not fit each other.
  void check_arrays(const Call& asked) const;
  [[nodiscard]] bool is_stencil() const { return pattern_ == "stencil"; }
  [[nodiscard]] bool is_near() const { return pattern_ == "near"; }

  /// As above; keeps a launch that was bound before as one of the latest, where `outline` is of it.
  bool run(nanobind::tuple arrays, nanobind::tuple numbers, std::string_view schedule,
           nanobind::object device, bool recorded, const Outline* outline);
  /// Runs one of the latest calls that is like this one, if there is any.
  [[nodiscard]] bool run_again(const Outline& outline);
  void keep(const Outline& outline, const Call& asked, std::string_view schedule,
            std::shared_ptr<const Program> program, Turn& turn);

  /// What calls have found out.
  struct Found {
    std::array<Describe*, 2> describe{}; ///< of fp64, and of fp32
    std::unordered_map<std::string, std::shared_ptr<const Program>> programs;
    std::unordered_map<std::string, lab::AskedSchedule> meant; ///< whatever the numbers are
    std::shared_ptr<const Program> latest;
    std::optional<Record> latest_record;                   ///< where that belongs to a graph
    std::array<std::shared_ptr<Repeatable>, 8> repeatable; ///< the latest calls
    std::size_t next = 0;                                  ///< of these, that is replaced
  };

  std::string name_, pattern_;
  std::vector<std::string> arrays_, numbers_;
  std::vector<nanobind::object> number_names_; ///< of Python, which has each text once
  std::size_t outputs_;
  int rank_;
  std::string description_, file_;
  OfThisProcess<Found> found_; ///< under moments()
};

} // namespace ridge::python
