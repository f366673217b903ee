// Stencils of the library itself. Those of ridge/lab/kernels/stencil say where they are.
#pragma once

#include <ridge/stencil/laplacian.hpp>
