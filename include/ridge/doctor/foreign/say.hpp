// The doctor's words on a program that is not Ridge's.
#pragma once

#include <ridge/doctor/foreign/cause.hpp>

#include <regex>
#include <string>
#include <vector>

namespace ridge::doctor {

/// The user's knowledge and wishes.
struct ForeignAsked {
  std::optional<std::regex> kernel; ///< of the names to look at; else all
  int top = 3;                      ///< kernels at most
  double bytes = 0;                 ///< that a launch must move at least; 0: not known
  double flops = 0;                 ///< operations of a launch; 0: those that were counted
  bool quick = false; ///< two runs in place of three, the second ended once it was counted
};

/// The kernels that are asked for, the largest share of time first. Throws UsageError that lists
/// the names where none is.
[[nodiscard]] std::vector<const ForeignKernel*> chosen(const Foreign& all,
                                                       const ForeignAsked& asked);

/// What `ridge doctor --prove` does for a cause, in words, or why it does nothing.
[[nodiscard]] std::string proof_text(const ForeignCause& cause);
/// A line for each cause: where it is looked for, its name and its proof.
struct CauseRow {
  std::string of, cause, proof;
};
[[nodiscard]] std::vector<CauseRow> foreign_cause_rows();

/// At most 20 lines for the program, and at most 20 a kernel.
[[nodiscard]] std::string foreign_text(const Foreign& all, const ForeignAsked& asked);
/// {"program": ..., "kernels": [...]}, each with its causes.
[[nodiscard]] std::string foreign_json(const Foreign& all, const ForeignAsked& asked);
/// Records of the kernels for ridge report and ridge compare: bytes are those counted where the
/// least are not known.
[[nodiscard]] std::string foreign_records(const Foreign& all, const ForeignAsked& asked);

} // namespace ridge::doctor
