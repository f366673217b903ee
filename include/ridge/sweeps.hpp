// Many sweeps of a stencil, with boundaries: the one header of them for users (docs/headers.md).
#pragma once

#include <ridge/stencil.hpp>

#ifdef RIDGE_TARGET_NONE
#include <ridge/stencil/sweeps.hpp>
#endif
