// Launches that a GPU gets ready while the one before ends.
#pragma once

#include <ridge/core/config.hpp>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// Whether a GPU gets a launch of the body ready while the one before it ends, where the body says
/// so by `static constexpr bool prepared_early = true`: for launches of a few microseconds that
/// follow each other. As soon as all blocks of such a launch run, those of the next may take what
/// is free of the multiprocessors, and wait there. CUDA from compute capability 9.0 on; elsewhere
/// it means nothing.
template <class Body>
constexpr bool is_prepared_early() {
  if constexpr (requires { Body::prepared_early; }) {
    return Body::prepared_early;
  } else {
    return false;
  }
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
