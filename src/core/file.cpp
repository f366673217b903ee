#include <ridge/core/file.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

namespace ridge {

std::optional<std::string> read_file(const std::string& file) {
  const int in = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return std::nullopt;
  std::string all;
  std::array<char, 1 << 14> piece;
  ssize_t got = 0;
  while ((got = read(in, piece.data(), piece.size())) != 0) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) all.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(in);
  if (got < 0) return std::nullopt;
  return all;
}

bool write_file(const std::string& file, const std::string& text) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(out, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool whole = done == text.size() && fsync(out) == 0;
  if (close(out) == 0 && whole) return true;
  (void)unlink(file.c_str());
  return false;
}

FileLock::FileLock(const std::string& file, const std::function<void()>& waits)
    : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), holds_(false) {
  if (file_ < 0) return;
  while (waits && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    try {
      waits();
    } catch (...) {
      close(file_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  holds_ = flock(file_, LOCK_EX) == 0; // once more is no harm
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

} // namespace ridge
