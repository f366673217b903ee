// NERSC files: lines "KEY = VALUE" between BEGIN_HEADER and END_HEADER, then the links.
#include <ridge/core/error.hpp>

#include "formats.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace ridge::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view begin_line = "BEGIN_HEADER";
constexpr std::string_view end_line = "END_HEADER";

/// Of Grid, which other readers follow.
constexpr double plaquette_tolerance = 1e-5;
constexpr double link_trace_tolerance = 1e-6;

/// The lines of a header, and where the data begin.
struct Header {
  fs::path file;
  std::vector<HeaderLine> lines;
  std::uint64_t end = 0;

  [[nodiscard]] const std::string* find(std::string_view key) const {
    for (const HeaderLine& line : lines)
      if (line.key == key) return &line.value;
    return nullptr;
  }
  [[nodiscard]] const std::string& need(std::string_view key) const {
    if (const std::string* const value = find(key)) return *value;
    throw UsageError(about(file, fmt::format("its header has no {}", key)));
  }
  [[noreturn]] void refuse(std::string_view key, const std::string& right) const {
    throw UsageError(about(file, fmt::format("{} = {}: expected {}", key, need(key), right)));
  }
};

Header parse_header(const fs::path& file, std::string_view text) {
  const std::size_t begin = text.find('\n');
  for (std::size_t at = begin; at != std::string_view::npos;) {
    const std::size_t next = text.find('\n', at + 1);
    if (next == std::string_view::npos) break;
    if (trimmed(text.substr(at + 1, next - at - 1)) == end_line)
      return {file, parse_lines(file, text.substr(begin + 1, at - begin)), next + 1};
    at = next;
  }
  throw Failure(about(file, "its header does not end: there is no line END_HEADER"));
}

Header read_header(BinaryFile& data, const fs::path& file) {
  std::string text(std::min(data.size(), longest_header), '\0');
  data.read(0, text.data(), text.size(), "its header");
  return parse_header(file, text);
}

Extents extents_of(const Header& header) {
  Index sizes[4];
  for (int d = 0; d < 4; ++d) {
    const std::string key = fmt::format("DIMENSION_{}", d + 1);
    const std::string& text = header.need(key);
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), sizes[d]);
    if (status != std::errc{} || end != text.data() + text.size() || sizes[d] < 1 ||
        sizes[d] > largest_extent)
      header.refuse(key, "a number of sites");
  }
  return {sizes, 4};
}

/// What the header says of how links are stored. The byte order is open where it names none.
struct Stored {
  GaugeForm form;
  bool names_order = true;
};

Stored stored_of(const Header& header) {
  Stored stored;
  stored.form.format = GaugeFormat::nersc;
  const std::string& type = header.need("DATATYPE");
  if (type == "4D_SU3_GAUGE_3x3" || type == "4D_SU3_GAUGE_3X3") {
    stored.form.rows = 3;
  } else if (type == "4D_SU3_GAUGE") {
    stored.form.rows = 2;
  } else {
    header.refuse("DATATYPE", "4D_SU3_GAUGE or 4D_SU3_GAUGE_3x3");
  }
  const std::string& point = header.need("FLOATING_POINT");
  struct Named {
    std::string_view name;
    int bytes;
    bool big, names_order;
  };
  constexpr std::array<Named, 6> known{{{"IEEE32BIG", 4, true, true},
                                        {"IEEE32LITTLE", 4, false, true},
                                        {"IEEE32", 4, false, false},
                                        {"IEEE64BIG", 8, true, true},
                                        {"IEEE64LITTLE", 8, false, true},
                                        {"IEEE64", 8, false, false}}};
  for (const Named& named : known) {
    if (named.name != point) continue;
    stored.form.real_bytes = named.bytes;
    stored.form.big_endian = named.big;
    stored.names_order = named.names_order;
    return stored;
  }
  header.refuse("FLOATING_POINT", "IEEE32 or IEEE64, with BIG or LITTLE or neither behind it");
}

std::uint32_t checksum_of(const Header& header) {
  std::string_view text = header.need("CHECKSUM");
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (status != std::errc{} || end != text.data() + text.size())
    header.refuse("CHECKSUM", "up to eight hexadecimal digits");
  return value;
}

std::string hexadecimal(std::uint32_t value) {
  return fmt::format("{:08x}", value);
}

/// Over the links of all ranks.
std::uint32_t sum_of_all_words(comm::Communicator& ranks, const std::vector<unsigned char>& raw,
                               bool big_endian) {
  std::uint32_t sum = 0;
  for (const std::uint32_t one : ranks.gather(sum_of_words(raw.data(), raw.size(), big_endian)))
    sum += one;
  return sum;
}

/// Whether a line says how the links are stored: written anew for every file.
bool says_storage(const std::string& key) {
  for (const std::string_view known :
       {"HDR_VERSION", "DATATYPE", "STORAGE_FORMAT", "CHECKSUM", "LINK_TRACE", "PLAQUETTE",
        "FLOATING_POINT", "DIMENSION_1", "DIMENSION_2", "DIMENSION_3", "DIMENSION_4"}) {
    if (key == known) return true;
  }
  return false;
}

} // namespace

GaugeFile read_nersc(comm::Communicator& ranks, const fs::path& file) {
  BinaryFile data(file, BinaryFile::Use::read);
  const Header header = read_header(data, file);
  Stored stored = stored_of(header);
  GaugeFile read;
  read.configuration.extents = extents_of(header);
  read.configuration.header = header.lines;
  const gauge::Slices slices(ranks, read.configuration.extents);
  const std::uint64_t bytes =
      bytes_of_links(file, stored.form, read.configuration.extents, data.size());
  if (data.size() - header.end < bytes) {
    throw Failure(
        about(file, fmt::format("it ends after {} bytes; links of {} need {}", data.size(),
                                ridge::to_text(read.configuration.extents), header.end + bytes)));
  }
  if (data.size() - header.end > bytes) {
    read.checks.push_back({"length", fmt::format("{} bytes", data.size()),
                           fmt::format("{} bytes", header.end + bytes), false});
  }
  const std::vector<unsigned char> raw = read_slices(data, header.end, stored.form, slices);

  if (header.find("CHECKSUM") != nullptr) {
    const std::uint32_t stated = checksum_of(header);
    std::uint32_t found = sum_of_all_words(ranks, raw, stored.form.big_endian);
    if (!stored.names_order && found != stated) {
      const std::uint32_t other = sum_of_all_words(ranks, raw, true);
      if (other == stated) {
        found = other;
        stored.form.big_endian = true;
      }
    }
    read.checks.push_back({"checksum", hexadecimal(found), hexadecimal(stated), found == stated});
  }
  read.form = stored.form;
  read.configuration.links.resize(static_cast<std::size_t>(slices.sites()) * 4);
  decode_sites(read.form, raw.data(), slices.sites(), read.configuration.links.data());

  const auto averages = gauge::link_averages(slices, read.configuration.links);
  if (const auto* const stated = header.find("PLAQUETTE"))
    read.checks.push_back(
        check_number("plaquette", averages.plaquette, *stated, plaquette_tolerance));
  if (const auto* const stated = header.find("LINK_TRACE"))
    read.checks.push_back(
        check_number("link trace", averages.link_trace, *stated, link_trace_tolerance));
  return read;
}

void write_nersc(comm::Communicator& ranks, const fs::path& path, const GaugeForm& form,
                 const GaugeConfiguration& c) {
  const gauge::Slices slices(ranks, c.extents);
  std::vector<unsigned char> raw(static_cast<std::size_t>(slices.sites() * bytes_of_site(form)));
  encode_sites(form, c.links.data(), slices.sites(), raw.data());
  const auto averages = gauge::link_averages(slices, c.links);

  std::string text = fmt::format("{}\nHDR_VERSION = 1.0\nDATATYPE = {}\nSTORAGE_FORMAT = 1.0\n",
                                 begin_line, form.rows == 3 ? "4D_SU3_GAUGE_3x3" : "4D_SU3_GAUGE");
  for (int d = 0; d < 4; ++d)
    text += fmt::format("DIMENSION_{} = {}\n", d + 1, c.extents[d]);
  text += fmt::format("LINK_TRACE = {:.15g}\nPLAQUETTE = {:.15g}\n", averages.link_trace,
                      averages.plaquette);
  text +=
      fmt::format("CHECKSUM = {}\n", hexadecimal(sum_of_all_words(ranks, raw, form.big_endian)));
  bool names_boundary = false;
  for (const HeaderLine& line : c.header)
    names_boundary = names_boundary || line.key.starts_with("BOUNDARY_");
  for (int d = 0; d < 4 && !names_boundary; ++d)
    text += fmt::format("BOUNDARY_{} = PERIODIC\n", d + 1);
  for (const HeaderLine& line : c.header) {
    if (!says_storage(line.key)) text += fmt::format("{} = {}\n", line.key, line.value);
  }
  text += fmt::format("FLOATING_POINT = IEEE{}{}\n{}\n", 8 * form.real_bytes,
                      form.big_endian ? "BIG" : "LITTLE", end_line);

  std::optional<BinaryFile> file;
  if (ranks.rank() == 0) {
    file.emplace(path, BinaryFile::Use::write);
    file->write(text.data(), text.size());
  }
  write_in_order(ranks, raw,
                 [&](const void* from, std::uint64_t bytes) { file->write(from, bytes); });
  if (file) file->finish();
}

GaugeCheck check_number(const std::string& what, double found, const std::string& expected,
                        double tolerance) {
  double stated = 0;
  const auto [end, status] =
      std::from_chars(expected.data(), expected.data() + expected.size(), stated);
  const bool reads = status == std::errc{} && end == expected.data() + expected.size();
  return {what, fmt::format("{:.12g}", found), expected,
          reads && std::abs(found - stated) <= tolerance};
}

} // namespace ridge::io
