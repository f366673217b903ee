// ILDG files: LIME records that say the lattice (ildg-format, XML), the links (ildg-binary-data,
// big-endian), and their checksums (scidac-checksum).
#include <ridge/core/error.hpp>

#include "formats.hpp"
#include "lime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace ridge::io {

namespace {

namespace fs = std::filesystem;

/// Of Ridge's own: the lines of a NERSC header, which ILDG has no place for.
constexpr const char* lines_record = "ridge-nersc-header";
constexpr const char* links_record = "ildg-binary-data";

std::string text_of(BinaryFile& data, const fs::path& file, const LimeRecord& record) {
  if (record.bytes > longest_header) {
    throw UsageError(about(
        file, fmt::format("its record {} of {} bytes is no text", record.type, record.bytes)));
  }
  std::string text(record.bytes, '\0');
  data.read(record.at, text.data(), text.size(), "its record " + record.type);
  return text;
}

/// The records of one of a file's configurations.
class Records {
public:
  /// `wanted`: its number from 1 on, or 0 for the only one.
  Records(fs::path file, BinaryFile& data, int wanted)
      : file_(std::move(file)), data_(data), records_(lime_records(file_, data)) {
    std::string where;
    int configurations = 0;
    for (const LimeRecord& record : records_) {
      if (record.type != links_record) continue;
      where += fmt::format("{} {}", ++configurations > 1 ? " and" : "", record.at);
      if (configurations < wanted) lines_from_ = record.at;
      if (configurations == std::max(wanted, 1)) links_ = &record;
    }
    if (configurations == 0)
      throw UsageError(about(
          file_, fmt::format("it has no record {}: this is no ILDG configuration", links_record)));
    if (links_ == nullptr || (wanted == 0 && configurations > 1)) {
      throw UsageError(about(
          file_, fmt::format("it holds {} configuration{}, {} at bytes{}: choose configuration 1{}",
                             configurations, configurations > 1 ? "s" : "", links_record, where,
                             configurations > 1 ? fmt::format(" to {}", configurations) : "")));
    }
    if (configurations > 1) lines_to_ = links_->at;
    for (const LimeRecord& record : records_)
      by_message_ = by_message_ || (record.type == "ildg-format" && is_beside_links(record));
  }

  [[nodiscard]] const LimeRecord& links() const { return *links_; }
  /// The text of the record of a type that belongs to the links; empty where there is none. Throws
  /// UsageError where there are several.
  [[nodiscard]] std::string text(const std::string& type) const {
    const LimeRecord* found = nullptr;
    for (const LimeRecord& record : records_) {
      if (record.type != type) continue;
      // Other data of the file, such as propagators, may have a checksum each.
      if (type == lines_record ? record.at < lines_from_ || record.at > lines_to_
                               : by_message_ && !is_beside_links(record))
        continue;
      if (found != nullptr) {
        throw UsageError(about(file_, fmt::format("it has two records {}, at bytes {} and {}; one "
                                                  "is expected",
                                                  type, found->at, record.at)));
      }
      found = &record;
    }
    return found == nullptr ? std::string() : text_of(data_, file_, *found);
  }

private:
  [[nodiscard]] bool is_beside_links(const LimeRecord& record) const {
    return record.message == links_->message;
  }

  fs::path file_;
  BinaryFile& data_;
  std::vector<LimeRecord> records_;
  const LimeRecord* links_ = nullptr;
  /// Lines stand before their configuration, in a message of their own.
  std::uint64_t lines_from_ = 0, lines_to_ = std::numeric_limits<std::uint64_t>::max();
  bool by_message_ = false; ///< the format is in the message of the links, as ILDG wants it
};

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
      (base == 10 && (value < 1 || value > largest_extent)))
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

GaugeFile read_ildg(comm::Communicator& ranks, const fs::path& file, int configuration) {
  BinaryFile data(file, BinaryFile::Use::read);
  const Records records(file, data, configuration);
  const LimeRecord& links = records.links();
  const std::string format = records.text("ildg-format");
  if (format.empty())
    throw UsageError(about(file, "it has no record ildg-format: this is no ILDG configuration"));
  const std::string checksum = records.text("scidac-checksum");
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
  read.configuration.header = parse_lines(file, records.text(lines_record));
  const gauge::Slices slices(ranks, read.configuration.extents);
  const std::uint64_t bytes =
      bytes_of_links(file, read.form, read.configuration.extents, data.size());
  if (links.bytes != bytes) {
    throw UsageError(
        about(file, fmt::format("its links have {} bytes; {} in fp{} needs {}", links.bytes,
                                ridge::to_text(read.configuration.extents),
                                8 * read.form.real_bytes, bytes)));
  }
  const std::vector<unsigned char> raw = read_slices(data, links.at, read.form, slices);
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
  if (file) begin_lime_record(*file, links_record, bytes, LimeMessage::within);
  write_in_order(ranks, raw,
                 [&](const void* from, std::uint64_t size) { file->write(from, size); });
  if (file) end_lime_record(*file, bytes);
  text("scidac-checksum", checksum, LimeMessage::ends);
  if (file) file->finish();
}

} // namespace ridge::io
