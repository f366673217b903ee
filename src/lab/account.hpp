// Records of kernels that memory bounds.
#pragma once

#include <ridge/record/memory_roof.hpp>

#include <string>

namespace ridge::lab {

/// Puts the timing into the record, and the rate of the bytes of its work against the ceiling
/// beside it, called `roof_name`; the ceiling is 0 where the device has none.
inline void account(Record& record, const Beside& measured, const std::string& roof_name) {
  record.timing = measured.timing;
  Achievement reached;
  reached.rate = static_cast<double>(record.work.read.value + record.work.written.value) /
                 measured.timing.median.value;
  reached.unit = "B/s";
  reached.roof_name = roof_name;
  reached.roof = measured.roof;
  record.achieved = reached;
}

} // namespace ridge::lab
