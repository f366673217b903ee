// Launches that take longer than modelled: what they take with data in the cache, or on a GPU how
// busy its units are, says whether their instructions or memory hold them up.
#include <ridge/doctor/beyond.hpp>
#include <ridge/doctor/foreign/cause.hpp>

#include "../causes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::doctor {

namespace {

constexpr std::string_view fewer_instructions =
    "fewer divisions, roots, exponentials and branches an item, or values of fewer bits";

bool takes_longer(const Record& record) {
  const auto modelled = number_of(record, modelled_detail);
  return modelled && record.timing && record.timing->median.value >= much_longer * *modelled;
}

/// The share of the time that is left with data in the cache.
std::optional<double> share_in_cache(const Record& record) {
  const auto cached = number_of(record, cached_detail);
  if (!cached || !takes_longer(record)) return {};
  return std::min(1.0, *cached / record.timing->median.value);
}

/// The share of the time that one kind of units takes, of what a unit reaches in practice; nothing
/// where the other kind is busier, or neither is busy enough to be the limit.
std::optional<double> share_of_units(const Record& record, const char* these, const char* others) {
  const auto busy = number_of(record, these), beside = number_of(record, others);
  if (!busy || !beside || !takes_longer(record) || *busy < std::max(*beside, busy_enough))
    return {};
  return std::min(1.0, *busy / within_reach);
}

std::optional<double> share_of_arithmetic(const Record& record) {
  if (const auto cached = share_in_cache(record)) return cached;
  return share_of_units(record, arithmetic_detail, memory_detail);
}

std::optional<double> share_of_memory(const Record& record) {
  if (const auto cached = share_in_cache(record)) return 1 - *cached;
  return share_of_units(record, memory_detail, arithmetic_detail);
}

/// The cure of a launch whose units were counted: the next busiest kind of them is the limit then.
Cure without_instructions(const Record& record) {
  const double busy = *number_of(record, arithmetic_detail);
  const double modelled = *number_of(record, modelled_detail);
  const double left = std::max(*number_of(record, memory_detail), 0.01);
  return {std::min(busy / left, record.timing->median.value / modelled),
          std::string(fewer_instructions)};
}

Cure as_counted(const Record& record, const std::vector<Record>& /*tried*/) {
  if (!number_of(record, cached_detail)) return without_instructions(record);
  const double modelled = *number_of(record, modelled_detail);
  return {record.timing->median.value / modelled,
          fmt::format("{:.2f} times the modelled time with data in the cache: {}",
                      *number_of(record, cached_detail) / modelled, fewer_instructions)};
}

Cure as_a_copy(const Record& record, const std::vector<Record>& /*tried*/) {
  const double measured = record.timing->median.value;
  if (!number_of(record, cached_detail)) {
    return {measured / *number_of(record, modelled_detail),
            "ridge count says what moves beyond the least bytes; fewer arrays at once, longer "
            "tiles along x"};
  }
  const double least =
      std::max(*number_of(record, modelled_detail), *number_of(record, cached_detail));
  return {measured / least,
          fmt::format("with data in the cache an item takes {:.2f} of its time: fewer arrays at "
                      "once, longer tiles along x (ridge tune), huge pages",
                      *number_of(record, cached_detail) / measured)};
}

} // namespace

Cause slow_operations() {
  Cause c = recorded_cause();
  c.name = "slow-operations";
  c.title = "operations take longer than as many additions and multiplications";
  c.unit = "of the time is arithmetic's: left with data in the cache, or by counters";
  c.threshold = 0.7;
  c.recorded = &share_of_arithmetic;
  c.cure = &as_counted;
  c.action = fewer_instructions;
  c.background =
      "The model takes each operation for one of a multiply-add. A division or a root takes ten to "
      "twenty times as long, an exponential is some twenty operations, and lanes that branch apart "
      "do what each of them takes. Shallow water has ten divisions and eight roots an item beside "
      "two hundred additions and multiplications, and reaches 0.58 of a copy on an H100: its loop "
      "has 784 instructions in fp64, 304 of them of the fp64 pipe, and 555 in fp32 (sm_90, CUDA "
      "13.0). The same launch on a part of the data that the cache holds tells such operations "
      "from memory: with them an item takes as long there. Where no such part fills a GPU's units, "
      "ncu counts how busy these are.";
  c.source = "docs/design/chains.md: one step after the other";
  return c;
}

Cause slow_memory() {
  Cause c = recorded_cause();
  c.name = "slow-memory";
  c.title = "memory gives these arrays less than it gives a copy";
  c.unit = "of the time is memory's: gone with data in the cache, or by counters";
  c.threshold = 0.3;
  c.recorded = &share_of_memory;
  c.cure = &as_a_copy;
  c.action = "fewer arrays at once, tiles that are longer along x, huge pages";
  c.background = "The model takes memory to move any bytes as fast as those of a copy. Many arrays "
                 "at once fall on the same banks, short rows leave open pages of memory, and rows "
                 "that are far apart miss in the TLB. A launch on a part of the data that the "
                 "cache holds tells memory from instructions: what goes there is memory's.";
  c.source = "docs/design/chains.md: one step after the other";
  return c;
}

} // namespace ridge::doctor
