// Which states of a run are kept while its steps are taken back, with room for some of them.
//
// A. Griewank, A. Walther, ACM Trans. Math. Softw. 26 (2000) 19: `revolve`. Before the last step is
// taken back, no plan that keeps so many states takes fewer steps.
#pragma once

#include <ridge/core/index.hpp>

namespace ridge::chain {

/// The state of the first of `steps` steps is kept, and `room` more can be: how many steps further
/// the next one is. 1 to steps - 1; `steps` is at least 2, and `room` at least 1.
[[nodiscard]] Index next_kept(Index steps, Index room);

} // namespace ridge::chain
