// Results appear whole or not at all: written beside their place, then renamed.
#pragma once

#include "output_plan.hpp"
#include "remains.hpp"

#include <filesystem>
#include <string>

namespace ridge::io {

/// A file in the making: a temporary beside `target` that disappears unless committed. Where the
/// target is a link, the file it leads to is the one that is replaced.
class OutputFile {
public:
  /// The target is one of the plan, which has claimed it.
  OutputFile(const OutputPlan& plan, std::filesystem::path target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// What the user called it.
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  /// Where to write.
  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  /// Throws Failure, with the need and what there is, when the disk has no room for `bytes`.
  void require_room(std::uintmax_t bytes) const;

  /// Waits until what was written is on the disk. Throws Failure when it does not get there.
  void sync() const;
  /// Syncs, renames to the target, and waits until the name is on the disk. Throws Failure when
  /// that is not possible.
  void commit();
  /// Commits two files: both or, as far as the system can undo a rename, neither.
  static void commit_both(OutputFile& first, OutputFile& second);

private:
  enum class State { temporary, placed, exchanged };
  void place(bool undoable);
  void undo() noexcept;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_, place_, temporary_;
  Remains remains_;
  State state_ = State::temporary;
};

/// Waits until what was written is on the disk. Throws Failure, in which the file is named
/// `called`, when it does not get there.
void sync_file(const std::filesystem::path& file, const std::filesystem::path& called);

/// Waits until the file's name is on the disk, too: without power a rename is lost before that.
/// Throws Failure when it does not get there.
void sync_folder_of(const std::filesystem::path& file);

/// Writes a file of the plan. Throws Failure, leaving nothing behind, when not all of `text` can be
/// written. Devices, pipes and standard output are written to directly.
void write_text_file(const OutputPlan& plan, const std::filesystem::path& target,
                     const std::string& text);

/// Writes `text` to `path`. Throws Failure, in which the file is named `called`.
void write_text(const std::filesystem::path& path, const std::string& text,
                const std::filesystem::path& called);

} // namespace ridge::io
