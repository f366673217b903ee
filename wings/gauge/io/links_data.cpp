// The numbers of links in files: real numbers of either size and byte order.
#include "links_data.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ridge::io {

namespace {

std::uint32_t swapped(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t swapped(std::uint64_t word) {
  return __builtin_bswap64(word);
}

template <class T, class Word>
void read_numbers(const unsigned char* from, bool swap, int count, double* to) {
  for (int i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from + static_cast<std::size_t>(i) * sizeof word, sizeof word);
    if (swap) word = swapped(word);
    to[i] = static_cast<double>(std::bit_cast<T>(word));
  }
}
template <class T, class Word>
void write_numbers(const double* from, bool swap, int count, unsigned char* to) {
  for (int i = 0; i < count; ++i) {
    auto word = std::bit_cast<Word>(static_cast<T>(from[i]));
    if (swap) word = swapped(word);
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof word, &word, sizeof word);
  }
}

bool swaps(bool big_endian) {
  return big_endian != (std::endian::native == std::endian::big);
}

template <class F>
void for_shares(Index count, const F& f) {
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(count, thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i)
      f(i);
  });
}

} // namespace

std::uint64_t bytes_of_links(const std::filesystem::path& file, const GaugeForm& form,
                             const Extents& extents, std::uint64_t size) {
  if (static_cast<std::uint64_t>(extents.count()) > size) {
    throw Failure(about(file, fmt::format("it ends after {} bytes; links of {} need far more", size,
                                          ridge::to_text(extents))));
  }
  return static_cast<std::uint64_t>(extents.count() * bytes_of_site(form));
}

void decode_sites(const GaugeForm& form, const unsigned char* from, Index sites,
                  gauge::ColourMatrix<double>* to) {
  const int numbers = form.rows * 6;
  const bool swap = swaps(form.big_endian);
  for_shares(sites * 4, [&](Index i) {
    auto& u = to[i];
    auto* const reals = &component(u, 0).re;
    const unsigned char* const here = from + i * numbers * form.real_bytes;
    if (form.real_bytes == 4) {
      read_numbers<float, std::uint32_t>(here, swap, numbers, reals);
    } else {
      read_numbers<double, std::uint64_t>(here, swap, numbers, reals);
    }
    if (form.rows == 3) return;
    for (int j = 0; j < 3; ++j)
      u(2, j) = third_row(u, j);
  });
}

void encode_sites(const GaugeForm& form, const gauge::ColourMatrix<double>* from, Index sites,
                  unsigned char* to) {
  const int numbers = form.rows * 6;
  const bool swap = swaps(form.big_endian);
  for_shares(sites * 4, [&](Index i) {
    const double* const reals = &component(from[i], 0).re;
    unsigned char* const there = to + i * numbers * form.real_bytes;
    if (form.real_bytes == 4) {
      write_numbers<float, std::uint32_t>(reals, swap, numbers, there);
    } else {
      write_numbers<double, std::uint64_t>(reals, swap, numbers, there);
    }
  });
}

std::uint32_t sum_of_words(const unsigned char* from, std::uint64_t bytes, bool big_endian) {
  const bool swap = swaps(big_endian);
  std::uint32_t sum = 0;
  for (std::uint64_t at = 0; at < bytes; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, from + at, sizeof word);
    sum += swap ? swapped(word) : word;
  }
  return sum;
}

ScidacChecksum scidac_checksum(const unsigned char* from, Index first_site, Index sites,
                               Index bytes_of_site) {
  ScidacChecksum sum;
  for (Index i = 0; i < sites; ++i) {
    const auto crc = static_cast<std::uint32_t>(
        crc32(crc32(0, nullptr, 0), from + i * bytes_of_site, static_cast<uInt>(bytes_of_site)));
    sum.a ^= std::rotl(crc, static_cast<int>((first_site + i) % 29));
    sum.b ^= std::rotl(crc, static_cast<int>((first_site + i) % 31));
  }
  return sum;
}

BinaryFile::BinaryFile(const std::filesystem::path& path, Use use)
    : path_(path), file_(std::fopen(path.c_str(), use == Use::read ? "rb" : "wb")) {
  if (file_ == nullptr) fail(use == Use::read ? "reading" : "writing");
  if (use == Use::write) return;
  std::error_code why;
  size_ = std::filesystem::file_size(path, why);
  if (!why) return;
  std::fclose(file_);
  throw Failure(fmt::format("reading {}: {}", path_.string(), why.message()));
}

BinaryFile::~BinaryFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void BinaryFile::fail(const char* doing) const {
  throw Failure(fmt::format("{} {}: {}", doing, path_.string(), std::strerror(errno)));
}

void BinaryFile::read(std::uint64_t at, void* to, std::uint64_t bytes, const std::string& what) {
  if (at > size_ || bytes > size_ - at) {
    throw Failure(
        about(path_, fmt::format("it ends after {} bytes; {} needs {}", size_, what, at + bytes)));
  }
  if (fseeko(file_, static_cast<off_t>(at), SEEK_SET) != 0) fail("reading");
  errno = 0;
  if (std::fread(to, 1, bytes, file_) != bytes) fail("reading");
}

void BinaryFile::write(const void* from, std::uint64_t bytes) {
  if (std::fwrite(from, 1, bytes, file_) != bytes) fail("writing");
}

void BinaryFile::finish() {
  std::FILE* const open = std::exchange(file_, nullptr);
  if (std::fclose(open) != 0) fail("writing");
}

std::string about(const std::filesystem::path& file, const std::string& what) {
  return file.string() + ": " + what;
}

} // namespace ridge::io
