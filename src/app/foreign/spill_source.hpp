// Source lines of a program at which its kernels keep values of threads in memory.
#pragma once

#include "profilers.hpp"

namespace ridge::app {

/// Looks for the lines in the program's own file, by cuobjdump and nvdisasm, where a kernel that is
/// asked for has the cause spilled-registers. Tools that are missing for it go to the notes.
void find_spill_lines(const Profiled& program, const doctor::ForeignAsked& asked,
                      doctor::Foreign& all);

} // namespace ridge::app
