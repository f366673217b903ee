// The cache of kernels compiled on demand: files that outlive the process, shared by all of a
// user's.
//
// An entry is a shared object and a note beside it, which holds the full key, a digest of the
// object, and a trace: digests of the files it was compiled from and names that were looked for in
// vain. An entry counts only where all of that is as it was; anything else is compiled again.
// Objects appear whole or not at all.
//
// A kernel of the user's is found in two steps. Its entry goes by its preprocessed text, which is
// all that its object depends on. A reading beside it says which text a request led to, with the
// trace of the preprocessing: where that holds, nothing is preprocessed.
#pragma once

#include <ridge/core/file.hpp>

#include <optional>
#include <string>

namespace ridge::launch {

class Cache {
public:
  /// $RIDGE_CACHE, else $XDG_CACHE_HOME/ridge, else ~/.cache/ridge; where that cannot be used, a
  /// folder of this process alone, and one line on standard error that says why.
  static Cache& here();

  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// The object of an entry whose note says `key`; empty where there is none.
  [[nodiscard]] std::string find(const std::string& key);
  /// Takes the file in as the object of `key`, which counts as long as the lines of its trace hold.
  /// Returns where it is now.
  std::string keep(const std::string& key, const std::string& object, const std::string& trace);
  /// The trace and the digest of an object that was found or kept.
  struct Note {
    std::string object, trace;
  };
  [[nodiscard]] Note note_of(const std::string& object) const;

  /// What a request was found to mean when it was preprocessed, where that holds still.
  struct Reading {
    std::string text;  ///< its digest
    std::string trace; ///< lines
  };
  [[nodiscard]] std::optional<Reading> recall(const std::string& request) const;
  void remember(const std::string& request, const Reading& reading,
                const std::string& object) const;

  /// Writes a source file that outlives the process; returns where it is.
  std::string keep_source(const std::string& file_name, const std::string& text);
  /// Whether it is one of those: its name says what is in it.
  [[nodiscard]] bool is_kept_source(const std::string& file) const;
  /// Where all takes more than `most` bytes, removes the entries used longest ago until it does
  /// not: first large ones, which are compiled headers, until these take three quarters of it.
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
