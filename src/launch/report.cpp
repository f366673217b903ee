#include "report.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace ridge::launch {

namespace {

struct ErrorLine {
  std::string place, message;
};

/// "FILE:LINE:COLUMN: error: ..." of g++ and clang, "FILE(LINE): error: ..." of nvcc.
std::vector<ErrorLine> errors_of(const std::string& report) {
  std::vector<ErrorLine> errors;
  std::istringstream in(report);
  std::string line;
  while (std::getline(in, line)) {
    for (const char* const mark : {": error: ", ": fatal error: ", ": error #"}) {
      const auto at = line.find(mark);
      if (at == std::string::npos) continue;
      errors.push_back({line.substr(0, at), line.substr(at + std::string(mark).size())});
      break;
    }
  }
  return errors;
}

/// Lines of the report that lead from the user's file to an error in a header: "FILE:LINE:COL:
/// required from".
std::string user_line(const std::string& report, const std::string& file) {
  const auto at = report.find(file + ":");
  if (at == std::string::npos) return {};
  const auto begin = at + file.size() + 1;
  const auto end = report.find_first_not_of("0123456789", begin);
  return end == begin ? std::string() : report.substr(at, end - at);
}

} // namespace

void refuse(const Finished& finished, const std::string& compiler, const std::string& kernel_file,
            const std::string& generated) {
  // In the system's words, whatever of the compiler's programs met it: no fault of the kernel's.
  for (const char* const full :
       {"No space left on device", "File too large", "Disk quota exceeded"}) {
    if (finished.report.find(full) == std::string::npos) continue;
    throw Failure(
        fmt::format("{} cannot write what it compiles ({}): is the disk full?", compiler, full));
  }
  const std::vector<ErrorLine> errors = errors_of(finished.report);
  // g++ says of its own parts "fatal error: Killed signal terminated program cc1plus".
  if (finished.report.find("signal terminated program") != std::string::npos ||
      (errors.empty() && finished.status > 128)) {
    throw Failure(fmt::format("{} was ended by a signal before it was done: was there too little "
                              "memory?",
                              compiler));
  }
  if (errors.empty()) {
    std::string first = finished.report.substr(0, finished.report.find('\n'));
    throw Failure(fmt::format("{} failed with status {}: {}", compiler, finished.status,
                              first.empty() ? "it said nothing" : first));
  }
  const auto in_kernel = std::find_if(errors.begin(), errors.end(), [&](const ErrorLine& e) {
    return e.place.starts_with(kernel_file);
  });
  ErrorLine first = in_kernel != errors.end() ? *in_kernel : errors.front();
  if (in_kernel == errors.end()) {
    const std::string mine = user_line(finished.report, kernel_file);
    if (!mine.empty()) {
      first.place = mine;
    } else if (first.place.starts_with(generated)) {
      first.place = kernel_file;
    }
  }
  const std::string others =
      errors.size() > 1 ? fmt::format(" (the first of {} errors)", errors.size()) : "";
  throw UsageError(fmt::format("{}: {}{}", first.place, first.message, others));
}

} // namespace ridge::launch
