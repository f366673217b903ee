// Ridge in processes of others: a Python interpreter, a server that forks.
#pragma once

#include <ridge/device/cpu/parallel.hpp>

namespace ridge::cpu {

/// From now on the thread that launches keeps the cores it may run on: threads and processes that
/// its program starts later inherit them. The other threads of a team are pinned as ever.
void be_a_guest();

/// Calls `work`, which starts teams of threads, on a thread that can have one. A forked child lacks
/// the threads of its parent, but OpenMP would wait for them on the thread that forked.
void with_team(FunctionRef<void()> work);

} // namespace ridge::cpu
