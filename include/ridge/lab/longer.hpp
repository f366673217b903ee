// A launch that takes longer than modelled, on a part of its data that the cache holds.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>
#include <ridge/lab/visit.hpp>

#include <functional>
#include <memory>

namespace ridge::lab {

/// Whether a visit's launch took much longer than modelled on a machine that is not busy.
[[nodiscard]] bool is_longer(const Visit& visit);

/// Whether a part of a launch's data has blocks for all that a GPU holds at once. One that leaves
/// units idle takes longer an item for that alone.
[[nodiscard]] bool fills(const doctor::Facts& part);

/// Times such a launch, where memory is its limit, on a part of its data that the last-level cache
/// holds, and adds what that tells to the record and the diagnoses. `make` gives the case of other
/// extents. False where it throws an Error, or the part leaves units of a GPU idle: nothing is
/// added then.
bool examine_longer(Visit& visit, const std::function<std::unique_ptr<Case>(const Extents&)>& make,
                    const MeasureOptions& measuring);

/// Adds how busy the device's units were in such a launch, by its longest kernel's counters, to the
/// record and the diagnoses.
void add_counts(Visit& visit, const doctor::Foreign& counted);

/// Extents of which so many bytes are left at most: the last axis is halved first, to 8 or more;
/// empty where that does not reach.
[[nodiscard]] Extents part_of(const Extents& size, double bytes, double most);

} // namespace ridge::lab
