// The formats of gauge configurations, each with a reader and a writer.
#pragma once

#include "links_data.hpp"

#include <functional>
#include <string_view>

namespace ridge::io {

inline constexpr Index largest_extent = 1 << 20;
/// Bytes of a header, END_HEADER and all.
inline constexpr std::uint64_t longest_header = 1 << 20;

[[nodiscard]] GaugeFile read_nersc(comm::Communicator& ranks, const std::filesystem::path& file);
void write_nersc(comm::Communicator& ranks, const std::filesystem::path& path,
                 const GaugeForm& form, const GaugeConfiguration& configuration);

[[nodiscard]] GaugeFile read_ildg(comm::Communicator& ranks, const std::filesystem::path& file,
                                  int configuration);
void write_ildg(comm::Communicator& ranks, const std::filesystem::path& path, const GaugeForm& form,
                const GaugeConfiguration& configuration);

[[nodiscard]] GaugeFile read_links_hdf5(const std::filesystem::path& file);
void write_links_hdf5(const std::filesystem::path& path, const GaugeForm& form,
                      const GaugeConfiguration& configuration);

/// What a file has of this rank's slices, of all links from byte `at` on.
[[nodiscard]] std::vector<unsigned char>
read_slices(BinaryFile& data, std::uint64_t at, const GaugeForm& form, const gauge::Slices& slices);
/// Gives `write` the bytes of all ranks, in their order, on rank 0. Collective.
void write_in_order(comm::Communicator& ranks, const std::vector<unsigned char>& mine,
                    const std::function<void(const void*, std::uint64_t)>& write);

/// A text without blanks around.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Lines "KEY = VALUE" as one text, for formats that have no header of lines.
[[nodiscard]] std::string to_text(const std::vector<HeaderLine>& lines);
/// Lines of such a text, without blanks around keys and values. Throws UsageError for one without
/// "=".
[[nodiscard]] std::vector<HeaderLine> parse_lines(const std::filesystem::path& file,
                                                  std::string_view text);
/// The first line of each key; of a key that several lines have, a check that fails is added.
[[nodiscard]] std::vector<HeaderLine> first_lines(const std::vector<HeaderLine>& lines,
                                                  std::vector<GaugeCheck>& checks);

/// The check of a number of the header: whether the two differ by no more than `tolerance`.
[[nodiscard]] GaugeCheck check_number(const std::string& what, double found,
                                      const std::string& expected, double tolerance);

} // namespace ridge::io
