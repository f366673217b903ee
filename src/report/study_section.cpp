// The section of a scaling study: figures 1 to 4 of part 4 of AMD's Laplacian series, of one's own
// records.
#include "chart.hpp"
#include "html.hpp"
#include "linear_scale.hpp"
#include "sections.hpp"
#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace ridge::report {

namespace {

constexpr int study_width = 720;
constexpr Box study_frame{64, 30, 704, 290};
/// A study has more sizes than a benchmark at two sizes has.
constexpr std::size_t least_sizes = 3;
/// More than these are no longer told apart by their names below an axis.
constexpr std::size_t most_named_sizes = 24;
constexpr std::size_t most_curves = 24;
constexpr int colours = 8;

using Value = std::function<std::optional<double>(const StudyPoint&)>;

/// A line of a chart.
struct Line {
  std::string name;
  int colour = 0;
  bool modelled = false;
  std::vector<StudyPoint> points;
};

/// What an axis of values shows.
struct Quantity {
  std::string title; ///< "figure of merit, GB/s"
  std::string about; ///< below the chart
  Value value;
  double most = 0; ///< of the axis; 0: as the values are
};

/// Where a point lies along x, and how the axis is labelled.
struct Places {
  std::string title;
  std::function<double(const StudyPoint&)> at;
  LinearScale scale;
  std::vector<std::pair<double, std::string>> labels;
  bool turned = false; ///< labels stand aslant
  [[nodiscard]] int height() const { return turned ? 380 : 336; }
};

std::string numbers(const LinearScale& scale) {
  return fmt::format("{:.9g} {:.9g} {:g} {:g}", scale.low(), scale.high(), scale.from(),
                     scale.to());
}

/// Where lines cross the chart and what stands beside them.
std::string frame_svg(const std::string& id, const std::string& title, const std::string& spoken,
                      const Places& x, const LinearScale& y, const std::string& y_title) {
  std::string grid, labels;
  for (const double tick : y.ticks()) {
    grid += svg_line(study_frame.left, y.at(tick), study_frame.right, y.at(tick));
    labels +=
        svg_text(study_frame.left - 6, y.at(tick) + 4, Anchor::end, fmt::format("{:g}", tick));
  }
  for (const auto& [value, text] : x.labels) {
    const double at = x.scale.at(value);
    grid += svg_line(at, study_frame.bottom, at, study_frame.bottom + 4);
    labels += x.turned
                  ? fmt::format("<text class=\"end\" transform=\"translate({} {}) rotate(-40)\">"
                                "{}</text>",
                                place(at + 4), place(study_frame.bottom + 14), escaped(text))
                  : svg_text(at, study_frame.bottom + 17, Anchor::middle, text);
  }
  labels +=
      svg_text((study_frame.left + study_frame.right) / 2, x.height() - 4, Anchor::middle, x.title);
  labels += svg_text(0, study_frame.top - 12, Anchor::start, y_title);
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"{2}t {2}d\" data-x=\"{3}\" data-y=\"{4}\"><title id=\"{2}t\">{5}</title>"
      "<desc id=\"{2}d\">{6}</desc><path class=\"grid\" d=\"{7}\"/>{8}\n",
      study_width, x.height(), id, numbers(x.scale), numbers(y), escaped(title), escaped(spoken),
      grid, labels);
}

std::string line_svg(const Line& line, const Places& x, const LinearScale& y, const Value& value) {
  std::string path, marks;
  for (const StudyPoint& p : line.points) {
    const auto shown = value(p);
    if (!shown) continue;
    const double px = x.scale.at(x.at(p)), py = y.at(*shown);
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", place(px), place(py));
    marks += fmt::format("<use{} href=\"#m{}\" x=\"{}\" y=\"{}\"><title>{}: {}, {}: {:.4g}</title>"
                         "</use>",
                         line.modelled ? " class=\"c\"" : "", line.colour, place(px), place(py),
                         p.entry.number, size_text(*p.entry.record), escaped(line.name), *shown);
  }
  return fmt::format("<g class=\"p{}\"><path class=\"{}\" d=\"{}\"/>{}</g>\n", line.colour,
                     line.modelled ? "line dash" : "line", path, marks);
}

/// A chart with its legend; empty where no line has two values.
std::string chart(const std::string& id, const std::string& title, const std::vector<Line>& lines,
                  const Places& x, const Quantity& quantity) {
  double most = quantity.most;
  std::string spoken, keys;
  std::vector<const Line*> drawn;
  for (const Line& line : lines) {
    std::size_t values = 0;
    double least = 0, greatest = 0;
    for (const StudyPoint& p : line.points) {
      const auto value = quantity.value(p);
      if (!value) continue;
      least = values++ == 0 ? *value : std::min(least, *value);
      greatest = std::max(greatest, *value);
    }
    if (values < 2) continue;
    if (quantity.most == 0) most = std::max(most, greatest);
    drawn.push_back(&line);
    spoken += fmt::format("{}: {:.3g} to {:.3g}; ", line.name, least, greatest);
    keys += key(line.colour, line.name, line.modelled);
  }
  if (drawn.empty()) return "";
  const LinearScale y(0, most, true, study_frame.bottom, study_frame.top);
  std::string svg = frame_svg(id, title + ": " + quantity.title, spoken, x, y, quantity.title);
  for (const Line* const line : drawn)
    svg += line_svg(*line, x, y, quantity.value);
  return fmt::format("<figure class=\"study\"><figcaption>{} <span class=\"keys\">{}</span>"
                     "</figcaption>{}{}</svg></div></figure>\n",
                     escaped(quantity.about), keys, wide_part(title + ", " + quantity.title), svg);
}

/// The words of a text that not all of `texts` have.
std::string own_words(const std::string& text, const std::set<std::string>& texts) {
  std::istringstream words(text);
  std::string own;
  for (std::string word; words >> word;) {
    const bool common = std::all_of(texts.begin(), texts.end(), [&](const std::string& other) {
      return (" " + other + " ").find(" " + word + " ") != std::string::npos;
    });
    if (!common) own += (own.empty() ? "" : " ") + word;
  }
  return own.empty() ? text : own;
}

/// What tells curves apart: device, schedule, and whether they are modelled, each where it differs.
std::vector<Line> lines_of(const std::vector<StudyCurve>& curves) {
  std::set<std::string> devices, schedules;
  std::map<std::string, std::set<std::string>> of_device;
  std::set<bool> kinds;
  for (const StudyCurve& c : curves) {
    devices.insert(c.device);
    schedules.insert(c.schedule);
    of_device[c.device].insert(c.schedule);
    kinds.insert(c.modelled);
  }
  const bool several = std::any_of(of_device.begin(), of_device.end(),
                                   [](const auto& one) { return one.second.size() > 1; });
  std::map<std::pair<std::string, std::string>, int> colour_of;
  std::vector<Line> lines;
  for (const StudyCurve& c : curves) {
    std::string name;
    const auto add = [&](const std::string& part) { name += (name.empty() ? "" : ", ") + part; };
    if (devices.size() > 1) add(c.device);
    if (several) add(own_words(c.schedule, schedules));
    if (kinds.size() > 1) add(c.modelled ? "modelled" : "measured");
    if (name.empty()) add(c.device + (c.modelled ? ", modelled" : ""));
    const int next = static_cast<int>(colour_of.size()) % colours;
    const int colour = colour_of.try_emplace({c.device, c.schedule}, next).first->second;
    lines.push_back({name, colour, c.modelled, c.points});
  }
  return lines;
}

/// Lines over planes: each extent in x that has several planes is one of its own.
std::vector<Line> plane_lines(const std::vector<Line>& lines) {
  std::vector<Line> split;
  std::map<std::pair<int, Index>, int> colour_of;
  for (const Line& line : lines) {
    std::map<Index, std::vector<StudyPoint>> by_x;
    std::map<Index, std::set<double>> planes;
    for (const StudyPoint& p : line.points) {
      const SavedRecord& r = *p.entry.record;
      if (plane_bytes(r) <= 0) continue;
      by_x[r.size[0]].push_back(p);
      planes[r.size[0]].insert(plane_bytes(r));
    }
    const bool apart =
        by_x.size() > 1 && std::all_of(planes.begin(), planes.end(), [](const auto& of_x) {
          return of_x.second.size() >= least_sizes;
        });
    if (!apart) {
      Line all{line.name, line.colour, line.modelled, {}};
      for (const auto& [nx, points] : by_x)
        all.points.insert(all.points.end(), points.begin(), points.end());
      by_x.clear();
      by_x[0] = all.points;
    }
    for (auto& [nx, points] : by_x) {
      std::stable_sort(points.begin(), points.end(), [](const StudyPoint& a, const StudyPoint& b) {
        return plane_bytes(*a.entry.record) < plane_bytes(*b.entry.record);
      });
      const int next = static_cast<int>(colour_of.size()) % colours;
      const int colour = colour_of.try_emplace({line.colour, nx}, next).first->second;
      split.push_back({nx == 0 ? line.name : fmt::format("{}, nx = {}", line.name, nx), colour,
                       line.modelled, points});
    }
  }
  return split;
}

std::vector<StudyPoint> all_points(const std::vector<Line>& lines) {
  std::vector<StudyPoint> all;
  for (const Line& line : lines)
    all.insert(all.end(), line.points.begin(), line.points.end());
  return all;
}

/// Sizes side by side, smallest first.
Places by_size(const std::vector<StudyPoint>& points) {
  std::map<std::pair<double, std::vector<Index>>, std::string> sizes;
  for (const StudyPoint& p : points) {
    const SavedRecord& r = *p.entry.record;
    sizes[{points_of(r), r.size}] = size_text(r);
  }
  std::map<std::string, double> place_of;
  std::vector<std::pair<double, std::string>> labels;
  for (const auto& [size, text] : sizes) {
    labels.emplace_back(static_cast<double>(labels.size()), text);
    place_of[text] = labels.back().first;
  }
  const double last = static_cast<double>(labels.size()) - 0.5;
  return {"size, nx x ny x nz",
          [place_of](const StudyPoint& p) { return place_of.at(size_text(*p.entry.record)); },
          LinearScale(-0.5, last, false, study_frame.left, study_frame.right), std::move(labels),
          true};
}

Places by_plane(const std::vector<StudyPoint>& points) {
  double least = 0, most = 0;
  for (const StudyPoint& p : points) {
    const double megabytes = plane_bytes(*p.entry.record) / 1e6;
    least = least == 0 ? megabytes : std::min(least, megabytes);
    most = std::max(most, megabytes);
  }
  const double margin = (most - least) / 40;
  LinearScale scale(std::max(0.0, least - margin), most + margin, false, study_frame.left,
                    study_frame.right);
  std::vector<std::pair<double, std::string>> labels;
  for (const double tick : scale.ticks())
    labels.emplace_back(tick, fmt::format("{:g}", tick));
  return {"plane, nx x ny, MB",
          [](const StudyPoint& p) { return plane_bytes(*p.entry.record) / 1e6; }, scale,
          std::move(labels), false};
}

std::vector<Quantity> quantities() {
  return {{"figure of merit, GB/s", "Figure of merit: the least bytes over the time.",
           [](const StudyPoint& p) { return std::optional(p.merit / 1e9); }, 0},
          {"fetch efficiency, %", "Fetch efficiency: the least bytes read over those fetched.",
           [](const StudyPoint& p) {
             return p.efficiency ? std::optional(100 * *p.efficiency) : std::nullopt;
           },
           100},
          {"hit rate, %", "Hit rate of the last-level cache.",
           [](const StudyPoint& p) {
             return p.hit_rate ? std::optional(100 * *p.hit_rate) : std::nullopt;
           },
           100}};
}

std::size_t sizes_of(const std::vector<StudyPoint>& points) {
  std::set<std::string> sizes;
  for (const StudyPoint& p : points)
    sizes.insert(size_text(*p.entry.record));
  return sizes.size();
}

std::size_t planes_of(const std::vector<StudyPoint>& points) {
  std::set<double> planes;
  for (const StudyPoint& p : points)
    planes.insert(plane_bytes(*p.entry.record));
  planes.erase(0);
  return planes.size();
}

/// The charts of a kernel.
std::string charts(const Group& kernel, std::size_t number) {
  std::vector<StudyCurve> curves = study_curves(kernel.entries);
  std::erase_if(curves, [](const StudyCurve& c) { return c.points.size() < least_sizes; });
  if (curves.empty()) return "";
  const std::size_t left_out = curves.size() > most_curves ? curves.size() - most_curves : 0;
  curves.resize(curves.size() - left_out);
  const std::vector<Line> lines = lines_of(curves);
  const std::vector<StudyPoint> points = all_points(lines);
  std::string html;
  int charts = 0;
  const auto draw = [&](const std::vector<Line>& of, const Places& x, const Quantity& quantity) {
    html += chart(fmt::format("study{}c{}", number, ++charts), kernel.name, of, x, quantity);
  };
  const auto all = quantities();
  const bool named = sizes_of(points) <= most_named_sizes;
  if (named) {
    for (const Quantity& quantity : all)
      draw(lines, by_size(points), quantity);
  }
  if (planes_of(points) >= least_sizes) {
    const std::vector<Line> over_planes = plane_lines(lines);
    const Places x = by_plane(all_points(over_planes));
    draw(over_planes, x, all.front());
    for (std::size_t q = 1; q < all.size() && !named; ++q)
      draw(over_planes, x, all[q]);
  }
  if (html.empty()) return "";
  if (left_out > 0)
    html += fmt::format("<p>{} more curves are left to the table of records.</p>\n", left_out);
  return fmt::format("<h3>{}</h3>\n{}", escaped(kernel.name), html);
}

} // namespace

Section study_section(const std::vector<Entry>& entries) {
  std::string html;
  std::size_t number = 0;
  for (const Group& kernel : grouped(entries, kernel_and_precision))
    html += charts(kernel, ++number);
  if (html.empty()) return {"study", "", ""};
  return {"study", "Scaling study",
          "<p>Solid lines and full marks are measured, dashed lines and hollow marks are "
          "modelled.</p>\n" +
              html};
}

} // namespace ridge::report
