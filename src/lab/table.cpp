#include <ridge/core/units.hpp>
#include <ridge/lab/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ridge::lab {

namespace {

/// Characters on the screen: bytes that do not continue a UTF-8 sequence.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool numeric(const std::string& cell) {
  return cell == "-" || (!cell.empty() && std::isdigit(static_cast<unsigned char>(cell[0])) != 0);
}

/// Where the last word that ends within so many columns is over; 0 where none is.
std::size_t end_of_words(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    if (text[i] == ' ') end = i;
    if (++column > columns) break;
  }
  return end;
}

} // namespace

std::string within_columns(std::string line, std::size_t indent) {
  std::string out;
  while (width(line) > most_columns) {
    const std::size_t first = line.find_first_not_of(' ');
    std::size_t end = end_of_words(line, most_columns);
    if (first >= end) end = line.find(' ', first);
    if (end == std::string::npos) break;
    out += line.substr(0, end);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    line = std::string(indent, ' ') + line.substr(line.find_first_not_of(' ', end));
  }
  return out + line;
}

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> to_the_right(columns, rows_.size() > 1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !numeric(rows_[r][c])) to_the_right[c] = false;
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string pad(widths[c] - width(rows_[r][c]), ' ');
      line += c > 0 ? "  " : "";
      line += to_the_right[c] ? pad + rows_[r][c] : rows_[r][c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += within_columns(line) + "\n";
    if (r == 0) {
      std::size_t total = 2 * (columns - 1);
      for (const std::size_t w : widths)
        total += w;
      out += std::string(std::min(total, most_columns), '-') + "\n";
    }
  }
  return out;
}

std::vector<std::string> record_header() {
  return {"kernel", "size",     "precision", "time",    "achieved",
          "roof",   "fraction", "check",     "schedule"};
}

std::string rate_text(const Record& record) {
  if (!record.achieved) return "-";
  if (record.achieved->unit != "interactions/s")
    return quantity(record.achieved->rate, record.achieved->unit);
  const std::string rate = quantity(record.achieved->rate, "/s");
  if (!(record.work.flops > 0) || !record.timing) return rate;
  return rate + ", " + quantity(record.work.flops / record.timing->median.value, "flop/s");
}

std::string updates_text(const Record& record) {
  const bool pairs = record.achieved && record.achieved->unit == "interactions/s";
  if (pairs || !record.timing || record.work.items <= 0) return "";
  return quantity(static_cast<double>(record.work.items) / record.timing->median.value,
                  "updates/s");
}

std::string roof_text(const Record& record) {
  if (!record.achieved || record.achieved->roof <= 0) return "-";
  const bool interactions = record.achieved->unit == "interactions/s";
  return record.achieved->roof_name + " " +
         quantity(record.achieved->roof, interactions ? "/s" : record.achieved->unit);
}

std::vector<std::string> record_row(const Record& record) {
  std::string fraction = "-";
  if (record.achieved && record.achieved->roof > 0) {
    fraction =
        fmt::format("{:.2f}{}", record.achieved->fraction(), record.in_cache ? " in cache" : "");
  }
  std::string check = "-";
  if (record.check) {
    check = record.check->ok ? fmt::format("ok {:.1e}", record.check->max_error) : "FAILED";
  }
  const std::string name = record.schedule_name.empty() ? "" : record.schedule_name + ": ";
  return {record.kernel,
          to_text(record.size),
          record.precision,
          record.timing ? to_text(record.timing->median) : "-",
          rate_text(record),
          roof_text(record),
          fraction,
          check,
          name + record.schedule};
}

std::string roof_table(const Roof& roof) {
  Table table({"ceiling", "value", "measured by"});
  for (const Ceiling& c : roof.ceilings) {
    table.add({c.name, quantity(c.value, c.unit), c.how});
  }
  return table.text();
}

} // namespace ridge::lab
