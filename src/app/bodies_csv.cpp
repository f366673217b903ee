#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"
#include "bodies_input.hpp"
#include "interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

using spatial::Bodies;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\"";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// A cell for a message: what terminals may act upon is '?'.
std::string printable(std::string_view cell) {
  std::string text(cell.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

class CsvReader {
public:
  explicit CsvReader(std::string_view file) : name_(file) {
    std::error_code why;
    const auto status = fs::status(fs::path(name_), why);
    refuse_if(status.type() == fs::file_type::not_found, "there is no file {}", name_);
    refuse_if(status.type() != fs::file_type::regular && status.type() != fs::file_type::fifo,
              "{} is not a file", name_);
    stream_.open(name_, std::ios::binary);
    if (!stream_) fail();
  }

  Bodies read() {
    Bodies bodies;
    refuse_if(!next_line(), "{} is empty; {}", name_, first_line_is);
    const auto columns = find_columns(bodies);
    while (next_line()) {
      const auto cells = cells_of(line_);
      refuse_if(cells.size() != width_, "{} line {} has {} values and the first line {} names",
                name_, number_, cells.size(), width_);
      for (const auto& [values, at, column] : columns)
        values->push_back(number(cells[at], column));
      if (number_ % 65536 == 0) check_interrupt();
    }
    refuse_if(bodies.count() < 1, "{} names columns and has no bodies below them", name_);
    return bodies;
  }

private:
  struct Column {
    std::vector<double>* values;
    std::size_t at;
    const char* name;
  };
  static constexpr std::string_view first_line_is =
      "its first line must name the columns x,y,z,vx,vy,vz,m in any order";

  [[noreturn]] void fail() const {
    throw Failure(fmt::format("reading {}: {}", name_, std::strerror(errno)));
  }

  /// The next line with something on it; false at the end.
  bool next_line() {
    while (std::getline(stream_, line_)) {
      ++number_;
      if (number_ == 1 && line_.starts_with("\xef\xbb\xbf")) line_.erase(0, 3); // byte order mark
      refuse_if(number_ == 1 && line_.find('\0') != std::string::npos,
                "{} line 1 has zero bytes, as texts in UTF-16 and binary files do; a CSV file in "
                "UTF-8 or ASCII is right",
                name_);
      const auto text = trimmed(line_);
      if (!text.empty() && text.front() != '#') return true;
    }
    if (stream_.bad()) fail();
    return false;
  }

  std::vector<Column> find_columns(Bodies& bodies) {
    const auto names = cells_of(line_);
    width_ = names.size();
    std::vector<Column> columns;
    bodies.for_each([&](auto& values, const char* column) {
      const auto found = std::find(names.begin(), names.end(), column);
      refuse_if(found == names.end(), "{} has no column {}{}; {}", name_, column, instead(names),
                first_line_is);
      refuse_if(std::find(found + 1, names.end(), column) != names.end(), "{} has two columns {}",
                name_, column);
      columns.push_back({&values, static_cast<std::size_t>(found - names.begin()), column});
    });
    return columns;
  }

  /// The contents of a first line that lacks columns.
  [[nodiscard]] std::string instead(const std::vector<std::string_view>& names) const {
    if (line_.find('\r') < line_.size() - 1) return ": its lines end in a carriage return alone";
    for (const auto& [between, called] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")})
      if (line_.find(between) != std::string::npos)
        return fmt::format(" between commas: its values have {} between them", called);
    double value = 0;
    const std::string_view first = names.front();
    if (std::from_chars(first.data(), first.data() + first.size(), value).ec == std::errc{})
      return fmt::format(": its first line has numbers, '{}', ...", printable(first));
    std::string own;
    for (const std::string_view name : names)
      own += (own.empty() ? "" : ",") + printable(name);
    return fmt::format(" among '{}'", own.substr(0, 80));
  }

  double number(std::string_view cell, const char* column) const {
    double value = 0;
    const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const char* const end = cell.data() + cell.size();
    const auto [stopped, status] = std::from_chars(begin, end, value);
    refuse_if(status == std::errc::result_out_of_range && stopped == end,
              "{} line {}: {} is '{}', which is beyond what fp64 holds", name_, number_, column,
              cell);
    refuse_if(status != std::errc{} || stopped != end || begin == end,
              "{} line {}: {} is '{}', not a number", name_, number_, column, printable(cell));
    return value;
  }

  std::string name_;
  std::ifstream stream_;
  std::string line_;
  Index number_ = 0;
  std::size_t width_ = 0;
};

} // namespace

Bodies read_csv_bodies(std::string_view file) {
  return CsvReader(file).read();
}

} // namespace ridge::app
