#include "energy.hpp"

#include <ridge/core/error.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace ridge::app {

namespace {

constexpr const char* joules_detail = "joules";

} // namespace

Energy::Energy(const Device& device) {
  try {
    counter_ = energy_counter(device);
  } catch (const Error& error) {
    fmt::print(stderr, "ridge: joules are not measured: {}\n", error.what());
  }
}

void Energy::add_to(Record& record, Case& the_case) const {
  const auto asked = the_case.menu().asked(record.schedule);
  if (counter_ == nullptr || !record.timing || asked.size() != 1) return;
  const Program program = the_case.bind(asked.front());
  const double joules = joules_of_launch(
      *counter_, [&] { program.run(); }, [&] { the_case.queue().wait(); }, record.timing->median);
  record.details.push_back({joules_detail, joules, {}});
  record.details.push_back({"joules_from", 0, counter_->source()});
}

std::string energy_text(const Record& record) {
  const auto at = std::find_if(record.details.begin(), record.details.end(),
                               [](const Detail& d) { return d.name == joules_detail; });
  if (at == record.details.end() || !record.timing) return "";
  return fmt::format("{} at {}", quantity(at->number, "J"),
                     quantity(at->number / record.timing->median.value, "W"));
}

} // namespace ridge::app
