#include <ridge/device/cpu/quota.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace ridge::cpu {

namespace {

namespace fs = std::filesystem;

using Limit = std::optional<double>;

Limit ratio(std::istream& in) {
  double quota = 0; // "max" and -1 mean none
  double period = 0;
  if (in >> quota >> period && quota > 0 && period > 0) return quota / period;
  return {};
}

/// The limit of one group: "QUOTA PERIOD" in cpu.max, or a file for each in the first version.
Limit limit_of(const fs::path& group) {
  std::ifstream both(group / "cpu.max");
  if (both) return ratio(both);
  std::ifstream quota(group / "cpu.cfs_quota_us");
  std::ifstream period(group / "cpu.cfs_period_us");
  std::stringstream text;
  if (quota && period) text << quota.rdbuf() << ' ' << period.rdbuf();
  return ratio(text);
}

/// The least limit of `path` within `root` and of the groups around it. A container may not see the
/// group that its path names; then those around it count.
Limit least(const fs::path& root, const fs::path& path) {
  Limit found;
  fs::path group = path.relative_path();
  while (true) {
    const Limit here = limit_of(root / group);
    if (here) found = std::min(found.value_or(*here), *here);
    if (group.empty() || group == "..") return found;
    group = group.parent_path();
  }
}

bool has_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

} // namespace

std::optional<double> granted_processors(const fs::path& groups, const fs::path& mine) {
  std::ifstream in(mine);
  Limit found;
  for (std::string line; std::getline(in, line);) { // HIERARCHY:CONTROLLERS:PATH
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_cpu(controllers)) continue;
    const fs::path root = controllers.empty() ? groups : groups / controllers;
    const Limit here = least(root, line.substr(second + 1));
    if (here) found = std::min(found.value_or(*here), *here);
  }
  return found;
}

} // namespace ridge::cpu
