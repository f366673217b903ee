// Runs of many steps that Ctrl-C ends between two of them.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/record/record.hpp>

#include <atomic>
#include <functional>

namespace ridge::python {

/// Takes steps in batches that are as long as Ctrl-C may take, until so many are done. `take` takes
/// a batch and says how many seconds it took, over ranks the same on all of them.
void take_steps(std::atomic<Index>& done, Index steps, const std::function<double(Index)>& take);

/// Adds to the record of a launch how long one took and how many steps were done.
void add_steps(Record& record, Seconds launch, Index steps);

} // namespace ridge::python
