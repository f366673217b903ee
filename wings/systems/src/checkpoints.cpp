#include <ridge/chain/system/checkpoints.hpp>

#include <algorithm>

namespace ridge::chain {

namespace {

constexpr Index most = Index{1} << 40; // steps of any run

/// (a + b)! / (a! b!), or `most` where it is more: steps that `a` states take back, each computed
/// at most b times.
Index choices(Index a, Index b) {
  if (b < 0) return 0;
  Index value = 1;
  for (Index i = 1; i <= std::min(a, b); ++i) {
    const Index more = std::max(a, b) + i;
    if (value / i >= most / more) return most;
    value = value * more / i;
  }
  return value;
}

} // namespace

Index next_kept(Index steps, Index room) {
  if (room >= steps - 1) return 1;
  const Index states = room + 1;
  Index times = 0;
  while (choices(states, times) < steps)
    ++times;
  return std::clamp<Index>(
      std::min(choices(states, times - 1), steps - choices(states - 1, times - 1)), 1, steps - 1);
}

} // namespace ridge::chain
