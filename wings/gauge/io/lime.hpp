// LIME: a file of records, each with a type and its length.
#pragma once

#include "links_data.hpp"

#include <string>
#include <vector>

namespace ridge::io {

/// Where the data of a record lie.
struct LimeRecord {
  std::string type;
  std::uint64_t at = 0, bytes = 0;
  int message = 0; ///< the number of the message that it is part of
};

/// All records of a file. Throws UsageError where one does not begin as records do, Failure where
/// the file ends within one.
[[nodiscard]] std::vector<LimeRecord> lime_records(const std::filesystem::path& file,
                                                   BinaryFile& data);

/// What begins and ends messages, groups of records.
enum class LimeMessage { begins = 1, ends = 2, both = 3, within = 0 };

void write_lime_record(BinaryFile& file, const std::string& type, const void* data,
                       std::uint64_t bytes, LimeMessage message);
/// In pieces: between these two `bytes` bytes are written.
void begin_lime_record(BinaryFile& file, const std::string& type, std::uint64_t bytes,
                       LimeMessage message);
void end_lime_record(BinaryFile& file, std::uint64_t bytes);

} // namespace ridge::io
