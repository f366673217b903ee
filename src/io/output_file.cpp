#include "output_file.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/units.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace ridge::io {

namespace fs = std::filesystem;

namespace {

/// Swaps two files in one step; false where the file system cannot.
bool exchange(const fs::path& a, const fs::path& b) {
  return renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

/// A descriptor that is closed again.
class Descriptor {
public:
  Descriptor(const fs::path& path, int flags) : id_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int id() const { return id_; }

private:
  int id_;
};

} // namespace

OutputFile::OutputFile(const OutputPlan& plan, fs::path target)
    : target_(std::move(target)), place_(place_of(target_)),
      temporary_(plan.temporary_for(target_)), remains_(temporary_) {}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (state_ != State::placed) fs::remove(temporary_, ignored);
}

void OutputFile::fail(int error) const {
  throw Failure(fmt::format("writing {}: {}", target_.string(), std::strerror(error)));
}

void OutputFile::require_room(std::uintmax_t bytes) const {
  std::error_code unknown;
  const fs::space_info room = fs::space(temporary_.parent_path(), unknown);
  if (unknown || room.available >= bytes) return;
  const auto text = [](std::uintmax_t n) { return to_text(Bytes{static_cast<std::int64_t>(n)}); };
  throw Failure(fmt::format("writing {} needs {}, and its disk has {} free", target_.string(),
                            text(bytes), text(room.available)));
}

void OutputFile::sync() const {
  sync_file(temporary_, target_); // some file systems tell only now that the disk is full
}

void OutputFile::place(bool undoable) {
  if (undoable && exchange(temporary_, place_)) {
    state_ = State::exchanged;
    return;
  }
  std::error_code why;
  fs::rename(temporary_, place_, why);
  if (why) fail(why.value());
  state_ = State::placed;
}

void OutputFile::undo() noexcept {
  std::error_code ignored;
  if (state_ == State::exchanged) {
    exchange(temporary_, place_);
  } else if (state_ == State::placed) {
    fs::remove(place_, ignored);
  }
  state_ = State::temporary;
}

void OutputFile::commit() {
  sync();
  place(false);
  sync_folder_of(place_);
}

void OutputFile::commit_both(OutputFile& first, OutputFile& second) {
  first.sync();
  second.sync();
  first.place(true);
  try {
    second.place(false);
  } catch (...) {
    first.undo();
    throw;
  }
  sync_folder_of(first.place_);
  sync_folder_of(second.place_);
}

void sync_file(const fs::path& file, const fs::path& called) {
  const Descriptor open(file, O_RDONLY);
  if (open.id() < 0 || fsync(open.id()) != 0) {
    throw Failure(fmt::format("writing {}: {}", called.string(), std::strerror(errno)));
  }
}

void sync_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor open(folder, O_RDONLY | O_DIRECTORY);
  // A folder that may be written to but not read, and file systems that keep names by themselves.
  if (open.id() < 0 || fsync(open.id()) == 0 || errno == EINVAL) return;
  throw Failure(fmt::format("writing {}: {}", file.string(), std::strerror(errno)));
}

void write_text(const fs::path& path, const std::string& text, const fs::path& called) {
  // What standard output leads to may hold something already.
  std::ofstream stream(path,
                       std::ios::binary | (is_stream(path) ? std::ios::app : std::ios::trunc));
  stream << text;
  stream.close();
  if (!stream) throw Failure(fmt::format("writing {}: {}", called.string(), std::strerror(errno)));
}

void write_text_file(const OutputPlan& plan, const fs::path& target, const std::string& text) {
  if (is_stream(target)) {
    write_text(target, text, target);
    return;
  }
  OutputFile file(plan, target);
  write_text(file.path(), text, target);
  file.commit();
}

} // namespace ridge::io
