#include "trace.hpp"

#include "file_digest.hpp"

#include <optional>
#include <unordered_map>

namespace ridge::launch {

namespace {

constexpr std::string_view absent = "absent";

/// Calls `visit(state, name)` for each line until it is false; whether none was.
template <class Visit>
bool all_of_lines(std::string_view lines, const Visit& visit) {
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines = end == std::string_view::npos ? std::string_view{} : lines.substr(end + 1);
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) return false;
    if (!visit(line.substr(0, blank), line.substr(blank + 1))) return false;
  }
  return true;
}

/// By name.
using States = std::unordered_map<std::string_view, std::string_view>;
States states_of(std::string_view lines) {
  States states;
  (void)all_of_lines(lines, [&](std::string_view state, std::string_view name) {
    states.emplace(name, digest_in(state));
    return true;
  });
  return states;
}

void add_line(Trace& trace, std::string_view state, const std::string& name) {
  if (name.find('\n') != std::string::npos) {
    trace.whole = false;
    return;
  }
  trace.lines.append(state).append(" ").append(name).append("\n");
}

} // namespace

void Trace::add_file(const std::string& name) {
  if (const std::optional<std::string> state = file_state(name))
    add_line(*this, *state, name);
  else
    whole = false;
}

void Trace::add_absent(const std::string& name) {
  add_line(*this, absent, name);
}

void Trace::add(const Trace& other) {
  lines += other.lines;
  whole = whole && other.whole;
}

std::string contents(std::string_view lines) {
  std::string all;
  (void)all_of_lines(lines, [&](std::string_view state, std::string_view name) {
    all.append(digest_in(state)).append(" ").append(name).append("\n");
    return true;
  });
  return all;
}

bool holds(std::string_view lines) {
  return all_of_lines(lines, [](std::string_view state, std::string_view name) {
    const std::string file(name);
    return state == absent ? !is_file(file) : is_in_state(file, state);
  });
}

std::string difference(std::string_view lines, std::string_view others) {
  const States states = states_of(others);
  std::string found;
  (void)all_of_lines(lines, [&](std::string_view state, std::string_view name) {
    const auto at = states.find(name);
    if (at != states.end() && at->second != digest_in(state)) found = name;
    return found.empty();
  });
  return found;
}

std::string unsettled(std::string_view lines, std::time_t moment, std::string_view before) {
  const States states = states_of(before);
  std::string found;
  (void)all_of_lines(lines, [&](std::string_view state, std::string_view name) {
    const auto at = states.find(name);
    const bool as_before = at != states.end() && at->second == digest_in(state);
    if (state != absent && !as_before && !settled_before(std::string(name), moment)) found = name;
    return found.empty();
  });
  return found;
}

} // namespace ridge::launch
