// All files that a command will write, planned before it starts: none is an input, none exists
// unless it may be replaced, none is another run's. They are claimed while the plan lives.
#pragma once

#include "claim.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::io {

/// What was claimed last is given back first: who then gets the first name gets all of them.
struct Claims {
  Claims() = default;
  Claims(Claims&&) noexcept = default;
  Claims& operator=(Claims&&) = delete;
  ~Claims() {
    while (!all.empty())
      all.pop_back();
  }
  std::vector<Claim> all;
};

class OutputPlan {
public:
  /// `overwrite`: files that exist may be replaced, inputs never.
  explicit OutputPlan(bool overwrite) : overwrite_(overwrite) {}

  /// A file that the command reads: "the input". An empty name is none.
  void reads(const std::filesystem::path& file, const std::string& what);
  /// A file that it writes: "the output". Throws UsageError when that cannot be.
  void writes(const std::filesystem::path& file, const std::string& what);
  /// A file that the same command has left before, which it replaces.
  void writes_again(const std::filesystem::path& file, const std::string& what);
  /// A file that is written at once, and that a device or a pipe may stand for: "the picture".
  void writes_at_once(const std::filesystem::path& file, const std::string& what);
  /// A file of the run that goes on, which was read and will be replaced.
  void continues(const std::filesystem::path& file, const std::string& what);
  /// The snapshots of an output, FILE.STEP.h5, of any step. Those that exist and are the run's own
  /// may be replaced or read.
  void writes_snapshots(const std::filesystem::path& file,
                        std::function<bool(const std::filesystem::path&)> is_own);

  /// Checks and claims all of them. Throws UsageError, which says what would be right, or Failure
  /// when a folder takes no files.
  void claim();

  /// Where a file of the plan is written before it takes its place. Throws Failure for a file that
  /// is none: a fault of the command's.
  [[nodiscard]] std::filesystem::path temporary_for(const std::filesystem::path& file) const;

private:
  struct Input {
    std::filesystem::path file;
    std::string what;
  };
  enum class Standing {
    new_one,     ///< may not exist
    replaceable, ///< may exist
    own          ///< may exist, and be what was read
  };
  struct Output {
    std::filesystem::path file;  ///< as the user calls it
    std::filesystem::path place; ///< the file that will be replaced
    std::string what;
    Standing standing;
  };
  struct Snapshots {
    std::filesystem::path file;   ///< that leads to them, as the user calls it
    std::filesystem::path folder; ///< without links
    std::string stem;
    std::function<bool(const std::filesystem::path&)> is_own;

    [[nodiscard]] bool has_name_of(const std::filesystem::path& other) const;
    [[nodiscard]] std::filesystem::path lock() const;
  };

  void add(const std::filesystem::path& file, const std::string& what, Standing standing);
  void require_no_input(const Output& output) const;
  void require_no_input(const Snapshots& all) const;
  void require_different() const;
  void require_new() const;
  void claim_names();
  [[nodiscard]] bool holds_all() const;
  void clear_remains() const;

  bool overwrite_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Snapshots> snapshots_;
  Claims claims_;
};

/// Whether what is written goes to a device, a pipe or standard output as it comes: nothing is
/// replaced there.
[[nodiscard]] bool is_stream(const std::filesystem::path& target);

/// The file that a name leads to, without links; it need not exist. Throws UsageError when its
/// folder does not.
[[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& target);

} // namespace ridge::io
