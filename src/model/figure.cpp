// Figures of the AMD Laplacian series that a user has as a table.
#include <ridge/model/published.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

namespace ridge::model {

namespace {

/// Kernel 5 at 512^3, which fetches no more than it must (part 3 of the series).
constexpr double full_efficiency = 1165e9;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

double number_in(const std::string& cell, const std::string& where) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [rest, status] = std::from_chars(cell.data(), end, value);
  refuse_if(status != std::errc{} || rest != end || !(value > 0) || value > 1e6,
            "{}: '{}' is not a number above 0", where, cell);
  return value;
}

/// Where each column is, by its name.
std::map<std::string, std::size_t> columns_of(const std::string& header, const std::string& where) {
  std::map<std::string, std::size_t> columns;
  const auto names = cells_of(header);
  for (std::size_t i = 0; i < names.size(); ++i)
    columns.emplace(names[i], i);
  for (const char* name : {"nx", "ny", "nz", "kernel", "block", "fom_gb_s"}) {
    refuse_if(!columns.contains(name),
              "{}: there is no column '{}'; a figure has the columns nx, ny, "
              "nz, kernel, block and fom_gb_s",
              where, name);
  }
  return columns;
}

} // namespace

std::vector<FigurePoint> read_figure(const std::string& path, const Description& device) {
  std::ifstream file(path);
  refuse_if(!file, "the figure '{}' cannot be read", path);
  const PublishedCase kernel5 =
      *std::find_if(published_cases().begin(), published_cases().end(),
                    [](const PublishedCase& c) { return c.name == "kernel 5, m = 8"; });
  std::map<std::string, std::size_t> columns;
  std::vector<FigurePoint> points;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = fmt::format("figure '{}', line {}", path, ++number);
    if (line.empty() || line[0] == '#') continue;
    if (columns.empty()) {
      columns = columns_of(line, where);
      continue;
    }
    const auto cells = cells_of(line);
    const auto cell = [&](const char* name) {
      const std::size_t at = columns.at(name);
      return at < cells.size() ? cells[at] : std::string{};
    };
    if (cell("kernel") != "5" || cell("block") != "256x1x1" || cell("fom_gb_s").empty()) continue;
    PublishedCase c = kernel5;
    const auto extent = [&](const char* name) {
      return static_cast<Index>(number_in(cell(name), where));
    };
    c.extents = {extent("nx"), extent("ny"), extent("nz")};
    const StencilAccess access = access_of(c);
    const Traffic traffic = traffic_of(access, device);
    const double least = static_cast<double>((access.work.read + access.work.written).value);
    points.push_back({c.extents, number_in(cell("fom_gb_s"), where) * 1e9,
                      full_efficiency * least / (traffic.fetched + traffic.written)});
  }
  refuse_if(points.empty(), "the figure '{}' has no point of kernel 5 in blocks of 256x1x1", path);
  return points;
}

} // namespace ridge::model
