// The numbers of links in files: real numbers of either size and byte order.
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/io/gauge_file.hpp>

#include <cstdint>

namespace ridge::io {

[[nodiscard]] constexpr Index bytes_of_site(const GaugeForm& form) {
  return Index{4} * form.rows * 3 * 2 * form.real_bytes;
}

/// Bytes of the links of a lattice. Throws Failure for more than a file of `size` bytes could have:
/// its header or its format says extents that nobody has.
[[nodiscard]] std::uint64_t bytes_of_links(const std::filesystem::path& file, const GaugeForm& form,
                                           const Extents& extents, std::uint64_t size);

/// A number of the third row of SU(3), of the first two rows.
[[nodiscard]] inline gauge::Complex<double> third_row(const gauge::ColourMatrix<double>& u, int j) {
  const int k = (j + 1) % 3;
  const int l = (j + 2) % 3;
  return conj(u(0, k) * u(1, l) - u(0, l) * u(1, k));
}

/// Links of `sites` sites from a file's bytes. A third row that is not there is computed.
void decode_sites(const GaugeForm& form, const unsigned char* from, Index sites,
                  gauge::ColourMatrix<double>* to);
/// And back.
void encode_sites(const GaugeForm& form, const gauge::ColourMatrix<double>* from, Index sites,
                  unsigned char* to);

/// The sum of the 32-bit words, as NERSC files have it. A word is a number's, or one half of one.
[[nodiscard]] std::uint32_t sum_of_words(const unsigned char* from, std::uint64_t bytes,
                                         bool big_endian);

/// The two checksums of SciDAC files: over the sites' crc32, turned by the site's number. Those of
/// several pieces are put together by exclusive or.
struct ScidacChecksum {
  std::uint32_t a = 0, b = 0;
  friend bool operator==(const ScidacChecksum&, const ScidacChecksum&) = default;
};
[[nodiscard]] ScidacChecksum scidac_checksum(const unsigned char* from, Index first_site,
                                             Index sites, Index bytes_of_site);

/// Opens, reads and writes whole pieces. Throws Failure that names the file.
class BinaryFile {
public:
  enum class Use { read, write };
  BinaryFile(const std::filesystem::path& path, Use use);
  ~BinaryFile();
  BinaryFile(const BinaryFile&) = delete;
  BinaryFile& operator=(const BinaryFile&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Bytes from `at` on. Throws Failure where the file ends before; `what` is what is read.
  void read(std::uint64_t at, void* to, std::uint64_t bytes, const std::string& what);
  void write(const void* from, std::uint64_t bytes);
  /// Closes what was written.
  void finish();

private:
  [[noreturn]] void fail(const char* doing) const;
  std::filesystem::path path_;
  std::FILE* file_;
  std::uint64_t size_ = 0;
};

/// Says what is wrong with a file: "lat.nersc: ...".
[[nodiscard]] std::string about(const std::filesystem::path& file, const std::string& what);

} // namespace ridge::io
