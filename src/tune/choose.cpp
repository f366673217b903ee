#include <ridge/core/error.hpp>
#include <ridge/tune/choose.hpp>

#include "published.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace ridge::tune {

namespace {

/// Where no model says how a schedule carries over, sizes within this factor along each dimension
/// are taken for alike.
constexpr double alike = 2;

bool are_alike(const Extents& a, const Extents& b) {
  for (int d = 0; d < a.rank(); ++d) {
    const double ratio = static_cast<double>(a[d]) / static_cast<double>(b[d]);
    if (ratio > alike || ratio < 1 / alike) return false;
  }
  return true;
}

/// How many times as long the default takes at the question's size, if the gain that was measured
/// at another changes as the model says; nothing where the model says nothing.
std::optional<double> carried_over(const Question& q, const Finding& f) {
  if (!q.cost) return std::nullopt;
  const auto gain_at = [&](const Extents& size) -> std::optional<double> {
    const auto standard = q.cost("auto", size);
    const auto found = q.cost(f.schedule, size);
    if (!standard || !found) return std::nullopt;
    return *standard / *found;
  };
  const auto there = gain_at(f.key.size);
  const auto here = gain_at(q.key.size);
  if (!there || !here) return std::nullopt;
  return f.standard_gain * *here / *there;
}

/// Why a schedule cannot run here; empty where it can.
std::string obstacle(const Question& q, const std::string& schedule) {
  try {
    if (q.require) q.require(schedule);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Choice nearest(const Question& q, const Wisdom& wisdom) {
  Choice choice;
  for (const auto& found : wisdom.near(q.key)) {
    try {
      const std::optional<double> gain = carried_over(q, *found);
      const bool better =
          gain ? *gain > 1 : found->standard_gain > 1 && are_alike(found->key.size, q.key.size);
      if (!better) break; // those farther away say less
    } catch (const Error&) {
      continue; // a schedule that is not possible at this size
    }
    if (!obstacle(q, found->schedule).empty()) continue;
    choice.source = Choice::Source::near;
    choice.schedule = found->schedule;
    choice.found_at = found->key.size;
    break;
  }
  return choice;
}

/// A published schedule, unless a model says that the default is faster by more than models err.
std::optional<Choice> published(const Question& q) {
  constexpr double margin = 1.03;
  const auto found = published_for(q.key);
  if (!found || !obstacle(q, found->schedule).empty()) return {};
  if (q.cost) {
    try {
      const auto standard = q.cost("auto", q.key.size);
      const auto here = q.cost(found->schedule, q.key.size);
      if (standard && here && *here > margin * *standard) return {};
    } catch (const Error&) {
      return {}; // not possible at this size
    }
  }
  Choice choice;
  choice.source = Choice::Source::published;
  choice.schedule = found->schedule;
  choice.found_at = found->size;
  choice.published_by = found->source;
  return choice;
}

} // namespace

std::string source_text(const Choice& choice) {
  switch (choice.source) {
  case Choice::Source::wisdom:
    return "wisdom";
  case Choice::Source::near:
    return "wisdom of " + ridge::to_text(choice.found_at);
  case Choice::Source::published:
    return choice.published_by + ", " + ridge::to_text(choice.found_at);
  case Choice::Source::standard:
    break;
  }
  return "default";
}

void say_once(const std::string& line) {
  static std::mutex guard;
  static std::set<std::string> said;
  const std::lock_guard lock(guard);
  if (said.insert(line).second) std::fprintf(stderr, "ridge: %s\n", line.c_str());
}

Choice choose(const Question& q, const Wisdom& wisdom) {
  if (const auto found = wisdom.find(id_of(q.key))) {
    const std::string why = obstacle(q, found->schedule);
    if (why.empty()) return {Choice::Source::wisdom, found->schedule, {}, {}};
    Choice standard;
    standard.note = fmt::format("wisdom of {} is not used: {}", to_text(q.key), why);
    return standard;
  }
  Choice choice = nearest(q, wisdom);
  if (choice.source != Choice::Source::standard) return choice;
  choice.note = wisdom.mismatch(q.key);
  if (auto other = published(q)) {
    other->note = choice.note;
    return *other;
  }
  return choice;
}

} // namespace ridge::tune
