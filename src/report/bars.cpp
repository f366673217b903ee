#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::report {

namespace {

constexpr double axis_end = 1.25;

/// Percent of the axis's length.
double percent(double value) {
  return 100 * std::clamp(value / axis_end, 0.0, 1.0);
}

/// Labels of the axis above the bars.
std::string bar_axis() {
  std::string labels;
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    labels += fmt::format("<text x=\"{}%\" y=\"11\"{}>{:g}</text>", place(percent(tick)),
                          tick > 0 ? " class=\"mid\"" : "", tick);
  }
  return "<svg class=\"axis\">" + labels + "</svg>";
}

} // namespace

std::string link_to(const Entry& entry, const std::string& text) {
  return fmt::format("<a href=#r{}>{}</a>", entry.number, escaped(text));
}

std::string bar(int pattern, double value, std::optional<double> low, std::optional<double> high) {
  std::string svg =
      fmt::format("<svg class=\"b p{}\"><rect width=\"{}%\"/>", pattern, place(percent(value)));
  if (low && high) {
    svg += fmt::format("<rect x=\"{}%\" width=\"{}%\"/>", place(percent(*low)),
                       place(percent(*high) - percent(*low)));
  }
  if (value > axis_end) svg += "<text x=\"100%\" y=\"11\">\xe2\x96\xb8</text>";
  return svg + "</svg>";
}

std::string bar_table(const std::string& caption, const std::string& last,
                      const std::string& rows) {
  return html_table("bars", caption, {"launch", bar_axis(), last}, rows);
}

} // namespace ridge::report
