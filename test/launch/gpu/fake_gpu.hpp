// A GPU that is not there: it has the memory of the host, and takes note of launches.
#pragma once

#include <ridge/device/image.hpp>
#include <ridge/device/launch_shape.hpp>

#include <string>
#include <vector>

namespace ridge::test {

struct FakeLaunch {
  LaunchShape shape;
  bool prepared_early = false;
};

/// What the GPUs cuda:0 and hip:0 of this program have been given since it was last cleared.
[[nodiscard]] std::vector<FakeLaunch>& fake_launches();

/// How often the GPUs were asked for what they know of kernels, since the program began.
[[nodiscard]] int& fake_questions();

/// Whether streams of the GPUs record what they are given, as while torch makes a graph of it: that
/// does not run, and waiting is refused. A number of the recording; 0: they run.
[[nodiscard]] int& fake_recording();
/// What else than launches the streams were given while they recorded: "copy", "fill".
[[nodiscard]] std::vector<std::string>& fake_recorded();

/// The architecture of hip:0 from its next opening on: "gfx90a".
[[nodiscard]] std::string& fake_amd_architecture();

} // namespace ridge::test
