// How launches of any pattern are laid over a device.
#pragma once

#include <ridge/model/facts.hpp>

namespace ridge::model {

/// Blocks of a GPU's launch: how many, of how many threads, with how many registers and how much
/// shared memory each.
struct Blocks {
  double count = 1;
  int threads = 256;
  int registers = 32; ///< that a thread needs
  int bounds = 1024;  ///< most threads of a block, as the compiler was told
  Index shared_bytes = 0;
};
void lay_blocks(Facts& facts, const Blocks& blocks);

/// Work in `parts` that are dealt to threads; 0 threads: one a core. `row` numbers follow each
/// other in a loop, `used_bytes` of a register are used by the kernels' vectors.
void lay_threads(Facts& facts, Index parts, int threads, Index row);

} // namespace ridge::model
