// The rows of facts, each in the folder of its kind.
#pragma once

#include <ridge/device/kind.hpp>

namespace ridge::rows {

extern const KindFacts cpu, simt, cuda, hip;

} // namespace ridge::rows
