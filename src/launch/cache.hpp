// The cache of kernels compiled on demand: files that outlive the process, shared by all of a
// user's.
//
// An entry is a shared object and a note beside it, which holds the full key, a digest of the
// object and of every file of the user's that it was compiled from. An entry counts only where all
// of that is as it was; anything else is compiled again. Objects appear whole or not at all.
#pragma once

#include <ridge/core/file.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

class Cache {
public:
  /// $RIDGE_CACHE, else $XDG_CACHE_HOME/ridge, else ~/.cache/ridge; where that cannot be used, a
  /// folder of this process alone, and one line on standard error that says why.
  static Cache& here();

  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// The object of an entry whose note says `key`; empty where there is none.
  [[nodiscard]] std::string find(const std::string& key);
  /// Takes the file in as the object of `key`; `files` are those it was compiled from. Returns
  /// where it is now.
  std::string keep(const std::string& key, const std::string& object,
                   const std::vector<std::string>& files);
  /// Writes a source file that outlives the process; returns where it is.
  std::string keep_source(const std::string& file_name, const std::string& text);
  /// Whether it is one of those: its name says what is in it.
  [[nodiscard]] bool is_kept_source(const std::string& file) const;
  /// Removes the entries used longest ago until the rest takes at most `most` bytes.
  void shrink(long long most);

  /// Holds the entry of a key for this process and thread: others that want to compile it wait.
  /// Where its holder dies, the system gives it to the next.
  class Lock {
  public:
    Lock(const Cache& cache, const std::string& key);

  private:
    FileLock file_;
  };

  /// An empty folder for one compilation, removed with all that is in it.
  class Workshop {
  public:
    explicit Workshop(const Cache& cache);
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    [[nodiscard]] const std::string& folder() const { return folder_; }

  private:
    std::string folder_;
  };

private:
  Cache();
  std::string folder_;
  bool temporary_ = false;
};

} // namespace ridge::launch
