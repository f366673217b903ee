#include "chart.hpp"

#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridge::report {

namespace {

std::string numbers(const LogScale& scale) {
  return fmt::format("{:.9g} {:.9g} {:g} {:g}", scale.low(), scale.high(), scale.from(),
                     scale.to());
}

} // namespace

std::string svg_text(double x, double y, Anchor anchor, const std::string& text) {
  static constexpr std::array<const char*, 3> classes = {"", " class=\"mid\"", " class=\"end\""};
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>", place(x), place(y),
                     classes.at(static_cast<std::size_t>(anchor)), escaped(text));
}

double text_width(const std::string& text) {
  return 6.3 * static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80; // begins a character of UTF-8
         }));
}

std::string svg_line(double x0, double y0, double x1, double y1) {
  return fmt::format("M{} {}L{} {}", place(x0), place(y0), place(x1), place(y1));
}

std::string svg_begin(const std::string& id, int width, int height, const std::string& title,
                      const std::string& description, const Axis& x, const Axis& y) {
  const double left = x.scale.from(), right = x.scale.to(), bottom = y.scale.from(),
               top = y.scale.to();
  std::string grid, labels;
  for (const double tick : x.scale.ticks(x.ticks)) {
    const double at = x.scale.at(tick);
    grid += svg_line(at, bottom, at, top);
    labels += svg_text(at, bottom + 16, Anchor::middle, tick_text(tick, x.unit));
  }
  for (const double tick : y.scale.ticks(y.ticks)) {
    const double at = y.scale.at(tick);
    grid += svg_line(left, at, right, at);
    labels += svg_text(left - 6, at + 4, Anchor::end, tick_text(tick, y.unit));
  }
  labels += svg_text((left + right) / 2, bottom + 34, Anchor::middle, x.title);
  labels += svg_text(0, top - 10, Anchor::start, y.title);
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"{2}t {2}d\" data-x=\"{3}\" data-y=\"{4}\"><title id=\"{2}t\">{5}</title>"
      "<desc id=\"{2}d\">{6}</desc><path class=\"grid\" d=\"{7}\"/>{8}\n",
      width, height, id, numbers(x.scale), numbers(y.scale), escaped(title), escaped(description),
      grid, labels);
}

bool LabelPlaces::is_free(const Box& box, bool unwanted_too) const {
  if (box.left < inside_.left || box.right > inside_.right || box.top < inside_.top ||
      box.bottom > inside_.bottom) {
    return false;
  }
  const auto meets = [&](const Box& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom &&
           other.top < box.bottom;
  };
  return std::none_of(taken_.begin(), taken_.end(), meets) &&
         (unwanted_too || std::none_of(unwanted_.begin(), unwanted_.end(), meets));
}

std::string LabelPlaces::label(double x, double y, const std::string& text) {
  struct Place {
    double x, y;
    Anchor anchor;
  };
  const std::array<Place, 6> sides = {
      Place{x + 8, y + 4, Anchor::start},  Place{x - 8, y + 4, Anchor::end},
      Place{x, y - 8, Anchor::middle},     Place{x, y + 16, Anchor::middle},
      Place{x + 6, y + 14, Anchor::start}, Place{x - 6, y - 6, Anchor::end}};
  const double width = text_width(text);
  for (const bool unwanted_too : {false, true}) {
    for (const Place& p : sides) {
      const double before = p.anchor == Anchor::start ? 0 : p.anchor == Anchor::end ? 1 : 0.5;
      const double left = p.x - before * width;
      const Box box{left, p.y - 10, left + width, p.y + 3};
      if (!is_free(box, unwanted_too)) continue;
      block(box);
      return svg_text(p.x, p.y, p.anchor, text);
    }
  }
  return "";
}

} // namespace ridge::report
