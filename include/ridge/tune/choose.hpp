// The schedule that `auto` means: wisdom where there is some, else the default.
#pragma once

#include <ridge/tune/wisdom.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ridge::tune {

/// A question: what must be known of a kernel to choose its schedule.
struct Question {
  Key key;
  /// The cost of a launch, as a model says, under a schedule (`auto`: the default of that size) at
  /// a size, in whatever unit; nothing where there is no model. May be empty. May throw
  /// ridge::Error.
  std::function<std::optional<double>(const std::string& schedule, const Extents& size)> cost = {};
  /// Throws ridge::Error where the schedule cannot run here: it is asked before wisdom is taken.
  std::function<void(const std::string& schedule)> require = {};
};

struct Choice {
  enum class Source {
    standard, ///< the default: nothing was tuned
    wisdom,   ///< found for this very size
    near,     ///< found for another size, and here better than the default as far as the model says
    published ///< from the literature, where the model says that the default is not better
  } source = Source::standard;
  std::string schedule = "auto"; ///< as text: `auto` for the default, else all fields
  std::string note;              ///< one line: why wisdom that is there was not taken; may be empty
  Extents found_at;              ///< of Source::near and published: the size
  std::string published_by = {}; ///< of Source::published
};

/// "wisdom", "wisdom of 512x512x512", "AMD's lab notes, 512x512x512" or "default".
[[nodiscard]] std::string source_text(const Choice& choice);

/// Says a line on standard error, each once a process.
void say_once(const std::string& line);

[[nodiscard]] Choice choose(const Question& question, const Wisdom& wisdom = Wisdom::here());

} // namespace ridge::tune
