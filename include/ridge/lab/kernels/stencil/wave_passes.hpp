// Several sweeps of waves in one pass, compiled ahead. A header of passes alone is compiled for CUDA with the
// operations of packs written out, in a fifth of the time (docs/design/launches.md).
#pragma once

#include <ridge/lab/kernels/stencil/wave.hpp>

namespace ridge::lab {

struct WavePasses {
  using ahead = Ahead<stencil::Pass<Wave<2, 3>, float>, stencil::Pass<Wave<2, 3>, double>>;
};

namespace built_in {
using wave_passes = Stencils<WavePasses>;
} // namespace built_in

} // namespace ridge::lab
