#include <ridge/doctor/pages.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace ridge::doctor {

namespace {

/// Memory nodes of this machine.
int nodes() {
  int count = 0;
  std::error_code failed;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/node", failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
      ++count;
  }
  return std::max(count, 1);
}

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t most_pages = 256;

} // namespace

std::optional<double> node_share(const void* data, std::size_t bytes) {
  if (nodes() == 1) return 1;
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / page_bytes * page_bytes;
  const std::size_t pages = std::max<std::size_t>(bytes / page_bytes, 1);
  const std::size_t asked = std::min(pages, most_pages);
  std::vector<void*> places;
  for (std::size_t i = 0; i < asked; ++i)
    places.push_back(reinterpret_cast<void*>(begin + i * pages / asked * page_bytes));
  std::vector<int> lies(asked, -1);
  // Without nodes to move to, move_pages only tells where pages are.
  if (syscall(SYS_move_pages, 0, asked, places.data(), nullptr, lies.data(), 0) != 0) return {};
  std::map<int, double> on;
  double known = 0;
  for (const int node : lies) {
    if (node < 0) continue; // not touched yet
    ++known;
    ++on[node];
  }
  if (known == 0) return {};
  double fullest = 0;
  for (const auto& [node, count] : on)
    fullest = std::max(fullest, count);
  return fullest / known * nodes();
}

} // namespace ridge::doctor
