// Counters of this machine's processor, where the system lets a program read its own.
#pragma once

#include <ridge/record/record.hpp>

#include <functional>

namespace ridge {

/// Counts what `run` reads past the last-level cache on all threads that there are now: lines that
/// the processor counts as missed, 64 bytes each. What hardware prefetches is counted by some
/// processors and not by others, and writes by none. Throws Failure that says what to set where the
/// system forbids it, or that the processor (a virtual machine's, mostly) has no such counter.
[[nodiscard]] Counters count_on_cpu(const std::function<void()>& run);

} // namespace ridge
