// The files of a run that writes snapshots.
//
//   FILE.STEP.h5  a snapshot: complete, and on the disk before anything leads to it
//   FILE.h5       what holds for all of the run, and a link to each snapshot, by its step
//   FILE.xdmf     shows them to ParaView
#pragma once

#include <ridge/core/extents.hpp>

#include "output_plan.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::io {

class Handle;
class Writing;

/// A snapshot that a run has: its step and the name of its file, which is beside the run's.
struct RunSnapshot {
  Index step;
  std::filesystem::path file;
  friend bool operator==(const RunSnapshot&, const RunSnapshot&) = default;
};

/// The snapshots that a run's file leads to from a group of its own, in the order of their steps,
/// whatever version of ridge named them.
[[nodiscard]] std::vector<RunSnapshot> snapshots_in(const Handle& file,
                                                    const std::string& group = "/snapshots");

/// How FILE.h5 leads to a snapshot: by "/snapshots/0000000100".
struct SnapshotLinks {
  std::string group = "/snapshots";
  int digits = 10;
};

/// Writes them. Killed at any moment, at a full disk or without power, FILE.h5 leads to complete
/// snapshots. A run that replaces another removes those of its snapshots that it does not replace.
class SnapshotFiles {
public:
  using Fill = std::function<void(const Writing& file)>;

  /// Of a new run. The plan, which must outlive it, gets all files to be written, and is to be
  /// claimed before the first is.
  SnapshotFiles(OutputPlan& plan, std::filesystem::path file, SnapshotLinks links = {});
  /// Of a run that goes on and keeps the snapshots that it has. Others of its names are its own,
  /// and may be replaced, where they say that they are of `run`: never by their names or steps.
  /// Those of earlier versions, which say nothing, are own where the run's last one is such. A new
  /// run where `there` is empty.
  SnapshotFiles(OutputPlan& plan, std::filesystem::path file, std::string run,
                std::vector<RunSnapshot> there);

  /// What is written with a snapshot.
  struct Parts {
    std::string run;                   ///< what tells it from others: an attribute of the snapshot
    Index step;                        ///< later than those before
    std::uintmax_t bytes;              ///< that the snapshot takes, about
    Fill snapshot;                     ///< writes all that it has
    Fill index;                        ///< writes what FILE.h5 has but for links to snapshots
    std::function<std::string()> xdmf; ///< the text for ParaView; has this snapshot, too
  };
  /// Throws Failure; FILE.h5 leads to the snapshots before it then, or to this one, too.
  void add(const Parts& parts);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::filesystem::path xdmf() const;
  /// Ends what is said of an error: "; run.h5 keeps the snapshots up to step 200", by that verb.
  /// Empty before the first.
  [[nodiscard]] std::string kept(const char* verb) const;
  /// Those that FILE.h5 leads to.
  [[nodiscard]] const std::vector<RunSnapshot>& snapshots() const { return snapshots_; }

private:
  void begin_anew(OutputPlan& plan);
  void write_index(const Fill& index) const;
  void remove_replaced();

  const OutputPlan& plan_;
  std::filesystem::path file_;
  SnapshotLinks links_;
  std::vector<RunSnapshot> snapshots_;
  std::vector<std::filesystem::path> replaced_; ///< snapshots of the run that this one replaces
};

} // namespace ridge::io
