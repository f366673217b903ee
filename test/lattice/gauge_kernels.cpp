// The example's kernels, compiled once per device kind.
#include "../../examples/gauge/gauge.cpp" // NOLINT(bugprone-suspicious-include)
