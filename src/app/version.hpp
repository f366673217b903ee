// The version of this ridge.
#pragma once

namespace ridge::app {

/// As "0.1.0". Text of a file of its own, which no optimisation copies: a test makes another
/// version's ridge by changing it in the program.
extern const char ridge_version[];

} // namespace ridge::app
