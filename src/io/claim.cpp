#include "claim.hpp"

#include <ridge/core/error.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ridge::io {

namespace {

/// The lock file, made where there is none. One that another user's run left can still be locked.
int open_lock(const std::filesystem::path& file) {
  int id = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (id >= 0 || errno != EACCES) return id;
  id = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  // No lock is there, and the folder takes none.
  if (id < 0 && errno == ENOENT) errno = EACCES;
  return id;
}

/// Whether an open file is still the one of that name: its last holder removes it.
bool is_in_place(int id, const std::filesystem::path& file) {
  struct stat open{};
  struct stat there{};
  return fstat(id, &open) == 0 && stat(file.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

} // namespace

Claim::Claim(std::filesystem::path file, Kind kind, const std::string& called)
    : file_(std::move(file)) {
  try {
    while (!try_to_hold(kind, called)) {
    }
  } catch (...) {
    close_file();
    throw;
  }
}

/// False where the file was removed meanwhile: then there is another to try.
bool Claim::try_to_hold(Kind kind, const std::string& called) {
  close_file();
  const MakingRemains making;
  id_ = open_lock(file_);
  if (id_ < 0) throw Failure(fmt::format("writing {}: {}", called, std::strerror(errno)));
  locked_ = flock(id_, (kind == Kind::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
  if (!locked_ && errno == EWOULDBLOCK) {
    throw UsageError(fmt::format("{} is being written by another run{}; wait for its end, or give "
                                 "another file",
                                 called, holder()));
  }
  if (!locked_) {
    static bool said = false;
    if (!std::exchange(said, true)) {
      fmt::print(stderr,
                 "ridge: the file system of {} has no locks ({}): nothing keeps other runs from "
                 "writing there\n",
                 called, std::strerror(errno));
    }
    remains_.emplace(file_);
    return true;
  }
  if (!is_in_place(id_, file_)) return false;
  if (kind == Kind::alone) sign();
  remains_.emplace(file_, kind == Kind::shared ? id_ : -1);
  return true;
}

/// Says whose it is, for messages of others.
void Claim::sign() const {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::string text = fmt::format("process {} on {}", getpid(), host.data());
  if (ftruncate(id_, 0) == 0) (void)!pwrite(id_, text.data(), text.size(), 0);
}

/// " (process 17 on node3)"; empty where it is not known.
std::string Claim::holder() const {
  std::array<char, 300> text{};
  const ssize_t got = pread(id_, text.data(), text.size() - 1, 0);
  return got > 0 ? fmt::format(" ({})", text.data()) : "";
}

void Claim::close_file() {
  if (id_ >= 0) (void)close(std::exchange(id_, -1));
  locked_ = false;
}

Claim::Claim(Claim&& other) noexcept
    : file_(std::move(other.file_)), id_(std::exchange(other.id_, -1)),
      locked_(std::exchange(other.locked_, false)), remains_(std::move(other.remains_)) {}

Claim::~Claim() {
  // Others that hold it, too, still need the file: the last one removes it.
  const bool last = locked_ && flock(id_, LOCK_EX | LOCK_NB) == 0;
  if (id_ >= 0 && (last || !locked_) && is_in_place(id_, file_)) (void)unlink(file_.c_str());
  remains_.reset(); // before its lock's file is closed
  close_file();
}

} // namespace ridge::io
