// A run of bodies, from its options to its last step.
#pragma once

#include <ridge/device/device.hpp>

#include "../core/refuse.hpp"
#include "bodies_file.hpp"
#include "options.hpp"
#include "run.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ridge::app {

/// What the user gave; what is absent has a default, or comes from the run that goes on.
struct BodiesOptions {
  std::string input, output, restart, device, schedule;
  std::optional<std::uint64_t> seed;
  std::optional<double> dt;
  std::optional<std::string> precision;
  Index steps = 1000;
  std::optional<Index> every;
  bool overwrite = false, json = false;

  /// Throws UsageError unless there is one start, `made` being how many are not of a file, and for
  /// numbers that --steps and --every do not take.
  void require_one_start(int made, const char* starts) const {
    const int given = made + (input.empty() ? 0 : 1) + (restart.empty() ? 0 : 1);
    refuse_if(given != 1, "{}: give {}, one of them",
              given == 0 ? "nothing to start from" : "several starts", starts);
    refuse_if(steps < 0, "--steps {}: it must not be negative", steps);
    refuse_if(every && *every < 1, "--every {}: at least 1 is needed", every.value_or(1));
  }
  void require_output() const {
    refuse_if(output.empty() && !(input.empty() && restart.empty()),
              "-o FILE.h5 is needed: where snapshots go");
  }
};

/// Rank 0 alone has a file, and none where there is no output.
template <class Facts, class State>
class BodiesRun : protected Run {
protected:
  BodiesRun(const BodiesOptions& options, BodiesBeginning<Facts, State> beginning)
      : Run(comm::world()), run_(std::move(beginning.run)), now_(std::move(beginning.at)),
        options_(options), files_(std::move(beginning.files)) {
    refuse_if(options.steps > most_steps - now_.step, "--steps {}: a run has at most {} steps",
              options.steps, most_steps);
    plan(now_.step, now_.step + options.steps,
         options.every.value_or(std::max<Index>(1, options.steps / 10)));
  }

  [[nodiscard]] bool goes_on() const { return !options_.restart.empty(); }
  void claim_output() {
    if (!options_.output.empty() && ranks_.rank() == 0)
      file_.emplace(options_.output, files_, options_.overwrite);
  }
  /// The schedule to ask for. A run that goes on where it was takes its own, if it `can`.
  [[nodiscard]] std::string schedule_on(const Device& device, bool can) const {
    if (!options_.schedule.empty()) return options_.schedule;
    return goes_on() && can && to_text(device.id()) == run_.device ? run_.schedule : "auto";
  }
  void set_device(const Device& device, const std::string& schedule) {
    run_.device = to_text(device.id());
    run_.device_name = device.facts().name;
    run_.schedule = schedule;
  }
  /// `add` writes the present state to a file.
  template <class Add>
  void write_state(const Add& add) {
    if (file_) write([&] { add(*file_); }, [&] { return kept(); });
  }
  /// What the output has, at the end of what is said of an error.
  [[nodiscard]] std::string kept() const { return file_ ? file_->kept() : ""; }
  /// The files that are left; empty where there are none.
  [[nodiscard]] std::string written() const { return file_ ? file_->text() : ""; }

  Facts run_;
  State now_;

private:
  [[nodiscard]] std::string kept_in() const override {
    return options_.output.empty() ? "" : options_.output + " keeps it";
  }
  [[nodiscard]] std::string doing() const override { return "integrating"; }
  /// Looking changes no bit of what follows.
  [[nodiscard]] bool remembers() override {
    if (kept_in().empty()) return true;
    if (now_.step != step() && is_slow()) look();
    return now_.step == step();
  }

  const BodiesOptions& options_;
  std::vector<std::filesystem::path> files_;
  std::optional<BodiesFile> file_;
};

} // namespace ridge::app
