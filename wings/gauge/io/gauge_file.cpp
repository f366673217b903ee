// Files of gauge configurations of any format.
#include <ridge/core/error.hpp>

#include "formats.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<unsigned char> read_slices(BinaryFile& data, std::uint64_t at, const GaugeForm& form,
                                       const gauge::Slices& slices) {
  const Index site = bytes_of_site(form);
  std::vector<unsigned char> raw(static_cast<std::size_t>(slices.sites() * site));
  data.read(at + static_cast<std::uint64_t>(slices.first_site() * site), raw.data(), raw.size(),
            "its links");
  return raw;
}

void write_in_order(comm::Communicator& ranks, const std::vector<unsigned char>& mine,
                    const std::function<void(const void*, std::uint64_t)>& write) {
  constexpr std::uint64_t most = 32 << 20; // of a message
  const auto sizes = ranks.gather(static_cast<std::uint64_t>(mine.size()));
  if (ranks.rank() == 0) write(mine.data(), mine.size());
  std::vector<unsigned char> piece;
  for (int rank = 1; rank < ranks.ranks(); ++rank) {
    const std::uint64_t all = sizes[static_cast<std::size_t>(rank)];
    for (std::uint64_t at = 0; at < all; at += most) {
      const std::uint64_t size = std::min(most, all - at);
      const Bytes bytes{static_cast<Index>(size)};
      if (ranks.rank() == rank)
        ranks.exchange({{const_cast<unsigned char*>(mine.data()) + at, bytes, 0, 0}}, {});
      if (ranks.rank() != 0) continue;
      piece.resize(size);
      ranks.exchange({}, {{piece.data(), bytes, rank, 0}});
      write(piece.data(), size);
    }
  }
}

GaugeFile read_gauge_file(const std::filesystem::path& file, int configuration) {
  const auto one = comm::alone();
  return read_gauge_file(*one, file, configuration);
}

GaugeFile read_gauge_file(comm::Communicator& ranks, const std::filesystem::path& file,
                          int configuration) {
  char begin[12] = {};
  {
    BinaryFile data(file, BinaryFile::Use::read);
    data.read(0, begin, std::min<std::uint64_t>(sizeof begin, data.size()), "it");
  }
  constexpr unsigned char lime[] = {0x45, 0x67, 0x89, 0xab};
  const bool is_lime = std::memcmp(begin, lime, sizeof lime) == 0;
  if (configuration > 1 && !is_lime)
    throw UsageError(about(file, "it holds one configuration, as all but LIME files do"));
  GaugeFile read;
  if (std::memcmp(begin, "BEGIN_HEADER", sizeof begin) == 0) {
    read = read_nersc(ranks, file);
  } else if (is_lime) {
    read = read_ildg(ranks, file, configuration);
  } else if (std::memcmp(begin, "\x89HDF", 4) == 0) {
    read = read_links_hdf5(file);
    const gauge::Slices slices(ranks, read.configuration.extents);
    gauge::HostLinks& links = read.configuration.links;
    const auto first = links.begin() + static_cast<std::ptrdiff_t>(4 * slices.first_site());
    if (ranks.ranks() > 1)
      links = gauge::HostLinks(first, first + static_cast<std::ptrdiff_t>(4 * slices.sites()));
  } else {
    throw UsageError(about(file, "this is no file of links: NERSC files begin with BEGIN_HEADER, "
                                 "ILDG files are LIME files, and HDF5 files have /links"));
  }
  read.configuration.header = first_lines(read.configuration.header, read.checks);
  const gauge::Slices slices(ranks, read.configuration.extents);
  const gauge::Unitarity worst = gauge::unitarity(slices, read.configuration.links);
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
  const auto one = comm::alone();
  write_gauge_file(*one, path, form, configuration);
}

void write_gauge_file(comm::Communicator& ranks, const std::filesystem::path& path,
                      const GaugeForm& form, const GaugeConfiguration& configuration) {
  require_storable(ranks, path, form, configuration);
  switch (form.format) {
  case GaugeFormat::nersc:
    return write_nersc(ranks, path, form, configuration);
  case GaugeFormat::ildg:
    return write_ildg(ranks, path, form, configuration);
  case GaugeFormat::hdf5:
    if (ranks.ranks() == 1) return write_links_hdf5(path, form, configuration);
    // One process writes such a file, all of it at once.
    GaugeConfiguration all{configuration.extents, {}, configuration.header};
    std::vector<unsigned char> mine(configuration.links.size() * sizeof configuration.links[0]);
    if (!mine.empty()) std::memcpy(mine.data(), configuration.links.data(), mine.size());
    if (ranks.rank() == 0) all.links.resize(static_cast<std::size_t>(all.extents.count()) * 4);
    auto* to = reinterpret_cast<unsigned char*>(all.links.data());
    write_in_order(ranks, mine, [&](const void* from, std::uint64_t bytes) {
      std::memcpy(to, from, bytes);
      to += bytes;
    });
    if (ranks.rank() == 0) write_links_hdf5(path, form, all);
    return;
  }
}

} // namespace ridge::io
