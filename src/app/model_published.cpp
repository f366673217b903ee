#include "model_published.hpp"

#include <ridge/lab/table.hpp>
#include <ridge/model/published.hpp>

#include "../core/refuse.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

using model::Compared;
using model::Comparison;
using model::FigurePoint;
using nlohmann::ordered_json;

ordered_json to_json(const Compared& c) {
  ordered_json o{{"case", c.published->name},
                 {"efficiency_published", c.published->efficiency},
                 {"efficiency", c.efficiency},
                 {"efficiency_low", c.efficiency_low},
                 {"efficiency_high", c.efficiency_high},
                 {"error", c.error()},
                 {"within", c.published->within},
                 {"fetched_bytes", c.traffic.fetched},
                 {"written_bytes", c.traffic.written},
                 {"hit_rate", c.hit_rate / 100},
                 {"cause", c.traffic.cause}};
  if (c.published->hit_rate) o["hit_rate_published"] = *c.published->hit_rate / 100;
  return o;
}

void add_row(lab::Table& table, const Compared& c) {
  const auto percent = [](double value) { return fmt::format("{:.1f}", value); };
  table.add({c.published->name, percent(c.published->efficiency), percent(c.efficiency),
             fmt::format("{:+.1f}", c.error()),
             percent(c.efficiency_low) + " to " + percent(c.efficiency_high),
             c.published->hit_rate ? percent(*c.published->hit_rate) : "-", percent(c.hit_rate),
             to_text(c.traffic.failing)});
}

lab::Table table_of(const std::vector<Compared>& cases) {
  lab::Table table({"kernel", "published", "model", "error", "band", "hits published", "hits model",
                    "what fails"});
  for (const Compared& c : cases)
    add_row(table, c);
  return table;
}

/// Mean and largest of the relative errors, in percent.
struct FigureErrors {
  double mean = 0, largest = 0;
};

FigureErrors errors_of(const std::vector<FigurePoint>& points) {
  FigureErrors errors;
  for (const FigurePoint& p : points) {
    const double error = 100 * std::abs(p.error());
    errors.mean += error / static_cast<double>(points.size());
    errors.largest = std::max(errors.largest, error);
  }
  return errors;
}

void print_text(const Comparison& steady, const Comparison& spilling,
                const std::vector<FigurePoint>& figure) {
  fmt::print("fetch efficiency (least bytes over fetched bytes) and hits of the L2, in percent: "
             "AMD lab notes, Laplacian parts 1 to 4, one GCD of an MI250X, fp64\n{}",
             table_of(steady.cases).text());
  fmt::print("mean error {:.2f} points (at most 3.5), largest {:.1f} (at most 11), {} of {} within "
             "5 (at least 15); hits {:.2f} (at most 2.5)\n",
             steady.mean, steady.largest, steady.within_five, steady.cases.size(),
             steady.mean_hit_rate);
  fmt::print("\nregisters spill, not counted above:\n{}", table_of(spilling.cases).text());
  if (figure.empty()) return;
  const FigureErrors errors = errors_of(figure);
  fmt::print("\nfigure of merit of kernel 5 at {} sizes: mean error {:.1f} %, largest {:.0f} %\n",
             figure.size(), errors.mean, errors.largest);
}

void print_json(const Comparison& steady, const Comparison& spilling,
                const std::vector<FigurePoint>& figure) {
  ordered_json o{{"mean", steady.mean},
                 {"largest", steady.largest},
                 {"within_five", steady.within_five},
                 {"mean_hit_rate", steady.mean_hit_rate},
                 {"ok", steady.holds()}};
  const auto list = [&](const char* name, const Comparison& comparison) {
    o[name] = ordered_json::array();
    for (const Compared& c : comparison.cases)
      o[name].push_back(to_json(c));
  };
  list("cases", steady);
  list("spilling", spilling);
  if (!figure.empty()) {
    const FigureErrors errors = errors_of(figure);
    o["figure"] = {{"points", figure.size()},
                   {"mean_percent", errors.mean},
                   {"largest_percent", errors.largest}};
    for (const FigurePoint& p : figure) {
      o["figure"]["list"].push_back({{"size", {p.extents.x, p.extents.y, p.extents.z}},
                                     {"published", p.bytes_per_second},
                                     {"model", p.modelled}});
    }
  }
  fmt::print("{}\n", o.dump(2));
}

} // namespace

void print_published(const std::string& figure, bool json) {
  const auto device = model::shipped_description("mi250x-gcd");
  const auto points =
      figure.empty() ? std::vector<FigurePoint>{} : model::read_figure(figure, device);
  const Comparison steady = compare_published(model::published_cases(), device);
  const Comparison spilling = compare_published(model::spilling_cases(), device);
  (json ? print_json : print_text)(steady, spilling, points);
  fail_if(!steady.holds(), "the model is off the published figures by more than it may be");
}

} // namespace ridge::app
