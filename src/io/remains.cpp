#include "remains.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ridge::io {

namespace {

/// More than any command has at once; what does not fit stays for the next run to clear.
constinit std::array<std::atomic<char*>, 64> names{};
/// Not a child that has not become a compiler yet.
constinit std::atomic<pid_t> owner{0};

} // namespace

Remains::Remains(const std::filesystem::path& file)
    : name_(strdup(std::filesystem::absolute(file).c_str())) {
  owner = getpid();
  for (std::atomic<char*>& slot : names) {
    char* none = nullptr;
    if (slot.compare_exchange_strong(none, name_)) return;
  }
}

Remains::~Remains() {
  if (name_ == nullptr) return;
  for (std::atomic<char*>& slot : names) {
    char* mine = name_;
    if (!slot.compare_exchange_strong(mine, nullptr)) continue;
    std::free(name_);
    return;
  }
  // Nobody had room for it, or a handler reads it now, and the process ends.
}

Remains::Remains(Remains&& other) noexcept : name_(std::exchange(other.name_, nullptr)) {}

void remove_remains() noexcept {
  if (owner != getpid()) return;
  for (std::atomic<char*>& slot : names) {
    if (const char* const name = slot.exchange(nullptr)) (void)unlink(name);
  }
}

} // namespace ridge::io
