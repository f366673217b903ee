// Text for the page: escaped, and figures as people read them.
#pragma once

#include <ridge/report/saved_record.hpp>

#include <string>
#include <string_view>

namespace ridge::report {

/// Text that is safe between tags and in quoted attributes, whatever bytes it has.
[[nodiscard]] std::string escaped(std::string_view text);

/// "668.6 us": four digits, decimal prefix, unit; "-" when absent.
[[nodiscard]] std::string figure(std::optional<double> value, const std::string& unit);
/// "200 G": for the ticks of an axis.
[[nodiscard]] std::string tick_text(double value, const std::string& unit);
/// A coordinate or a percentage, a tenth at most: "73.1".
[[nodiscard]] std::string place(double value);
/// "0.965"; "12.3" from ten up.
[[nodiscard]] std::string fraction_text(double fraction);

/// "NVIDIA H200 (cuda)": devices of a kind and a name are one.
[[nodiscard]] std::string device_text(const std::string& device, const std::string& name);
[[nodiscard]] std::string device_text(const SavedRecord& record);

/// The begin of a part that scrolls sideways where it is wider than the page.
[[nodiscard]] std::string wide_part(const std::string& name);
/// A table of a class, with its caption, the titles of its columns, and its rows, which are HTML.
[[nodiscard]] std::string html_table(const std::string& kind, const std::string& caption,
                                     const std::vector<std::string>& head, const std::string& rows);

/// Which colour and mark a pattern has: 0 to 4.
[[nodiscard]] int pattern_index(const std::string& pattern);
[[nodiscard]] std::string pattern_name(int index);
/// An entry of a legend: the mark of an index, hollow where it is modelled, and its meaning.
[[nodiscard]] std::string key(int index, const std::string& meaning, bool hollow = false);

} // namespace ridge::report
