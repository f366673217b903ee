// Faults put into words.
#pragma once

#include <ridge/device/simt/block.hpp>
#include <ridge/device/simt/fault.hpp>

#include <string>

namespace ridge::simt {

[[nodiscard]] Dim3 thread_of(const Block& block, int rank);
/// "(x,y,z)".
[[nodiscard]] std::string to_text(Dim3 d);
/// "thread (x,y,z)".
[[nodiscard]] std::string thread_text(const Block& block, int rank);

/// The fault of the thread `rank`; `text` says what it does, and what would be right.
[[nodiscard]] Fault make_fault(FaultKind kind, const Block& block, int rank, Index index,
                               const std::string& text);

} // namespace ridge::simt
