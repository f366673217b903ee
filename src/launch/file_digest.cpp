#include "file_digest.hpp"

#include <ridge/core/file.hpp>

#include "hash.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace ridge::launch {

namespace {

/// Seconds: the steps of the coarsest file systems' times.
constexpr std::time_t step = 2;
/// Seconds by which clocks of machines that share files may differ.
constexpr std::time_t doubt = 60;

/// The time of the inode counts, too: no program can set it.
std::time_t last_change(const struct stat& s) {
  return std::max(s.st_mtim.tv_sec, s.st_ctim.tv_sec);
}

struct Stamp {
  dev_t device;
  ino_t number;
  off_t size;
  timespec written, changed;
  explicit Stamp(const struct stat& s)
      : device(s.st_dev), number(s.st_ino), size(s.st_size), written(s.st_mtim),
        changed(s.st_ctim) {}
  [[nodiscard]] bool operator==(const Stamp& o) const {
    const auto same = [](const timespec& a, const timespec& b) {
      return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
    };
    return device == o.device && number == o.number && size == o.size && same(written, o.written) &&
           same(changed, o.changed);
  }
  /// Without blanks.
  [[nodiscard]] std::string text() const {
    return fmt::format("{:x}.{:x}.{:x}.{:x}.{:x}.{:x}.{:x}", device, number, size, written.tv_sec,
                       written.tv_nsec, changed.tv_sec, changed.tv_nsec);
  }
};

struct Known {
  Stamp stamp;
  std::string digest;
};

} // namespace

bool is_file(const std::string& name) {
  struct stat s {};
  return stat(name.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

std::optional<std::string> file_digest(const std::string& name) {
  static std::mutex guard;
  static auto* const known = new std::unordered_map<std::string, Known>;
  struct stat before {};
  if (stat(name.c_str(), &before) != 0 || !S_ISREG(before.st_mode)) return std::nullopt;
  {
    const std::lock_guard lock(guard);
    const auto at = known->find(name);
    if (at != known->end() && at->second.stamp == Stamp(before)) return at->second.digest;
  }
  const std::optional<std::string> content = read_file(name);
  if (!content) return std::nullopt;
  std::string digest = digest_of_words(*content);
  struct stat after {};
  const bool still = stat(name.c_str(), &after) == 0 && Stamp(after) == Stamp(before);
  if (still && std::time(nullptr) > last_change(before) + step) {
    const std::lock_guard lock(guard);
    known->insert_or_assign(name, Known{Stamp(before), digest});
  }
  return digest;
}

std::optional<std::string> file_state(const std::string& name) {
  struct stat before {};
  if (stat(name.c_str(), &before) != 0) return std::nullopt;
  std::optional<std::string> state = file_digest(name);
  struct stat after {};
  const bool still = stat(name.c_str(), &after) == 0 && Stamp(after) == Stamp(before);
  if (state && still && std::time(nullptr) > last_change(before) + doubt)
    *state += ":" + Stamp(before).text();
  return state;
}

bool is_in_state(const std::string& name, std::string_view state) {
  struct stat now {};
  if (stat(name.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return false;
  const auto colon = state.find(':');
  if (colon != std::string_view::npos && state.substr(colon + 1) == Stamp(now).text()) return true;
  return file_digest(name) == digest_in(state);
}

std::string_view digest_in(std::string_view state) {
  return state.substr(0, state.find(':'));
}

bool settled_before(const std::string& name, std::time_t moment) {
  struct stat s {};
  return stat(name.c_str(), &s) == 0 && last_change(s) + doubt < moment;
}

} // namespace ridge::launch
