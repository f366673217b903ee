// Sums over near pairs, by lists: the one header of them for users (docs/headers.md).
#pragma once

#include <ridge/pairs.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/pairs/lists/executor.hpp>
#endif

#ifdef RIDGE_TARGET_NONE
#include <ridge/pairs/lists/launch.hpp>
#include <ridge/pairs/lists/lists.hpp>
#endif
