#include <ridge/core/units.hpp>

#include "chart.hpp"
#include "html.hpp"
#include "roofline_parts.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ridge::report {

namespace {

constexpr int width = 1000, height = 560;
constexpr Box frame{58, 34, 988, 510};

class Roofline {
public:
  Roofline(const DeviceRecords& device, std::vector<Point> points, std::string id)
      : device_(device), points_(std::move(points)), id_(std::move(id)),
        memory_(lines_of(device, "B/s")), arithmetic_(lines_of(device, "flop/s")),
        x_{LogScale(intensities(), 1.6, frame.left, frame.right),
           "operations a byte that has to be read or written", "", 8},
        y_{LogScale(rates(), 1.8, frame.bottom, frame.top), "operations a second", "", 10},
        labels_(frame) {}

  std::string html() {
    std::string svg =
        svg_begin(id_, width, height, "Roofline of " + device_.name, description(), x_, y_);
    svg += ceilings();
    svg += own_roofs();
    svg += marks();
    svg += names();
    return fmt::format("<figure>{}{}</svg></div><figcaption>{}"
                       "</figcaption></figure>\n",
                       wide_part("Roofline of " + device_.name), svg, caption());
  }

private:
  [[nodiscard]] double ridge() const {
    return memory_.empty() || arithmetic_.empty()
               ? 0
               : arithmetic_.back().value / memory_.front().value;
  }

  [[nodiscard]] std::vector<double> intensities() const {
    std::vector<double> values = {ridge()};
    for (const Point& p : points_)
      values.push_back(p.intensity);
    return values;
  }

  [[nodiscard]] std::vector<double> rates() const {
    std::vector<double> values;
    double least = points_.front().intensity;
    for (const Point& p : points_) {
      values.push_back(p.rate);
      // Its ceiling too, so that one sees how far below it is.
      values.push_back(p.rate / p.entry.record->fraction.value_or(1));
      least = std::min(least, p.intensity);
    }
    for (const ShownCeiling& c : arithmetic_)
      values.push_back(c.value);
    if (!memory_.empty()) values.push_back(memory_.back().value * least);
    return values;
  }

  [[nodiscard]] double px(double intensity) const { return x_.scale.at(intensity); }
  [[nodiscard]] double py(double rate) const { return y_.scale.at(rate); }

  std::string ceilings() {
    std::string lines, texts;
    const double top = arithmetic_.empty() ? y_.scale.high() : arithmetic_.back().value;
    for (const ShownCeiling& c : memory_) {
      const double from = std::max(x_.scale.low(), y_.scale.low() / c.value);
      const double to = std::min(x_.scale.high(), top / c.value);
      if (from < to) lines += ceiling(px(from), py(c.value * from), px(to), py(c.value * to));
    }
    // Where a ceiling of arithmetic meets the memory's highest.
    const auto from_of = [&](double rate) {
      return memory_.empty() ? x_.scale.low()
                             : std::max(x_.scale.low(), rate / memory_.back().value);
    };
    for (const ShownCeiling& c : arithmetic_)
      lines += ceiling(px(from_of(c.value)), py(c.value), frame.right, py(c.value));
    // As far apart as 14 pixels of height are.
    const double apart =
        std::pow(y_.scale.high() / y_.scale.low(), 14 / (frame.bottom - frame.top));
    for (const LineLabel& label : labels_of(arithmetic_, apart)) {
      // Beyond the memory's lines, where points are few.
      const double right_of =
          memory_.empty() ? x_.scale.low() : label.value / memory_.front().value;
      const double length = text_width(label.text), y = py(label.value) - 5;
      const double x =
          std::min(px(std::max(right_of, x_.scale.low())) + 10, frame.right - 4 - length);
      texts += svg_text(x, y, Anchor::start, label.text);
      labels_.block({x, y - 10, x + length, y + 3});
    }
    const double slope = std::atan2(std::abs(py(10) - py(1)), px(10) - px(1));
    for (const LineLabel& label : labels_of(memory_, std::pow(apart, 1 / std::cos(slope))))
      texts += along_line(label, slope);
    return fmt::format("<path class=\"roof\" d=\"{}\"/>{}\n", lines, texts);
  }

  /// A line that names of points keep away from where they can.
  std::string ceiling(double x0, double y0, double x1, double y1) {
    const int steps = 1 + static_cast<int>((x1 - x0) / 4);
    for (int s = 0; s <= steps; ++s) {
      const double x = x0 + (x1 - x0) * s / steps, y = y0 + (y1 - y0) * s / steps;
      labels_.discourage({x - 2, y - 2, x + 2, y + 2});
    }
    return svg_line(x0, y0, x1, y1);
  }

  /// A label above a ceiling of the memory, turned as its line is.
  std::string along_line(const LineLabel& label, double slope) {
    const double from = std::max(x_.scale.low(), y_.scale.low() / label.value);
    if (from >= x_.scale.high()) return "";
    const double x = px(from) + 8 * std::cos(slope) - 6 * std::sin(slope);
    const double y = py(label.value * from) - 8 * std::sin(slope) - 6 * std::cos(slope);
    const double length = text_width(label.text);
    for (double along = 0; along < length; along += 6) {
      const double cx = x + along * std::cos(slope), cy = y - along * std::sin(slope);
      labels_.block({cx - 6, cy - 10, cx + 6, cy + 4});
    }
    return fmt::format("<text transform=\"translate({} {}) rotate({})\">{}</text>", place(x),
                       place(y), place(-slope * 180 / 3.14159265358979), escaped(label.text));
  }

  /// Short bars: ceilings that are a kernel's own.
  std::string own_roofs() {
    std::set<std::string> bars;
    for (const Point& p : points_) {
      if (p.own_roof <= 0) continue;
      const double x = px(p.intensity), y = py(p.own_roof);
      bars.insert(svg_line(x - 9, y, x + 9, y));
      labels_.block({x - 9, y - 1, x + 9, y + 1});
    }
    std::string path;
    for (const std::string& one : bars)
      path += one;
    return path.empty() ? "" : fmt::format("<path class=\"own\" d=\"{}\"/>\n", path);
  }

  std::string marks() {
    std::string out;
    for (int pattern = 0; pattern < 5; ++pattern) {
      std::string group, ticks;
      for (const Point& p : points_) {
        const SavedRecord& r = *p.entry.record;
        if (pattern_index(r.pattern) != pattern) continue;
        const double x = px(p.intensity), y = py(p.rate);
        if (!p.fastest) {
          ticks += fmt::format("M{} {}h8", place(x - 4), place(y));
          continue;
        }
        labels_.block({x - 4, y - 4, x + 4, y + 4});
        const std::string fraction = r.fraction ? ", " + fraction_text(*r.fraction) : "";
        group += fmt::format("<use href=\"#m{}\" x=\"{}\" y=\"{}\"{}><title>{}: {}{}</title></use>",
                             pattern, place(x), place(y), r.in_cache ? " class=\"c\"" : "",
                             p.entry.number, escaped(kernel_and_precision(r)), fraction);
      }
      if (!ticks.empty()) group = fmt::format("<path class=\"tick\" d=\"{}\"/>{}", ticks, group);
      if (!group.empty()) out += fmt::format("<g class=\"p{}\">{}</g>\n", pattern, group);
    }
    return out;
  }

  /// The fastest of each kernel and precision has its name beside it, where there is room.
  std::string names() {
    std::vector<const Point*> order;
    for (const Point& p : points_)
      order.push_back(&p);
    std::stable_sort(order.begin(), order.end(),
                     [](const Point* a, const Point* b) { return a->rate > b->rate; });
    std::set<std::string> named;
    std::string out;
    for (const Point* const p : order) {
      const std::string name = kernel_and_precision(*p->entry.record);
      if (named.insert(name).second) out += labels_.label(px(p->intensity), py(p->rate), name);
    }
    return out;
  }

  [[nodiscard]] std::string description() const {
    const auto best =
        std::max_element(points_.begin(), points_.end(),
                         [](const Point& a, const Point& b) { return a.rate < b.rate; });
    std::string text = fmt::format(
        "{} {} as points; the most operations a second: {}, {}. Ceilings:", points_.size(),
        points_.size() == 1 ? "record" : "records", kernel_and_precision(*best->entry.record),
        quantity(best->rate, "flop/s"));
    for (const auto* const lines : {&memory_, &arithmetic_}) {
      for (const ShownCeiling& c : *lines)
        text += fmt::format(" {} {},", c.name, quantity(c.value, c.unit));
    }
    text.back() = '.';
    return text + " The table of records has every figure.";
  }

  [[nodiscard]] std::string caption() const {
    std::string text = "<span class=\"keys\">";
    std::set<int> found;
    for (const Point& p : points_)
      found.insert(pattern_index(p.entry.record->pattern));
    for (const int pattern : found)
      text += key(pattern, pattern_name(pattern));
    text += "</span>";
    const auto in_cache = std::count_if(points_.begin(), points_.end(),
                                        [](const Point& p) { return p.entry.record->in_cache; });
    if (in_cache > 0) text += "Hollow: the data fit the cache, and the memory is no ceiling. ";
    const bool own =
        std::any_of(points_.begin(), points_.end(), [](const Point& p) { return p.own_roof > 0; });
    const bool slower =
        std::any_of(points_.begin(), points_.end(), [](const Point& p) { return !p.fastest; });
    if (slower) text += "Marks: the fastest schedule of each launch; dashes: its other schedules. ";
    if (own) text += "Short bars: the ceiling of that kernel's own mix of operations. ";
    const std::size_t missing = device_.entries.size() - points_.size();
    if (missing > 0) {
      text += fmt::format("{} {} wrong, or without bytes, operations or time: not drawn. ", missing,
                          missing == 1 ? "record" : "records");
    }
    return text + "Operations and bytes as the conventions below count them.";
  }

  const DeviceRecords& device_;
  std::vector<Point> points_;
  std::string id_;
  std::vector<ShownCeiling> memory_, arithmetic_;
  Axis x_, y_;
  LabelPlaces labels_;
};

} // namespace

Section roofline_section(const Devices& devices) {
  std::string html;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::vector<Point> points = points_of(devices[d]);
    if (points.empty()) continue;
    html += fmt::format("<h3>{}</h3>\n", escaped(devices[d].name));
    html += Roofline(devices[d], std::move(points), fmt::format("roofline{}", d)).html();
  }
  return {"roofline", "Roofline", html};
}

} // namespace ridge::report
