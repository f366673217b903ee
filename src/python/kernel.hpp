// A kernel that Python calls: what it is, compiled when first called, and its bound programs.
#pragma once

#include <ridge/launch/program.hpp>

#include "arrays.hpp"
#include "queues.hpp"

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::python {

class Kernel {
public:
  /// `arrays` are the names of inputs and output, `rank` how many dimensions they have (0: any),
  /// `description` is compiled for the host and offers
  /// a MakeCase, `file` is the kernel's source that it includes.
  Kernel(std::string name, std::vector<std::string> arrays, int rank, std::string description,
         std::string file);

  /// Gives one launch to the queue of the arrays' device and stream. Programs that were bound
  /// before are launched again. `device`: None, or where host arrays are computed on.
  void run(nanobind::tuple arrays, nanobind::tuple numbers, std::string_view schedule,
           nanobind::object device);

  /// The record of the latest launch, as JSON.
  [[nodiscard]] std::string record() const;

  struct Measured {
    int repeats = 15;
    bool check = true;
  };
  /// Times launches under each schedule that is asked for, and leaves the output as one launch
  /// does. Returns the records, as JSON.
  [[nodiscard]] std::string measure(nanobind::tuple arrays, nanobind::tuple numbers,
                                    const std::string& schedule, nanobind::object device,
                                    Measured options);

private:
  struct Asked;
  [[nodiscard]] Asked ask(nanobind::tuple arrays, nanobind::tuple numbers,
                          nanobind::object device) const;
  [[nodiscard]] std::unique_ptr<lab::Case> make_case(const Asked& asked, Turn& turn);
  [[nodiscard]] std::shared_ptr<const Program> bind(const Asked& asked, Turn& turn,
                                                    const std::string& schedule);
  [[nodiscard]] MakeCase& maker();

  std::string name_;
  std::vector<std::string> arrays_;
  int rank_;
  std::string description_, file_;
  mutable std::mutex guard_; ///< of what follows
  MakeCase* make_ = nullptr;
  std::unordered_map<std::string, std::shared_ptr<const Program>> programs_;
  std::shared_ptr<const Program> latest_;
};

} // namespace ridge::python
