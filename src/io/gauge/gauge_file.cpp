// Files of gauge configurations of any format.
#include <ridge/core/error.hpp>

#include "formats.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ridge::io {

#if defined(RIDGE_WITHOUT_HDF5) // the Python package, which has h5py for that
namespace {
[[noreturn]] void refuse_hdf5(const std::filesystem::path& file) {
  throw UsageError(about(file, "HDF5 is not among the formats here; h5py reads and writes /links"));
}
} // namespace
GaugeFile read_links_hdf5(const std::filesystem::path& file) {
  refuse_hdf5(file);
}
void write_links_hdf5(const std::filesystem::path& path, const GaugeForm& /*form*/,
                      const GaugeConfiguration& /*configuration*/) {
  refuse_hdf5(path);
}
#endif

std::string to_text(const GaugeForm& form) {
  constexpr const char* names[] = {"NERSC", "ILDG", "HDF5"};
  std::string text = names[static_cast<int>(form.format)];
  if (form.format == GaugeFormat::nersc) text += fmt::format(", 3x{}", form.rows);
  text += fmt::format(", fp{}", 8 * form.real_bytes);
  if (form.format == GaugeFormat::nersc) text += form.big_endian ? " big-endian" : " little-endian";
  return text;
}

std::string to_text(const std::vector<HeaderLine>& lines) {
  std::string text;
  for (const HeaderLine& line : lines)
    text += line.key + " = " + line.value + "\n";
  return text;
}

std::vector<HeaderLine> parse_lines(const std::string& text) {
  std::vector<HeaderLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t equals = text.find(" = ", at);
    if (equals < end)
      lines.push_back({text.substr(at, equals - at), text.substr(equals + 3, end - equals - 3)});
    at = end + 1;
  }
  return lines;
}

GaugeFile read_gauge_file(const std::filesystem::path& file) {
  char begin[12] = {};
  {
    BinaryFile data(file, BinaryFile::Use::read);
    data.read(0, begin, std::min<std::uint64_t>(sizeof begin, data.size()), "it");
  }
  constexpr unsigned char lime[] = {0x45, 0x67, 0x89, 0xab};
  GaugeFile read;
  if (std::memcmp(begin, "BEGIN_HEADER", sizeof begin) == 0) {
    read = read_nersc(file);
  } else if (std::memcmp(begin, lime, sizeof lime) == 0) {
    read = read_ildg(file);
  } else if (std::memcmp(begin, "\x89HDF", 4) == 0) {
    read = read_links_hdf5(file);
  } else {
    throw UsageError(about(file, "this is no file of links: NERSC files begin with BEGIN_HEADER, "
                                 "ILDG files are LIME files, and HDF5 files have /links"));
  }
  const gauge::Unitarity worst = gauge::unitarity(read.configuration.links);
  const bool ok = worst.distance <= unitary_tolerance;
  read.checks.push_back({"distance from SU(3)",
                         ok ? fmt::format("{:.1e}", worst.distance)
                            : fmt::format("{:.1e} at site {} along {}", worst.distance,
                                          worst.link / 4, "xyzt"[worst.link % 4]),
                         fmt::format("at most {:.0e}", unitary_tolerance), ok});
  return read;
}

void require_good(const std::filesystem::path& file, const GaugeFile& read) {
  for (const GaugeCheck& check : read.checks) {
    if (check.ok) continue;
    throw Failure(about(
        file, fmt::format("its {} is {}; expected {}", check.what, check.found, check.expected)));
  }
}

void write_gauge_file(const std::filesystem::path& path, const GaugeForm& form,
                      const GaugeConfiguration& configuration) {
  switch (form.format) {
  case GaugeFormat::nersc:
    return write_nersc(path, form, configuration);
  case GaugeFormat::ildg:
    return write_ildg(path, form, configuration);
  case GaugeFormat::hdf5:
    return write_links_hdf5(path, form, configuration);
  }
}

} // namespace ridge::io
