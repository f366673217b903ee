// Launches that take longer than modelled: what they take with data in the cache says whether their
// instructions or memory hold them up.
#include <ridge/doctor/beyond.hpp>

#include "../causes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::doctor {

namespace {

/// The share of the time that is left with data in the cache; nothing where a launch takes about as
/// long as modelled.
std::optional<double> share_in_cache(const Record& record) {
  const auto modelled = number_of(record, modelled_detail),
             cached = number_of(record, cached_detail);
  if (!modelled || !cached || !record.timing) return {};
  const double measured = record.timing->median.value;
  if (measured < much_longer * *modelled) return {};
  return std::min(1.0, *cached / measured);
}

Cure as_counted(const Record& record, const std::vector<Record>& /*tried*/) {
  const double measured = record.timing->median.value;
  const double modelled = *number_of(record, modelled_detail);
  return {
      measured / modelled,
      fmt::format("with data in the cache an item takes {:.2f} times as long as modelled: fewer "
                  "divisions, roots, exponentials and branches an item, or values of fewer bits",
                  *number_of(record, cached_detail) / modelled)};
}

Cure as_a_copy(const Record& record, const std::vector<Record>& /*tried*/) {
  const double measured = record.timing->median.value;
  const double least =
      std::max(*number_of(record, modelled_detail), *number_of(record, cached_detail));
  return {
      measured / least,
      fmt::format("with data in the cache an item takes {:.2f} of its time: fewer arrays at once, "
                  "tiles that are longer along x (ridge tune), huge pages",
                  *number_of(record, cached_detail) / measured)};
}

} // namespace

Cause slow_operations() {
  Cause c = recorded_cause();
  c.name = "slow-operations";
  c.title = "operations take longer than as many additions and multiplications";
  c.unit = "of the time, longer than modelled, is left with data in the cache";
  c.threshold = 0.7;
  c.recorded = &share_in_cache;
  c.cure = &as_counted;
  c.action = "fewer divisions, roots, exponentials and branches an item, or values of fewer bits";
  c.background =
      "The model takes each operation for one of a multiply-add. A division or a root takes ten to "
      "twenty times as long, an exponential is some twenty operations, and lanes that branch apart "
      "do what each of them takes. Shallow water has ten divisions and eight roots an item beside "
      "two hundred additions and multiplications, and reaches 0.58 of a copy on an H100. The same "
      "launch on a part of the data that the cache holds tells such operations from memory: with "
      "them an item takes as long there.";
  c.source = "docs/design/chains.md: one step after the other";
  return c;
}

Cause slow_memory() {
  Cause c = recorded_cause();
  c.name = "slow-memory";
  c.title = "memory gives these arrays less than it gives a copy";
  c.unit = "of the time, longer than modelled, goes with data in the cache";
  c.threshold = 0.3;
  c.recorded = [](const Record& record) -> std::optional<double> {
    const auto share = share_in_cache(record);
    return share ? std::optional(1 - *share) : share;
  };
  c.cure = &as_a_copy;
  c.action = "fewer arrays at once, tiles that are longer along x, huge pages";
  c.background =
      "The model takes memory to move any bytes as fast as those of a copy. Many arrays at once "
      "fall on the same banks, short rows leave open pages of memory, and rows that are far apart "
      "miss in the TLB. A launch on a part of the data that the cache holds tells memory "
      "from instructions: what goes there is memory's.";
  c.source = "docs/design/chains.md: one step after the other";
  return c;
}

} // namespace ridge::doctor
