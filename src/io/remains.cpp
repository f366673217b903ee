#include "remains.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ridge::io {

namespace {

struct Slot {
  std::atomic<char*> name{nullptr};
  std::atomic<int> lock{-1};
};
/// More than any command has at once; what does not fit stays for the next run to clear.
constinit std::array<Slot, 64> slots{};
/// Not a child that has not become a compiler yet.
constinit std::atomic<pid_t> owner{0};
/// The number of files that are being made, and the signal that ends the process. Whoever sets one
/// reads the other afterwards, so that a handler in any thread and the maker never miss each other.
constinit std::atomic<int> making{0}, ends_by{0};

void end_now() noexcept {
  remove_remains();
  std::signal(ends_by, SIG_DFL);
  std::raise(ends_by);
}

} // namespace

Remains::Remains(const std::filesystem::path& file, int lock)
    : name_(strdup(std::filesystem::absolute(file).c_str())) {
  owner = getpid();
  for (Slot& slot : slots) {
    char* none = nullptr;
    if (!slot.name.compare_exchange_strong(none, name_)) continue;
    slot.lock = lock;
    return;
  }
}

Remains::~Remains() {
  if (name_ == nullptr) return;
  for (Slot& slot : slots) {
    char* mine = name_;
    if (!slot.name.compare_exchange_strong(mine, nullptr)) continue;
    slot.lock = -1;
    std::free(name_);
    return;
  }
  // Nobody had room for it, or a handler reads it now, and the process ends.
}

Remains::Remains(Remains&& other) noexcept : name_(std::exchange(other.name_, nullptr)) {}

MakingRemains::MakingRemains() noexcept {
  ++making;
  if (ends_by != 0) end_now();
}

MakingRemains::~MakingRemains() {
  if (--making == 0 && ends_by != 0) end_now();
}

void end_without_remains(int signal) noexcept {
  ends_by = signal;
  if (making == 0) end_now();
}

void remove_remains() noexcept {
  if (owner != getpid()) return;
  for (Slot& slot : slots) {
    const char* const name = slot.name.exchange(nullptr);
    if (name == nullptr) continue;
    const int lock = slot.lock;
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) (void)unlink(name);
  }
}

} // namespace ridge::io
