// Many bodies: sums over pairs, within a cutoff, by far fields and by trees; the one header of all
// of them for users (docs/headers.md).
#pragma once

#include <ridge/near_pairs.hpp>

#ifdef RIDGE_TARGET_NONE
#include <ridge/pairs/far/field.hpp>
#include <ridge/pairs/far/launch.hpp>
#include <ridge/pairs/tree.hpp>
#endif
