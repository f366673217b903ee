// Reports of perf on a program on a processor.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <string>
#include <string_view>

namespace ridge::doctor {

/// The events that `read_perf` reads, as perf stat -e takes them.
[[nodiscard]] std::string perf_events();

/// Adds what `perf stat` (with or without -x,) or `perf report --stdio` printed: counts of the
/// program, and functions by their share of its time. False where the text has neither.
[[nodiscard]] bool read_perf(std::string_view text, Foreign& all);

} // namespace ridge::doctor
