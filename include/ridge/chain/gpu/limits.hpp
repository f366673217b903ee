// Limits that kernels and schedules of chains on GPUs both know.
#pragma once

namespace ridge::chain {

/// Most threads of a block: operations may use 255 registers.
inline constexpr int most_block_threads = 256;

/// Elements of shared memory of a lane with a column: those it keeps, and those that it fetches
/// into. An odd number, so that lanes beside each other use different banks.
template <class I>
constexpr I column_elements(I kept, int ring) {
  return kept > 0 ? (kept + ring) | 1 : 0;
}
/// Levels of a column that a lane takes from shared memory at a time: a stage.
inline constexpr int column_stage = 2;
/// Stages that are on their way to shared memory, where lanes fetch so many arrays: ten levels of
/// four arrays keep memory busy with few lanes, too (docs/design/chains.md).
constexpr int column_stages(int arrays) {
  constexpr int values = 40;
  constexpr int least = 3;
  constexpr int most = 16;
  const int stages = values / (column_stage * (arrays > 0 ? arrays : 1));
  return stages < least ? least : stages > most ? most : stages;
}

} // namespace ridge::chain
