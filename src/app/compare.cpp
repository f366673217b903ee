#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/report/compare.hpp>

#include "../core/refuse.hpp"
#include "commands.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

using Json = nlohmann::ordered_json;
using report::Comparison;
using report::Sample;
using report::Verdict;

std::string time_of(const std::optional<Sample>& sample) {
  return sample && sample->seconds ? to_text(Seconds{*sample->seconds}) : "-";
}

/// "+8.1 %" for what takes longer.
std::string change_of(const Comparison& c) {
  return c.longer ? fmt::format("{:+.1f} %", 100 * *c.longer) : "-";
}

/// Names come from files: what would move the cursor is shown as a question mark.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text;
}

std::string table_of(const std::vector<Comparison>& all) {
  lab::Table table(
      {"verdict", "change", "a", "b", "kernel", "size", "precision", "device", "schedule", "why"});
  std::size_t width = 0;
  for (const Comparison& c : all)
    width = std::max(width, change_of(c).size());
  for (const Comparison& c : all) {
    const report::SavedRecord& r = c.launch();
    std::vector<std::string> row = {to_text(c.verdict),
                                    fmt::format("{:>{}}", change_of(c), width),
                                    time_of(c.a),
                                    time_of(c.b),
                                    kernel_text(r),
                                    size_text(r),
                                    r.precision,
                                    r.device_name.empty() ? r.device : r.device_name,
                                    r.schedule_name.empty() ? r.schedule : r.schedule_name,
                                    c.reason};
    std::transform(row.begin(), row.end(), row.begin(), on_one_line);
    table.add(std::move(row));
  }
  return table.text();
}

Json json_of(const Sample& s) {
  Json json;
  const auto value = [&](const char* name, std::optional<double> number) {
    json[name] = number ? Json(*number) : Json(nullptr);
  };
  const auto low = [](const auto& i) { return i ? std::optional(i->low) : std::nullopt; };
  const auto high = [](const auto& i) { return i ? std::optional(i->high) : std::nullopt; };
  json["records"] = s.records;
  value("seconds", s.seconds);
  value("seconds_min", low(s.times));
  value("seconds_max", high(s.times));
  value("fraction", s.fraction);
  value("fraction_low", low(s.fractions));
  value("fraction_high", high(s.fractions));
  json["schedule"] = s.record.schedule;
  json["device_name"] = s.record.device_name;
  return json;
}

std::string json_of(const std::vector<Comparison>& all) {
  Json list = Json::array();
  for (const Comparison& c : all) {
    const report::SavedRecord& r = c.launch();
    Json one;
    one["pattern"] = r.pattern;
    one["kernel"] = r.kernel;
    one["device"] = r.device;
    one["device_name"] = r.device_name;
    one["precision"] = r.precision;
    if (!r.site.empty()) one["site"] = r.site;
    one["size"] = r.size;
    one["schedule"] = r.schedule;
    if (!r.schedule_name.empty()) one["schedule_name"] = r.schedule_name;
    one["verdict"] = to_text(c.verdict);
    one["reason"] = c.reason;
    one["change_percent"] = c.longer ? Json(100 * *c.longer) : Json(nullptr);
    one["change_of"] = c.by_fraction ? "fraction" : "time";
    one["a"] = c.a ? json_of(*c.a) : Json(nullptr);
    one["b"] = c.b ? json_of(*c.b) : Json(nullptr);
    list.push_back(std::move(one));
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace);
}

struct CompareCommand {
  std::string a, b;
  std::optional<double> fail_slower;
  bool json = false;

  void run() const {
    refuse_if(fail_slower && !(*fail_slower >= 0 && std::isfinite(*fail_slower)),
              "--fail-slower must be a percentage not below 0, such as 5");
    const std::vector<Comparison> all = report::compare(read(a), read(b));
    if (json) {
      fmt::print("{}\n", json_of(all));
    } else {
      print(all);
    }
    if (fail_slower) require_none_slower(all);
  }

  static report::Saved read(const std::string& file) {
    report::Saved saved = report::read_saved(file);
    refuse_if(saved.records.empty(),
              "{} holds the ceilings of a device; give records, as ridge bench --json prints them",
              file);
    return saved;
  }

  static std::size_t count(const std::vector<Comparison>& all, Verdict verdict) {
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Comparison& c) { return c.verdict == verdict; }));
  }

  void print(const std::vector<Comparison>& all) const {
    fmt::print("a: {}\nb: {}\n\n{}\n", on_one_line(a), on_one_line(b), table_of(all));
    fmt::print("{} faster, {} slower, {} cannot tell\n", count(all, Verdict::faster),
               count(all, Verdict::slower), count(all, Verdict::unclear));
    fmt::print("change: how much longer b takes, by the fraction of the roof where both have an "
               "interval of it, else by time\n");
  }

  void require_none_slower(const std::vector<Comparison>& all) const {
    const bool any_pair = std::any_of(all.begin(), all.end(),
                                      [](const Comparison& c) { return c.longer.has_value(); });
    fail_if(!any_pair, "no launch of {} has a partner with a time in {}: nothing was compared", a,
            b);
    const Comparison* worst = nullptr;
    int slower = 0;
    for (const Comparison& c : all) {
      if (c.verdict != Verdict::slower || 100 * c.longer.value_or(0) <= *fail_slower) continue;
      ++slower;
      if (worst == nullptr || *c.longer > *worst->longer) worst = &c;
    }
    if (worst == nullptr) return;
    const report::SavedRecord& r = worst->launch();
    throw Failure(
        fmt::format("{} slower by more than {} %; most of all {} {} {}, by {:.1f} %",
                    slower == 1 ? "one launch is" : fmt::format("{} launches are", slower),
                    *fail_slower, kernel_text(r), size_text(r), r.precision, 100 * *worst->longer));
  }
};

} // namespace

void add_compare(CommandLine& line) {
  const Command command = line.add_command(
      "compare", "compare two files of records: faster, slower or cannot tell, and why");
  auto o = std::make_shared<CompareCommand>();
  command.add({required("A", &o->a, "file of records, as --json prints them"),
               required("B", &o->b, "another one: is it faster or slower than A?"),
               {"--fail-slower", &o->fail_slower,
                "exit 1 when a launch is slower by more than so many percent"},
               {"--json", &o->json, "print an array, one element a launch"}});
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
