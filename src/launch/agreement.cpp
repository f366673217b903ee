#include "agreement.hpp"

#include <ridge/core/error.hpp>

#include "trace.hpp"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

namespace ridge::launch {

namespace {

struct Description {
  std::string trace;
  int generation = 0;
};

struct Descriptions {
  std::mutex guard;
  std::unordered_map<std::string, Description> of_file;
};
Descriptions& descriptions() {
  static auto* const all = new Descriptions;
  return *all;
}

} // namespace

void note_description(const std::string& file, const std::string& trace) {
  Descriptions& all = descriptions();
  const std::lock_guard lock(all.guard);
  Description& d = all.of_file[file];
  if (!difference(trace, d.trace).empty()) ++d.generation;
  d.trace = trace;
}

void require_agreement(const std::string& file, const std::string& trace) {
  Descriptions& all = descriptions();
  const std::lock_guard lock(all.guard);
  const auto at = all.of_file.find(file);
  if (at == all.of_file.end()) return;
  const std::string changed = difference(trace, at->second.trace);
  if (changed.empty()) return;
  throw UsageError(
      fmt::format("{} was changed while the kernel was being compiled: run this again", changed));
}

int generation_of(const std::string& file) {
  Descriptions& all = descriptions();
  const std::lock_guard lock(all.guard);
  const auto at = all.of_file.find(file);
  return at == all.of_file.end() ? 0 : at->second.generation;
}

} // namespace ridge::launch
