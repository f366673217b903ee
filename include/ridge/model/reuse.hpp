// Whether a line is still in a cache when it is used again.
#pragma once

namespace ridge::model {

/// How a cache spreads lines over its sets.
enum class Hash {
  random, ///< every line falls into any set
  even,   ///< a run of lines falls evenly into all sets, so that a line's own place counts as one
  between ///< the mean of both
};

/// Probability that a line was replaced by the time as many other lines as are `fraction` of the
/// cache's have been used: by then its set of `ways` lines, least recently used first out, has seen
/// a Poisson distributed number of others, `fraction` times `ways` on average, and the line is gone
/// from the `ways`th on.
[[nodiscard]] double gone(double fraction, int ways, Hash hash = Hash::between);

} // namespace ridge::model
