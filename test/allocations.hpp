// Counting what is allocated.
#pragma once

namespace ridge::test {

/// Allocations of this process so far, by any thread.
[[nodiscard]] long allocations();

} // namespace ridge::test
