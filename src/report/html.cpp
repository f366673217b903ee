#include "html.hpp"

#include <ridge/pattern/pattern_row.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::report {

namespace {

struct Prefixed {
  double value;
  const char* prefix;
};

Prefixed prefixed(double value) {
  static constexpr std::array<const char*, 10> prefixes = {"p", "n", "u", "m", "",
                                                           "k", "M", "G", "T", "P"};
  if (value == 0 || !std::isfinite(value)) return {value, ""};
  // A hair above, so that 999.9999 and the logarithm's rounding do not show as 1000.
  const double power = std::floor((std::log10(std::abs(value)) + 1e-7) / 3);
  const double step = std::clamp(power, -4.0, 5.0);
  return {value / std::pow(1000.0, step), prefixes.at(static_cast<std::size_t>(step + 4))};
}

std::string with_unit(const std::string& number, const std::string& prefix,
                      const std::string& unit) {
  // What is counted is said elsewhere; interactions would make every column wide.
  const std::string all = prefix + (unit == "interactions/s" ? "/s" : unit);
  return all.empty() ? number : number + " " + all;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
        out += "\xef\xbf\xbd"; // what stands for a character that cannot be shown
      } else {
        out += c;
      }
    }
  }
  return out;
}

std::string figure(std::optional<double> value, const std::string& unit) {
  if (!value) return "-";
  const Prefixed p = prefixed(*value);
  return with_unit(fmt::format("{:.4g}", p.value), p.prefix, unit);
}

std::string tick_text(double value, const std::string& unit) {
  if (unit.empty() && value < 1) return fmt::format("{:g}", value);
  const Prefixed p = prefixed(value);
  return with_unit(fmt::format("{:.4g}", p.value), p.prefix, unit);
}

std::string place(double value) {
  const double tenths = std::round(value * 10);
  return tenths == 0 ? "0" : fmt::format("{:g}", tenths / 10);
}

std::string fraction_text(double fraction) {
  return fraction < 9.9995 ? fmt::format("{:.3f}", fraction) : fmt::format("{:.3g}", fraction);
}

std::string device_text(const std::string& device, const std::string& name) {
  const std::string kind = device_kind(device);
  return name.empty() ? kind : fmt::format("{} ({})", name, kind);
}

std::string device_text(const SavedRecord& record) {
  return device_text(record.device, record.device_name);
}

std::string wide_part(const std::string& name) {
  return fmt::format("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
                     escaped(name));
}

std::string html_table(const std::string& kind, const std::string& caption,
                       const std::vector<std::string>& head, const std::string& rows) {
  std::string cells;
  for (const std::string& title : head)
    cells += "<th scope=\"col\">" + title;
  return fmt::format("{}<table class=\"{}\"><caption>{}</caption><thead><tr>{}<tbody>\n{}</table>"
                     "</div>\n",
                     wide_part(caption), kind, escaped(caption), cells, rows);
}

int pattern_index(const std::string& pattern) {
  int index = 0;
  for (const PatternRow& row : pattern_rows()) {
    if (row.name == pattern && row.marked) return index;
    index += row.marked;
  }
  return index;
}

std::string key(int index, const std::string& meaning, bool hollow) {
  return fmt::format(
      "<span><svg class=\"key p{0}\" width=\"12\" height=\"12\" viewBox=\"-6 -6 12 12\" "
      "aria-hidden=\"true\"><use{2} href=\"#m{0}\"/></svg> {1}</span> ",
      index, escaped(meaning), hollow ? " class=\"c\"" : "");
}

std::string pattern_name(int index) {
  for (const PatternRow& row : pattern_rows())
    if (row.marked && index-- == 0) return std::string(row.name);
  return "other";
}

} // namespace ridge::report
