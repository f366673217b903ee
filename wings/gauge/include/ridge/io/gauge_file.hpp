// Files of gauge configurations: NERSC, ILDG (SciDAC records in LIME), and HDF5. Part of the
// library ridge_io.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/slices.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::io {

enum class GaugeFormat { nersc, ildg, hdf5 };

/// How a file holds its links: site after site with x fastest, mu within a site, matrices by rows.
struct GaugeForm {
  GaugeFormat format = GaugeFormat::nersc;
  int real_bytes = 8;     ///< 4 or 8
  bool big_endian = true; ///< NERSC only: ILDG always is, HDF5 knows by itself
  int rows = 3;           ///< of a matrix that are stored; NERSC: 2 or 3
  friend bool operator==(const GaugeForm&, const GaugeForm&) = default;
};
/// "NERSC, 3x3, fp64 big-endian".
[[nodiscard]] std::string to_text(const GaugeForm& form);

/// A line of a NERSC header, or an attribute, that says more of a configuration.
struct HeaderLine {
  std::string key, value;
  friend bool operator==(const HeaderLine&, const HeaderLine&) = default;
};

struct GaugeConfiguration {
  Extents extents; ///< four dimensions
  gauge::HostLinks links;
  std::vector<HeaderLine> header; ///< of NERSC files: all lines, in order
};

/// Something that a file says of itself, or that must hold of links.
struct GaugeCheck {
  std::string what;     ///< "plaquette"
  std::string found;    ///< what it is
  std::string expected; ///< what the file says; "SU(3) within 1e-05" of links
  bool ok = true;
};

struct GaugeFile {
  GaugeForm form;
  GaugeConfiguration configuration;
  std::vector<GaugeCheck> checks;
};

/// Links further from SU(3) than this are not taken for rounded ones.
inline constexpr double unitary_tolerance = 1e-5;

/// Reads a file of any of the formats, which its first bytes tell apart. Throws UsageError for a
/// file that is no such, of another theory or without what it needs; Failure when it cannot be read
/// or ends early. What checks found is in the result: see require_good. `configuration`: which of a
/// LIME file's, from 1 on; 0 is the only one.
[[nodiscard]] GaugeFile read_gauge_file(const std::filesystem::path& file, int configuration = 0);
/// Over ranks, each of which must see the file: `links` are those of a rank's own slices
/// of t (gauge::Slices), and checks those of the whole file. Ranks read their part only, but of
/// HDF5. Collective.
[[nodiscard]] GaugeFile read_gauge_file(comm::Communicator& ranks,
                                        const std::filesystem::path& file, int configuration = 0);

/// Throws Failure that says the first check that failed, with both numbers.
void require_good(const std::filesystem::path& file, const GaugeFile& read);

/// Throws UsageError for what would not come back as it is from such a file: numbers that are not
/// finite in its precision, third rows that two rows do not give, extents and lines of the header
/// that readers do not take. `path` is for the message. Writing begins with it.
void require_storable(const std::filesystem::path& path, const GaugeForm& form,
                      const GaugeConfiguration& configuration);
/// Over ranks, each with its slices of t. Collective.
void require_storable(comm::Communicator& ranks, const std::filesystem::path& path,
                      const GaugeForm& form, const GaugeConfiguration& configuration);

/// Writes a configuration to `path`; lines of its header that do not say how it is stored are kept.
/// Throws UsageError as require_storable does, Failure.
void write_gauge_file(const std::filesystem::path& path, const GaugeForm& form,
                      const GaugeConfiguration& configuration);
/// Writes a configuration of which each rank has its slices of t: rank 0 writes, the others
/// send it pieces. Collective.
void write_gauge_file(comm::Communicator& ranks, const std::filesystem::path& path,
                      const GaugeForm& form, const GaugeConfiguration& configuration);

} // namespace ridge::io
