// A launch that takes longer than modelled, on a part of its data that the cache holds.
#pragma once

#include <ridge/lab/visit.hpp>

#include <functional>
#include <memory>

namespace ridge::lab {

/// Where a visit's launch took much longer than modelled on a machine that is not busy: times it on
/// a part of its data that the last-level cache holds, and adds what that tells to the record and
/// the diagnoses. `make` gives the case of other extents; where it throws an Error nothing is
/// added.
void examine_longer(Visit& visit, const std::function<std::unique_ptr<Case>(const Extents&)>& make,
                    const MeasureOptions& measuring);

/// Extents of which so many bytes are left at most: the last axis is halved first, to 8 or more;
/// empty where that does not reach.
[[nodiscard]] Extents part_of(const Extents& size, double bytes, double most);

} // namespace ridge::lab
