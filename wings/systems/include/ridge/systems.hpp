// Systems: chains of updates over time, with conditions beyond their faces; the one header of them
// for users (docs/headers.md).
//
// In a system's own header and in kernel sources it brings what systems are written with; in host
// code also what runs them on arrays of one's own.
#pragma once

#include <ridge/chain.hpp>

#include <ridge/chain/system/by_step.hpp>
#include <ridge/chain/system/conditions.hpp>
#include <ridge/chain/system/number.hpp>

#ifdef RIDGE_TARGET_NONE
#include <ridge/chain/system/on_arrays.hpp>
#include <ridge/chain/system/waves.hpp>
#endif
