// How much of the machine's processors a control group grants.
#pragma once

#include <filesystem>
#include <optional>

namespace ridge::cpu {

/// Processors' worth of time that control groups (of either version) grant this process, as
/// containers with a limit have them: the least of its group and the groups around it. Nothing
/// where no limit is set or none can be read. More threads than that only wait for each other.
[[nodiscard]] std::optional<double>
granted_processors(const std::filesystem::path& groups = "/sys/fs/cgroup",
                   const std::filesystem::path& mine = "/proc/self/cgroup");

} // namespace ridge::cpu
