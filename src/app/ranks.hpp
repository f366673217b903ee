// The command as one of several ranks: who prints, and how an error of one ends all.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>

#include <string>

namespace ridge::app {

/// Joins the ranks that a launcher has started. Only rank 0 prints from now on. Throws UsageError
/// where ranks were given other options, or are of another version. Where a launcher started
/// several and there is no module for MPI, rank 0 says so and goes on alone, and the others end.
void join_ranks(int argc, char** argv);

/// Prints the line on stderr and returns what to exit with. Of several ranks that fail one prints,
/// and all ranks end with this status.
[[nodiscard]] int fail_on_ranks(int status, const std::string& line);

/// Throws UsageError where several ranks run a command that is for one.
void require_one_rank(const std::string& command);

} // namespace ridge::app
