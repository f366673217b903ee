// LIME: a header of 144 bytes, big-endian, before the data of each record, which are padded to
// multiples of 8 bytes: magic number, version, flags, length, and the type in 128 bytes.
#include "lime.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <cstring>

namespace ridge::io {

namespace {

constexpr std::uint64_t header_bytes = 144;
constexpr std::uint32_t magic = 0x456789ab;
constexpr std::uint64_t flags_at = 6, type_at = 16, type_bytes = 128;
constexpr std::uint64_t alignment = 8;

std::uint64_t big(const unsigned char* from, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value = value << 8 | from[i];
  return value;
}
void put_big(unsigned char* to, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i, value >>= 8)
    to[i] = static_cast<unsigned char>(value & 0xff);
}

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

std::vector<LimeRecord> lime_records(const std::filesystem::path& file, BinaryFile& data) {
  std::vector<LimeRecord> records;
  int message = 0;
  for (std::uint64_t at = 0; at < data.size();) {
    unsigned char header[header_bytes];
    data.read(at, header, header_bytes, "the header of a record");
    if (big(header, 4) != magic) {
      throw UsageError(about(file, fmt::format("at byte {} no LIME record begins", at)));
    }
    const bool begins_message = (header[flags_at] & 0x80U) != 0;
    LimeRecord record;
    record.message = begins_message ? ++message : message;
    record.bytes = big(header + 8, 8);
    record.at = at + header_bytes;
    const char* const type = reinterpret_cast<const char*>(header + type_at);
    record.type.assign(type, strnlen(type, type_bytes));
    if (record.bytes > data.size() - record.at) {
      throw Failure(about(file, fmt::format("it ends after {} bytes, within its record {}, which "
                                            "has {} bytes from byte {} on",
                                            data.size(), record.type, record.bytes, record.at)));
    }
    at = record.at + padded(record.bytes);
    records.push_back(record);
  }
  return records;
}

void begin_lime_record(BinaryFile& file, const std::string& type, std::uint64_t bytes,
                       LimeMessage message) {
  unsigned char header[header_bytes] = {};
  put_big(header, magic, 4);
  put_big(header + 4, 1, 2); // version
  const auto flags = static_cast<unsigned>(message);
  header[flags_at] = static_cast<unsigned char>((flags & 1U) << 7 | (flags & 2U) << 5);
  put_big(header + 8, bytes, 8);
  std::memcpy(header + type_at, type.data(), std::min<std::uint64_t>(type.size(), type_bytes - 1));
  file.write(header, header_bytes);
}

void end_lime_record(BinaryFile& file, std::uint64_t bytes) {
  const unsigned char zeros[alignment] = {};
  file.write(zeros, padded(bytes) - bytes);
}

void write_lime_record(BinaryFile& file, const std::string& type, const void* data,
                       std::uint64_t bytes, LimeMessage message) {
  begin_lime_record(file, type, bytes, message);
  file.write(data, bytes);
  end_lime_record(file, bytes);
}

} // namespace ridge::io
