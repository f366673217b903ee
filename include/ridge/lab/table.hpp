// Tables for the terminal.
#pragma once

#include <ridge/record/record.hpp>
#include <ridge/record/roof.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ridge::lab {

/// The most characters of a line.
inline constexpr std::size_t most_columns = 120;

/// The line, broken at blanks into lines of `most_columns` characters at most, of which all but the
/// first begin with `indent` blanks. Words that are longer stay whole.
[[nodiscard]] std::string within_columns(std::string line, std::size_t indent = 12);

/// Columns that line up: text to the left, numbers to the right, two blanks between. Lines are kept
/// within columns.
class Table {
public:
  explicit Table(std::vector<std::string> header);
  /// One cell a column.
  void add(std::vector<std::string> row);
  /// Header, rule and rows, a newline behind each.
  [[nodiscard]] std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

/// Cells of `record_header()` for one record.
[[nodiscard]] std::vector<std::string> record_header();
[[nodiscard]] std::vector<std::string> record_row(const Record& record);

/// "3.85 TB/s"; "2.73 T/s, 62.8 Tflop/s" for interactions; "-" when there is none.
[[nodiscard]] std::string rate_text(const Record& record);
/// "58.2 Gupdates/s" of points, sites or numbers; empty for interactions, whose rate is the one
/// achieved, and where nothing was timed.
[[nodiscard]] std::string updates_text(const Record& record);
/// "copy 4.27 TB/s", "-" when there is none.
[[nodiscard]] std::string roof_text(const Record& record);

/// The ceilings, one a line.
[[nodiscard]] std::string roof_table(const Roof& roof);

} // namespace ridge::lab
