#include <ridge/record/numbers.hpp>
#include <ridge/record/record.hpp>

namespace ridge {

Record::Record() = default;
Record::Record(const Record& other) = default;
Record::Record(Record&& other) noexcept = default;
Record& Record::operator=(const Record& other) = default;
Record& Record::operator=(Record&& other) noexcept = default;
Record::~Record() = default;

Record record_in(const char* precision, bool stored, Record record) {
  record.precision = precision;
  if (stored) record.details.push_back({"arithmetic", 0, "fp32"});
  return record;
}

} // namespace ridge
