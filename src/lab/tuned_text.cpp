#include <ridge/core/units.hpp>
#include <ridge/lab/tuned_text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ridge::lab {

namespace {

using tune::Found;

std::string end_text(const Found& found) {
  switch (found.end) {
  case Found::End::settled:
    return "nothing better by more than 2 % is left among what was measured";
  case Found::End::budget:
    if (found.measured == 1) return "the budget was too small for any other";
    if (found.left >= 1) return "the budget was too small to compare the best with one another";
    return fmt::format(
        "the budget ended it: another that was measured may be up to {:.1f} % better",
        100 * found.left);
  case Found::End::stopped:
    break;
  }
  return "stopped by the user: the best until then";
}

const char* end_name(Found::End end) {
  return end == Found::End::settled ? "settled" : end == Found::End::budget ? "budget" : "stopped";
}

/// "1.23 (1.20 to 1.26)".
std::string gain_text(const Estimate& gain) {
  if (!gain.has_interval()) return fmt::format("{:.3f}", gain.value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", gain.value, gain.low, gain.high);
}

} // namespace

std::string tuned_text(const tune::Tuned& tuned, const tune::Key& key) {
  const Found& f = tuned.found;
  std::string text = fmt::format("{} on {}\n", to_text(key), key.device);
  text += fmt::format("measured {} schedule{} in {:.1f} s, of a space of {} and around it\n",
                      f.measured, f.measured == 1 ? "" : "s", f.spent, f.space);
  text += fmt::format("  default  {:>9}  {}\n", to_text(Seconds{f.standard.seconds}),
                      f.standard.schedule);
  text += fmt::format("  best     {:>9}  {}\n", to_text(Seconds{f.best.seconds}), f.best.schedule);
  text += f.measured == 1 && f.space > 1 ? "nothing but the default was measured\n"
          : f.best.schedule == f.standard.schedule
              ? "the default is the best\n"
              : fmt::format("the default takes {} times as long\n", gain_text(f.gain));
  text += end_text(f);
  const std::string file = tune::Wisdom::here().file();
  text += tuned.kept ? fmt::format("\nkept in {}: schedule=auto takes it from now on", file)
                     : std::string("\nnot kept");
  return text;
}

std::string tuned_json(const tune::Tuned& tuned, const tune::Key& key) {
  const Found& f = tuned.found;
  nlohmann::ordered_json json;
  json["kernel"] = key.kernel;
  json["precision"] = key.precision;
  if (!key.site.empty()) json["site"] = key.site;
  json["size"] = nlohmann::ordered_json::array();
  for (int d = 0; d < key.size.rank(); ++d)
    json["size"].push_back(key.size[d]);
  json["device"] = key.device;
  json["driver"] = key.driver;
  json["compiler"] = key.compiler;
  json["schedule"] = f.best.schedule;
  json["seconds"] = f.best.seconds;
  json["default"] = f.standard.schedule;
  json["default_seconds"] = f.standard.seconds;
  json["gain"] = f.gain.value;
  if (f.gain.has_interval()) {
    json["gain_low"] = f.gain.low;
    json["gain_high"] = f.gain.high;
  }
  json["left"] = f.left;
  json["end"] = end_name(f.end);
  if (!f.ranked_first.empty()) json["model_choice"] = f.ranked_first;
  json["space"] = f.space;
  json["measured"] = f.measured;
  json["spent_seconds"] = f.spent;
  json["kept"] = tuned.kept;
  json["wisdom"] = tune::Wisdom::here().file();
  json["trials"] = nlohmann::ordered_json::array();
  for (const tune::Trial& t : f.trials) {
    nlohmann::ordered_json one{{"schedule", t.schedule}};
    if (t.seconds > 0) one["seconds"] = t.seconds;
    if (!t.problem.empty()) one["problem"] = t.problem;
    json["trials"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace ridge::lab
