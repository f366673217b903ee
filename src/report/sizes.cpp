#include "chart.hpp"
#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ridge::report {

namespace {

constexpr int wide = 340, tall = 250;
constexpr Box inside{56, 30, 330, 206};
/// More kernels than this are left to the table.
constexpr std::size_t most_charts = 24;

bool timed(const SavedRecord& record) {
  return record.seconds.value_or(0) > 0 && !is_wrong(record);
}

/// The fastest record of each size, smallest size first.
std::vector<Entry> fastest_of_sizes(const std::vector<Entry>& entries) {
  std::map<double, Entry> fastest;
  for (const Entry& entry : entries) {
    const auto [at, is_new] = fastest.try_emplace(points_of(*entry.record), entry);
    if (!is_new && *entry.record->seconds < *at->second.record->seconds) at->second = entry;
  }
  std::vector<Entry> list;
  list.reserve(fastest.size());
  for (const auto& [size, entry] : fastest)
    list.push_back(entry);
  return list;
}

/// A curve for each precision.
struct Curve {
  std::string name;
  std::vector<Entry> entries;
};

std::vector<Curve> curves_of(const Group& kernel) {
  std::vector<Curve> curves;
  for (const Group& group :
       grouped(kernel.entries, [](const SavedRecord& r) { return r.precision; }))
    curves.push_back({group.name, fastest_of_sizes(group.entries)});
  return curves;
}

std::string curve_svg(const Curve& curve, std::size_t index, const LogScale& x, const LogScale& y) {
  std::string line, spread, marks;
  for (const Entry& entry : curve.entries) {
    const SavedRecord& r = *entry.record;
    const double px = x.at(points_of(r)), py = y.at(*r.seconds);
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L", place(px), place(py));
    if (r.seconds_min.value_or(0) > 0 && r.seconds_max.value_or(0) > 0) {
      spread += fmt::format("M{} {}V{}", place(px), place(y.at(*r.seconds_min)),
                            place(y.at(*r.seconds_max)));
    }
    marks +=
        fmt::format("<use href=\"#m{}\" x=\"{}\" y=\"{}\"><title>{}: {}, {}</title></use>", index,
                    place(px), place(py), entry.number, size_text(r), figure(r.seconds, "s"));
  }
  return fmt::format("<g class=\"p{}\"><path class=\"line\" d=\"{}{}\"/>{}</g>\n", index, line,
                     spread, marks);
}

std::string chart(const Group& kernel, const std::vector<Curve>& curves, const std::string& id,
                  const std::string& device) {
  std::vector<double> sizes, times;
  std::string spoken, keys;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (const Entry& entry : curves[c].entries) {
      const SavedRecord& r = *entry.record;
      sizes.push_back(points_of(r));
      for (const auto seconds : {r.seconds, r.seconds_min, r.seconds_max})
        times.push_back(seconds.value_or(0));
      spoken +=
          fmt::format("{} {}: {}; ", curves[c].name, size_text(r), to_text(Seconds{*r.seconds}));
    }
    for (const Entry* const end : {&curves[c].entries.front(), &curves[c].entries.back()}) {
      spoken += fmt::format("{} {}: {}; ", curves[c].name, size_text(*end->record),
                            figure(end->record->seconds, "s"));
    }
    keys += key(static_cast<int>(c % 5), curves[c].name);
  }
  const Axis x{LogScale(sizes, 1.3, inside.left, inside.right), "points, bodies or sites", "", 6};
  const Axis y{LogScale(times, 1.3, inside.bottom, inside.top), "time", "s", 6};
  std::string svg = svg_begin(id, wide, tall, kernel.name + " on " + device, spoken, x, y);
  for (std::size_t c = 0; c < curves.size(); ++c)
    svg += curve_svg(curves[c], c % 5, x.scale, y.scale);
  return fmt::format("<figure><figcaption>{} <span class=\"keys\">{}</span></figcaption>{}</svg>"
                     "</figure>\n",
                     escaped(kernel.name), keys, svg);
}

} // namespace

Section sizes_section(const Devices& devices) {
  std::string html;
  std::size_t charts = 0, left_out = 0;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::string figures;
    for (const Group& kernel : grouped(devices[d].entries, [](const SavedRecord& r) {
           return timed(r) ? kernel_text(r) : "";
         })) {
      const auto curves = curves_of(kernel);
      const bool several = std::any_of(curves.begin(), curves.end(),
                                       [](const Curve& c) { return c.entries.size() > 1; });
      if (!several) continue;
      if (++charts > most_charts) {
        ++left_out;
        continue;
      }
      figures += chart(kernel, curves, fmt::format("size{}", charts), devices[d].name);
    }
    if (!figures.empty()) {
      html += fmt::format("<h3>{}</h3>\n<div class=\"small\">{}</div>\n", escaped(devices[d].name),
                          figures);
    }
  }
  if (html.empty()) return {"sizes", "", ""};
  html = "<p>The fastest schedule of each size; lines up and down: the least and the most of the "
         "repeats.</p>\n" +
         html;
  if (left_out > 0) {
    html += fmt::format("<p>{} more with several sizes: see the table of records.</p>\n", left_out);
  }
  return {"sizes", "Time against size", html};
}

} // namespace ridge::report
