#include "wisdom_text.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace ridge::tune {

namespace {

struct Field {
  std::string_view name;
  std::string (*get)(const Finding&);
  void (*set)(Finding&, const std::string&);
};

double number(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  refuse_if(status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
                value <= 0,
            "'{}' is no positive number", text);
  return value;
}

template <std::string Key::*member>
constexpr Field of_key(std::string_view name) {
  return {name, [](const Finding& f) { return f.key.*member; },
          [](Finding& f, const std::string& text) { f.key.*member = text; }};
}
template <double Finding::*member>
constexpr Field of_number(std::string_view name) {
  return {name, [](const Finding& f) { return fmt::format("{:.6g}", f.*member); },
          [](Finding& f, const std::string& text) { f.*member = number(text); }};
}

constexpr std::array<Field, 11> fields{
    {of_key<&Key::kernel>("kernel"),
     of_key<&Key::precision>("precision"),
     {"size", [](const Finding& f) { return ridge::to_text(f.key.size); },
      [](Finding& f, const std::string& text) { f.key.size = parse_extents(text); }},
     of_key<&Key::site>("site"),
     of_key<&Key::device>("device"),
     of_key<&Key::driver>("driver"),
     of_key<&Key::compiler>("compiler"),
     of_key<&Key::hash>("hash"),
     of_number<&Finding::seconds>("seconds"),
     of_number<&Finding::standard_gain>("gain"),
     {"schedule", [](const Finding& f) { return f.schedule; },
      [](Finding& f, const std::string& text) {
        if (text.empty()) throw UsageError("the schedule is empty");
        f.schedule = text;
      }}}};

/// Names of kernels and devices hold no tabs, but nothing says so.
std::string one_word(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text;
}

} // namespace

std::string line_of(const Finding& finding) {
  std::string line;
  for (const Field& f : fields)
    line += fmt::format("{}{}={}", line.empty() ? "" : "\t", f.name, one_word(f.get(finding)));
  return line;
}

Finding parse_line(std::string_view line) {
  Finding finding;
  for (const Field& f : fields) {
    const std::string_view word = line.substr(0, line.find('\t'));
    if (word.substr(0, word.find('=')) != f.name || word.size() <= f.name.size())
      throw UsageError(fmt::format("expected {}=...", f.name));
    f.set(finding, std::string(word.substr(f.name.size() + 1)));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  if (!line.empty()) throw UsageError("there is more than a schedule");
  return finding;
}

} // namespace ridge::tune
