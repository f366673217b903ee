// Twins of a program's kernels, compiled by NVRTC and run on the GPU that is here.
#pragma once

#include "profilers.hpp"

namespace ridge::app {

/// For each kernel that is asked for, and each cause of it that a twin can show: makes the twin,
/// finds how many of its loads must be under way together for it to take as long as the kernel, and
/// times it with and without the cause. Their sources go to the folder of --keep. A twin that
/// cannot run says why.
void run_twins(const Profiled& program, const doctor::ForeignAsked& asked, doctor::Foreign& all);

} // namespace ridge::app
