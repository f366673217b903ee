// Large datasets move in pieces, so that little host memory is needed, progress shows, and Ctrl-C
// is heard in between.
#pragma once

#include <ridge/core/extents.hpp>

#include <vector>

namespace ridge::app {

/// A box of a dataset that is contiguous when the whole is packed.
struct Piece {
  std::vector<Index> start, count; ///< along each dimension, slowest first as HDF5 has it
  Index first = 0;                 ///< of its elements, in the packed whole
  Index elements = 0;
};

/// Cuts a dataset of `shape` (slowest dimension first) into pieces of about 32 MiB. Where `chunk`
/// (empty for contiguous storage) allows it within 256 MiB, cuts fall between chunks, so that each
/// is decompressed once.
[[nodiscard]] std::vector<Piece> pieces_of(const std::vector<Index>& shape,
                                           const std::vector<Index>& chunk, int element_bytes);

} // namespace ridge::app
