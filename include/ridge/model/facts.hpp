// Facts of a launch of any pattern: numbers, modelled or measured.
#pragma once

#include <ridge/model/time.hpp>
#include <ridge/record/record.hpp>

#include <optional>
#include <string>

namespace ridge::model {

/// One run of a launch on a described device. Bytes, operations and instructions are those of a
/// run.
struct Facts {
  Description device;

  double least_read = 0, least_written = 0; ///< bytes that the work asks for
  double repeated = 0;                      ///< bytes fetched again since the cache had lost them
  double partial = 0;   ///< bytes read since stores cover sectors or lines only in part
  double fill_cost = 1; ///< that one of these has, in bytes of a copy
  double staged = 0;    ///< bytes of results between passes, written and read again
  double spilled = 0;   ///< bytes of registers, written and read again
  bool in_cache =
      false; ///< all of it fits the last-level cache: a run before may have left it there

  double asked = 0;        ///< bytes that threads ask of the last-level cache; 0: not known
  double cache_share = 1;  ///< of its bandwidth that they can have
  double sector_bytes = 1; ///< bytes of the sectors that a warp touches, for each that it asks for

  double flops = 0;
  int element_bytes = 8;
  double instructions = 0;       ///< of warps; 0: not known
  double least_instructions = 0; ///< of the leanest form of the kernel; 0: not known
  bool branches = false;         ///< what is above the least is of branches, not of another form

  double launches = 1;
  double launch_share = 1;     ///< of a launch's cost that each of them takes
  double measured_seconds = 0; ///< that a run took; 0: it was not measured

  double blocks = 1;            ///< of the smallest launch; on a cpu, parts dealt to threads
  double dispatched = 0;        ///< blocks of all launches; 0: each has as many as the smallest
  double resident = 1;          ///< blocks on the device at once; on a cpu, threads
  double block_threads = 1;     ///< 1 on a cpu
  double thread_bytes = 0;      ///< that a thread has under way from memory at once; 0: not known
  double latency_cycles = 0;    ///< that a block waits at least
  double copy_cycles = 0;       ///< that its unit hands out a block's copies in
  double block_cycles = 0;      ///< that a block with such copies takes alone
  double registers = 0;         ///< that a thread needs, of 32 bits; 0: not known
  double spilled_registers = 0; ///< of these, what does not fit
  double site_registers = 0;    ///< that hold one site whole in a thread, of 32 bits

  double vector_share = 1;          ///< cpu: of a vector register's lanes that the loops use
  double node_share = 1;            ///< cpu: of the data on the fullest node, times nodes; 1: even
  double set_lines = 0;             ///< cpu: lines in use at once that fall in one set of the L1
  double set_ways = 0;              ///< cpu: lines that a set of the L1 has
  double core_bytes_per_second = 0; ///< cpu: what one core draws from memory

  /// Share of the units' time with work, where every block takes a unit as long: few blocks leave
  /// units idle, and so do a few more than a multiple of the units.
  [[nodiscard]] double filled() const;
  /// Blocks that run at once.
  [[nodiscard]] double active() const;
  /// Bytes between memory and the last-level cache.
  [[nodiscard]] double moved() const;
};

/// The needs of a run from the device.
[[nodiscard]] Needs needs_of(const Facts& facts);
[[nodiscard]] Time time_of(const Facts& facts);

/// The detail of a record that says how the data lie on memory nodes, as ridge/doctor/pages.hpp
/// has it.
inline constexpr const char* node_share_detail = "node_share";

/// Puts what was measured in place of what was modelled: time, registers, and where the data lie.
void add_measured(Facts& facts, const Record& record);

/// The bytes that a launch moves, as the model says.
[[nodiscard]] Counters modelled_counters(const Facts& facts);

/// The facts of any launch of this work on a device, before anything is known of its schedule.
/// `fill_cost` as in Facts.
[[nodiscard]] Facts begin_facts(const Work& work, const Description& device, double fill_cost);

/// The share of a launch's own cost where many are given to the device as one graph: ten take 11.3
/// us instead of 33.4 (docs/results/h200/chain-10-10000.json).
inline constexpr double graph_share = 0.34;

/// The model's prediction of a launch under a schedule.
struct Prediction {
  Facts facts;
  Traffic traffic;          ///< `cause` is empty where only the facts' causes are known
  std::optional<Time> time; ///< where the device's ceilings are known
};
/// The prediction for a pattern whose traffic is what its facts add up to.
[[nodiscard]] Prediction prediction_of(Facts facts);

} // namespace ridge::model
