// The cost of each level of a cycle of multigrid, as its record tells.
#pragma once

#include <ridge/doctor/diagnosis.hpp>
#include <ridge/record/record.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ridge::doctor {

/// A level of a V cycle: both ways, the next level not included.
struct LevelCost {
  std::string points; ///< "63x63x63"
  double seconds = 0;
  double share = 0;    ///< of the cycle's time
  double least = 0;    ///< bytes: of one pass down and one up
  double moved = 0;    ///< bytes: an array a pass, of the passes that it has
  double launches = 0; ///< or passes, on a cpu
  double copy = 0;     ///< bytes a second, the record's ceiling; 0: not measured

  /// The fraction of the ceiling, by the least bytes; 0 where it is not known.
  [[nodiscard]] double fraction() const {
    return copy > 0 && seconds > 0 ? least / seconds / copy : 0;
  }
  /// True for the coarsest one, which is solved for exactly.
  [[nodiscard]] bool is_exact() const { return launches == 1; }
  /// True where its launches have less to move than starting them takes.
  [[nodiscard]] bool is_small() const {
    constexpr double launch_seconds = 5e-6;
    return is_exact() || (copy > 0 && moved / copy < launches * launch_seconds);
  }
  /// True where it moves its arrays more often than one pass each way would.
  [[nodiscard]] bool is_staged() const { return moved > 1.2 * least; }
  /// Where most of its time goes: "launches", "passes" that repeat others' bytes, "bytes", "work"
  /// where it moves none too many, or "exact", the coarsest level's solution.
  [[nodiscard]] std::string_view dominated_by() const;
};

/// The detail that says how many times as fast the default schedule is, as far as it is known.
inline constexpr const char* default_gain = "default_gain";
/// The default schedule, where a record says that it is faster.
[[nodiscard]] Best default_of(const Record& record);

/// The finest first; empty where a record has none.
[[nodiscard]] std::vector<LevelCost> levels_of(const Record& record);

} // namespace ridge::doctor
