#include "report.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
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

/// Whether an error is at a line of a file: others are the compiler's own, as of its command line.
bool has_line(const ErrorLine& e) {
  const auto mark = e.place.find_last_of(":(");
  return mark != std::string::npos && mark + 1 < e.place.size() && e.place[mark + 1] >= '0' &&
         e.place[mark + 1] <= '9';
}

/// What is wrong with where compilers write what they need for a while; empty where nothing is.
std::string problem_of_temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  if (folder == nullptr || *folder == '\0' || access(folder, W_OK | X_OK) == 0) return {};
  return fmt::format(" (TMPDIR={} is no folder that can be written to)", folder);
}

/// That a disk is full in the system's words, whatever of the compiler's programs met it: no fault
/// of the kernel's. Null where the report does not say it.
const char* full_disk_in(const std::string& report) {
  for (const char* const full :
       {"No space left on device", "File too large", "Disk quota exceeded"}) {
    if (report.find(full) != std::string::npos) return full;
  }
  return nullptr;
}

} // namespace

std::string first_error(const std::string& report) {
  const std::vector<ErrorLine> errors = errors_of(report);
  const auto first = std::find_if(errors.begin(), errors.end(), has_line);
  if (first == errors.end() || full_disk_in(report) != nullptr) return {};
  return fmt::format("{}: {}", first->place, first->message);
}

void refuse(const Finished& finished, const std::string& compiler, const std::string& kernel_file,
            const std::string& generated) {
  if (const char* const full = full_disk_in(finished.report)) {
    throw Failure(
        fmt::format("{} cannot write what it compiles ({}): is the disk full?", compiler, full));
  }
  const std::vector<ErrorLine> errors = errors_of(finished.report);
  // g++ says of its own parts "fatal error: Killed signal terminated program cc1plus".
  fail_if(finished.report.find("signal terminated program") != std::string::npos ||
              (errors.empty() && finished.status > 128),
          "{} was ended by a signal before it was done: was there too little memory?", compiler);
  if (errors.empty()) {
    std::string first = finished.report.substr(0, finished.report.find('\n'));
    if (first.empty()) first = finished.status == 127 ? "it cannot be run" : "it said nothing";
    throw Failure(fmt::format("{} failed with status {}: {}{}", compiler, finished.status, first,
                              problem_of_temporary_folder()));
  }
  if (std::none_of(errors.begin(), errors.end(), has_line)) {
    throw Failure(fmt::format("{} failed with status {}: {}{}", compiler, finished.status,
                              errors.front().message, problem_of_temporary_folder()));
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
