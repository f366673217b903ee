// `ridge doctor -- PROGRAM` and `ridge doctor --from FILE`: kernels that are not Ridge's.
#pragma once

#include "../options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

struct ForeignCommand {
  std::optional<std::vector<std::string>> program; ///< the words behind --
  std::string from, kernel, keep;
  std::optional<double> bytes, flops;
  std::optional<int> top;
  bool quick = false;

  void add_to(const Command& command);
  [[nodiscard]] bool is_asked() const { return program || !from.empty(); }
  /// Throws UsageError where an option of it is given, and it is not asked for.
  void require_none() const;
  /// Runs or reads, and prints. `prove`: runs experiments that are the program with variables set,
  /// and throws Failure where one does not confirm its cause. `output`: records for ridge report;
  /// empty: none.
  void run(bool json, bool prove, const std::string& output, bool overwrite) const;
};

/// The words behind the first `--` of `ridge doctor`, which are taken off the command line; nothing
/// where there is none.
[[nodiscard]] std::optional<std::vector<std::string>> take_program(int& argc, char** argv);

/// Throws UsageError where a program and its words, or its path, stand behind `doctor` without
/// `--`. `argv` is what take_program leaves.
void require_marked_program(int argc, char** argv);

/// Prints what is known of a cause that only kernels have which are not Ridge's. False where it is
/// none of these.
[[nodiscard]] bool explain_foreign(const std::string& cause);

} // namespace ridge::app
