// The search on spaces that were measured whole on an H200 (bench/tune.sh): no GPU is needed.
#include <ridge/core/changes.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>
#include <ridge/model/description.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/tune/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace ridge::tune {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::istringstream in(line); std::getline(in, cell, ',');)
    cells.push_back(cell);
  return cells;
}

/// Seconds of schedules by case ("512x512x256-fp64").
std::map<std::string, std::map<std::string, double>> measured_spaces() {
  std::map<std::string, std::map<std::string, double>> spaces;
  std::ifstream in(RIDGE_TUNE_RECORDS "/space.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells_of(line);
  std::string first; // rows name the fields in which they differ from it
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (first.empty()) first = cells[0];
    std::map<std::string, std::string> fields; // of those named twice the last counts
    for (const std::string& text : {first, cells[0]}) {
      for (const auto word : text::words(text))
        fields[std::string(word.substr(0, word.find('=')))] = word;
    }
    std::string whole;
    for (const auto& [name, word] : fields)
      whole += word + " ";
    const std::string schedule = text::print(text::parse<stencil::GpuSchedule>(whole));
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (!cells[i].empty()) spaces[names[i]][schedule] = std::stod(cells[i]) * 1e-6;
    }
  }
  return spaces;
}

/// How many times as long as the best of the space what the search finds takes.
double searched(const std::string& name, const std::map<std::string, double>& seconds) {
  const auto dash = name.find('-');
  const Index3 n = parse_extents(name.substr(0, dash), "a case").xyz();
  const stencil::Traits traits = name.substr(dash + 1) == "fp64"
                                     ? stencil::traits_of<stencil::Laplacian<2, 3>, double>()
                                     : stencil::traits_of<stencil::Laplacian<2, 3>, float>();
  const model::Description h200 = model::shipped_description("h200");
  std::mt19937 random(3);
  std::normal_distribution<double> jitter(0, 0.005);
  double clock = 0;
  Ground ground;
  for (const auto& [schedule, time] : seconds)
    ground.space.push_back(schedule);
  ground.bind = [&](const std::string& schedule) {
    const auto at = seconds.find(schedule);
    if (at == seconds.end()) throw Failure("not measured");
    return [&, time = at->second] {
      clock += time;
      return time * (1 + std::abs(jitter(random)));
    };
  };
  ground.around = [](const std::string& s) {
    std::vector<std::string> all;
    for (const auto& other : text::neighbours_of(text::parse<stencil::GpuSchedule>(s)))
      all.push_back(text::print(other));
    return all;
  };
  ground.cost = [&](const std::string& s) -> std::optional<double> {
    const auto p = stencil::predict(traits, text::parse<stencil::GpuSchedule>(s), n, h200);
    return p.time ? std::optional(p.time->seconds.value) : std::nullopt;
  };
  SearchOptions options;
  options.now = [&] { return clock; };
  // Not the default of every size: at 256x256x256 it takes five times as long as the best.
  const std::string standard = text::print(text::parse<stencil::GpuSchedule>(
      "block=128x2x1 tile=4 loads=stencil bounds=1024 store=plain grid=xyz split=1 stage=bulk "
      "ring=5 chunks=1 drift=2 pace=2"));
  const Found found = search(ground, standard, options);
  EXPECT_LE(found.measured, std::max<int>(24, static_cast<int>(seconds.size()) / 10)) << name;
  const auto best = std::min_element(seconds.begin(), seconds.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return seconds.at(found.best.schedule) / best->second;
}

TEST(Replay, ComesWithinTwoPercentOfTheBestOfWholeSpacesOfAnH200) {
  int near = 0;
  int cases = 0;
  for (const auto& [name, seconds] : measured_spaces()) {
    const double times = searched(name, seconds);
    near += times <= 1.02 ? 1 : 0;
    ++cases;
    std::cout << name << ": " << times << '\n';
  }
  EXPECT_GE(cases, 3);
  EXPECT_GE(16 * near, 15 * cases);
}

} // namespace
} // namespace ridge::tune
