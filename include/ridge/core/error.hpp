// Errors say what is wrong, where, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace ridge {

/// Exit codes of the command line.
enum class ExitCode { success = 0, failure = 1, usage = 2 };

/// Base of everything Ridge throws. `what()` is one line for the user.
class Error : public std::runtime_error {
public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

private:
  ExitCode code_;
};

/// The caller asked for something that does not exist or does not fit: exit code 2.
class UsageError : public Error {
public:
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

/// The request was fine and the world was not (disk full, no memory, failed check): exit code 1.
class Failure : public Error {
public:
  explicit Failure(const std::string& message) : Error(ExitCode::failure, message) {}
};

} // namespace ridge
