// ILDG files: LIME records that say the lattice (ildg-format, XML), the links (ildg-binary-data,
// big-endian), and their checksums (scidac-checksum).
#include <ridge/core/error.hpp>

#include "formats.hpp"
#include "lime.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ridge::io {

namespace {

namespace fs = std::filesystem;

/// Of Ridge's own: the lines of a NERSC header, which ILDG has no place for.
constexpr const char* lines_record = "ridge-nersc-header";
constexpr std::uint64_t longest_text = 1 << 20;

std::string text_of(BinaryFile& data, const fs::path& file, const LimeRecord& record) {
  if (record.bytes > longest_text) {
    throw UsageError(about(
        file, fmt::format("its record {} of {} bytes is no text", record.type, record.bytes)));
  }
  std::string text(record.bytes, '\0');
  data.read(record.at, text.data(), text.size(), "its record " + record.type);
  return text;
}

/// What is between <tag> and </tag>, without blanks around.
std::string element(const fs::path& file, const std::string& xml, const std::string& tag) {
  const std::size_t begin = xml.find("<" + tag + ">");
  const std::size_t from = begin + tag.size() + 2;
  const std::size_t end = begin == std::string::npos ? begin : xml.find("</" + tag + ">", from);
  if (end == std::string::npos)
    throw UsageError(about(file, fmt::format("its XML has no <{}>", tag)));
  const std::string text = xml.substr(from, end - from);
  const auto blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  return first == std::string::npos ? std::string()
                                    : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

template <class T>
T number(const fs::path& file, const std::string& xml, const std::string& tag, int base = 10) {
  const std::string text = element(file, xml, tag);
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || status != std::errc{} || end != text.data() + text.size() ||
      (base == 10 && (value < 1 || value > 1 << 20)))
    throw UsageError(about(file, fmt::format("<{}> is '{}': expected a number", tag, text)));
  return value;
}

/// Over the links of all ranks.
ScidacChecksum checksum_of_all(const gauge::Slices& slices, const std::vector<unsigned char>& raw,
                               const GaugeForm& form) {
  ScidacChecksum sum;
  for (const ScidacChecksum& one : slices.ranks().gather(
           scidac_checksum(raw.data(), slices.first_site(), slices.sites(), bytes_of_site(form)))) {
    sum.a ^= one.a;
    sum.b ^= one.b;
  }
  return sum;
}

std::string to_text(const ScidacChecksum& sum) {
  return fmt::format("{:x} {:x}", sum.a, sum.b);
}

} // namespace

GaugeFile read_ildg(comm::Communicator& ranks, const fs::path& file) {
  BinaryFile data(file, BinaryFile::Use::read);
  const LimeRecord* links = nullptr;
  std::string format, checksum, lines;
  const auto records = lime_records(file, data);
  for (const LimeRecord& record : records) {
    if (record.type == "ildg-binary-data" && links == nullptr) links = &record;
    if (record.type == "ildg-format") format = text_of(data, file, record);
    if (record.type == "scidac-checksum") checksum = text_of(data, file, record);
    if (record.type == lines_record) lines = text_of(data, file, record);
  }
  if (links == nullptr || format.empty()) {
    throw UsageError(
        about(file, fmt::format("it has no record {}: this is no ILDG configuration",
                                links == nullptr ? "ildg-binary-data" : "ildg-format")));
  }
  GaugeFile read;
  read.form = {GaugeFormat::ildg, number<int>(file, format, "precision") / 8, true, 3};
  if (read.form.real_bytes != 4 && read.form.real_bytes != 8)
    throw UsageError(
        about(file, fmt::format("<precision> is {}: expected 32 or 64", 8 * read.form.real_bytes)));
  if (const std::string field = element(file, format, "field"); field != "su3gauge")
    throw UsageError(about(file, fmt::format("<field> is {}: expected su3gauge", field)));
  const Index sizes[] = {number<Index>(file, format, "lx"), number<Index>(file, format, "ly"),
                         number<Index>(file, format, "lz"), number<Index>(file, format, "lt")};
  read.configuration.extents = Extents(sizes, 4);
  read.configuration.header = parse_lines(lines);
  const gauge::Slices slices(ranks, read.configuration.extents);
  const std::uint64_t bytes =
      bytes_of_links(file, read.form, read.configuration.extents, data.size());
  if (links->bytes != bytes) {
    throw UsageError(
        about(file, fmt::format("its links have {} bytes; {} in fp{} needs {}", links->bytes,
                                ridge::to_text(read.configuration.extents),
                                8 * read.form.real_bytes, bytes)));
  }
  const std::vector<unsigned char> raw = read_slices(data, links->at, read.form, slices);
  if (!checksum.empty()) {
    const ScidacChecksum stated{number<std::uint32_t>(file, checksum, "suma", 16),
                                number<std::uint32_t>(file, checksum, "sumb", 16)};
    const ScidacChecksum found = checksum_of_all(slices, raw, read.form);
    read.checks.push_back({"checksum", to_text(found), to_text(stated), found == stated});
  }
  read.configuration.links.resize(static_cast<std::size_t>(slices.sites()) * 4);
  decode_sites(read.form, raw.data(), slices.sites(), read.configuration.links.data());
  return read;
}

void write_ildg(comm::Communicator& ranks, const fs::path& path, const GaugeForm& form,
                const GaugeConfiguration& c) {
  GaugeForm stored = form;
  stored.big_endian = true;
  stored.rows = 3;
  const gauge::Slices slices(ranks, c.extents);
  std::vector<unsigned char> raw(static_cast<std::size_t>(slices.sites() * bytes_of_site(stored)));
  encode_sites(stored, c.links.data(), slices.sites(), raw.data());

  const std::string xml = R"(<?xml version="1.0" encoding="UTF-8"?>)";
  const std::string format = fmt::format(
      "{}<ildgFormat xmlns=\"http://www.lqcd.org/ildg\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://www.lqcd.org/ildg filefmt.xsd\"><version>1.0</version>"
      "<field>su3gauge</field><precision>{}</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz>"
      "<lt>{}</lt></ildgFormat>",
      xml, 8 * stored.real_bytes, c.extents[0], c.extents[1], c.extents[2], c.extents[3]);
  const ScidacChecksum sum = checksum_of_all(slices, raw, stored);
  const std::string checksum =
      fmt::format("{}<scidacChecksum><version>1.0</version><suma>{:x}</suma><sumb>{:x}</sumb>"
                  "</scidacChecksum>",
                  xml, sum.a, sum.b);
  const std::string lines = to_text(c.header);

  std::optional<BinaryFile> file;
  if (ranks.rank() == 0) file.emplace(path, BinaryFile::Use::write);
  const auto text = [&](const char* type, const std::string& value, LimeMessage message) {
    if (file) write_lime_record(*file, type, value.data(), value.size(), message);
  };
  if (!lines.empty()) text(lines_record, lines, LimeMessage::both);
  text("ildg-format", format, LimeMessage::begins);
  const auto bytes = static_cast<std::uint64_t>(c.extents.count() * bytes_of_site(stored));
  if (file) begin_lime_record(*file, "ildg-binary-data", bytes, LimeMessage::within);
  write_in_order(ranks, raw,
                 [&](const void* from, std::uint64_t size) { file->write(from, size); });
  if (file) end_lime_record(*file, bytes);
  text("scidac-checksum", checksum, LimeMessage::ends);
  if (file) file->finish();
}

} // namespace ridge::io
