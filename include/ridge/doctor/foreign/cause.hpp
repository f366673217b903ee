// Why a kernel that is not Ridge's is slow: causes as rows, each a number against a threshold, what
// its cure brings at most, and an experiment that confirms it.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::doctor {

/// How busy the units of a device are, shares of a launch's time. A launch takes at least as long
/// as its busiest unit.
struct Busy {
  double memory = 0, cache = 0, unit_cache = 0, shared = 0, atomics = 0;
  double issue = 0, fp64 = 0, fp32 = 0, integer = 0, special = 0, tensor = 0;

  [[nodiscard]] double most() const;
  /// The unit that is the limit, and how busy it is.
  [[nodiscard]] std::pair<double, std::string_view> busiest() const;
};
[[nodiscard]] Busy busy_of(const LaunchCounts& counts);
/// A launch none of whose units is busy for this share of its time waits for latencies.
inline constexpr double busy_enough = 0.6;
/// Share of its peak that a unit can reach in practice.
inline constexpr double within_reach = 0.85;
/// Causes that save less than a twentieth are not worth a line.
inline constexpr double least_gain = 1 / (1 - 0.05);

/// Evidence that a cause looks at.
struct Subject {
  const Foreign& all;
  const ForeignKernel* kernel = nullptr; ///< null: the program as a whole
  Busy busy = {};
  double least_bytes = 0;          ///< of a launch; 0: not known
  bool least_is_allocated = false; ///< it is all that was allocated: a launch needs less

  [[nodiscard]] const LaunchCounts& counts() const { return kernel->counts; }
  /// Time now over time then, where units are as busy as `then` says: the busiest of them decides.
  [[nodiscard]] double gain(const Busy& then) const;
  /// How busy the last-level cache is where these shares of its hits and of its misses are left.
  [[nodiscard]] double cache_left(double hits, double misses) const;
  /// Counters without which nobody knows that no unit is busy, in words; empty where all are there.
  [[nodiscard]] std::string_view uncounted() const;
  /// That of a launch which waits, where `factor` times as much is under way.
  [[nodiscard]] double gain_of_more_under_way(double factor) const;
};

enum class CauseOf { kernel, program, processor };

struct ForeignCause {
  std::string_view name;  ///< "uncoalesced"
  std::string_view title; ///< one line
  std::string_view unit;  ///< of the evidence
  double threshold = 0;
  bool above = true; ///< found where the evidence is above the threshold, else below
  CauseOf of = CauseOf::kernel;
  /// Nothing where its counters are not there, or the cause cannot be.
  Counted (*evidence)(const Subject&) = nullptr;
  /// Time now over time without the cause, at most.
  double (*gain)(const Subject&, double evidence) = nullptr;
  /// Figures that the gain needs and are not known, in words; empty where all is. Null: it needs
  /// how busy the device's units are.
  std::string_view (*missing)(const Subject&) = nullptr;
  std::string_view experiment; ///< what confirms it
  /// Where the experiment is the program with variables set, "NAME=VALUE ...", or under a command:
  /// it is run by --prove, and confirms the cause where the time without over that with it is at
  /// least `trial_gain`. CORES stands for the number of cores.
  std::string_view trial;
  double trial_gain = 1;
  bool trial_of_span = false; ///< the times are the device's, from its first activity to its last
  /// The twin that --prove runs, in words; and where there is neither, why.
  std::string_view twin, unproved;
  std::string_view action; ///< what to do

  [[nodiscard]] bool found(double value) const {
    return above ? value > threshold : value < threshold;
  }
};

/// All of them, in the order in which equal gains are told.
[[nodiscard]] const std::vector<ForeignCause>& foreign_causes();

struct ForeignDiagnosis {
  const ForeignCause* cause = nullptr;
  double evidence = 0, gain = 1;
  std::string_view missing = {}; ///< why the gain is not known; empty where it is
};

/// The causes that hold for a kernel, the largest gain first; a gain below 3 % is none. Those whose
/// gain is not known come last.
/// `least_bytes`: that a launch must move at least; 0: not known, then bounded by all that was
/// allocated.
[[nodiscard]] std::vector<ForeignDiagnosis>
diagnose_kernel(const Foreign& all, const ForeignKernel& kernel, double least_bytes);
/// Those of the program as a whole: gaps between kernels, or a cpu's.
[[nodiscard]] std::vector<ForeignDiagnosis> diagnose_run(const Foreign& all);

} // namespace ridge::doctor
