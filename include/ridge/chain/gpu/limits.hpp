// What kernels and schedules of chains on GPUs both know.
#pragma once

namespace ridge::chain {

/// Most threads of a block: operations may use 255 registers.
inline constexpr int most_block_threads = 256;

} // namespace ridge::chain
