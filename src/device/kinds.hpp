// The rows of facts, each in the folder of its kind.
#pragma once

#include <ridge/device/kind.hpp>

namespace ridge::rows {

#define RIDGE_KIND_ROW(kind, Target, MACRO) extern const KindFacts kind;
RIDGE_FOR_EACH_KIND(RIDGE_KIND_ROW)
#undef RIDGE_KIND_ROW

} // namespace ridge::rows
