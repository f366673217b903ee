// Lattice fields in HDF5 files, with a checksum. Part of the library ridge_io, which needs HDF5;
// the core library does not.
#pragma once

#include <ridge/lattice/field.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ridge::io {

/// Sites in plain order, without their type.
struct SiteData {
  lattice::SiteShape shape;
  Extents extents;
  void* reals = nullptr;
};

/// A sum over all reals of a mix of their bits and their number: it sees changed, swapped and
/// missing ones, and can be computed in parallel.
[[nodiscard]] std::uint64_t checksum(const SiteData& sites);

/// Writes the dataset `name` of a new file: dimensions slowest first, then components, then real
/// and imaginary part, with the checksum as attribute. The file appears whole or not at all. Throws
/// Failure.
void save_sites(const std::filesystem::path& file, const std::string& name, const SiteData& sites);

/// Reads it back into memory of the shape and extents expected. Throws UsageError when the file
/// holds another lattice, site type or precision, Failure when it cannot be read or its checksum is
/// wrong.
void load_sites(const std::filesystem::path& file, const std::string& name, const SiteData& sites);

/// The checksum that a dataset states, if any, and that of the numbers which were read from it.
struct SitesChecksum {
  std::optional<std::uint64_t> stated;
  std::uint64_t found = 0;
};
/// As load_sites, but of any checksum or none: the caller judges.
[[nodiscard]] SitesChecksum read_sites(const std::filesystem::path& file, const std::string& name,
                                       const SiteData& sites);

/// Saves a field in plain order, which is the same for every width and device.
template <class Field>
void save(const std::filesystem::path& file, const std::string& name, Queue& queue,
          const Field& field) {
  auto sites = field.get(queue);
  save_sites(file, name, {field.shape(), field.lattice().extents(), sites.data()});
}

/// Loads a field. The field is unchanged unless all of the file is right.
template <class Field>
void load(const std::filesystem::path& file, const std::string& name, Queue& queue, Field& field) {
  decltype(field.get(queue)) sites(static_cast<std::size_t>(field.lattice().sites()));
  load_sites(file, name, {field.shape(), field.lattice().extents(), sites.data()});
  field.set(queue, sites);
}

} // namespace ridge::io
