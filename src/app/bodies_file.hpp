// The files of a run of bodies: FILE.h5 leads to snapshots, each in a file of its own, and
// FILE.xdmf shows them to ParaView.
//
//   FILE.h5             attributes of the run
//     /mass             N values: links to those of the first snapshot
//     /snapshots/STEP   links to FILE.STEP.h5
//   FILE.STEP.h5        a snapshot, with its mass; its last attribute, checksum, makes it complete
#pragma once

#include "../io/hdf5_writing.hpp"
#include "../io/snapshot_files.hpp"
#include "../spatial/host_bodies.hpp"
#include "hdf5_run.hpp"

#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ridge::app {

/// The most that names of snapshots have digits for.
inline constexpr Index most_steps = 9'999'999'999;

/// What holds for all of a run, whatever acts between its bodies.
struct BodiesFacts {
  std::uint64_t id = 0; ///< hash of the very first state; restarts keep it
  std::string start;    ///< what it began from
  std::string device, device_name;
  std::string schedule; ///< with all fields
};

/// A run before its first step, or what a restart goes on from.
template <class Facts, class State>
struct BodiesBeginning {
  Facts run;
  State at;
  std::vector<std::filesystem::path> files; ///< that were read
};

inline void from_text(std::string_view text, spatial::Precision& to) {
  to = spatial::parse_precision(text);
}

/// Attributes of FILE.h5: calls with names and members write them, in whatever form files have.
struct WriteMembers {
  const io::Writing& out;
  template <class T>
  void operator()(const char* name, const T& value) const {
    if constexpr (std::is_same_v<T, std::uint64_t>)
      out.attribute(name, fmt::format("{:016x}", value));
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      out.attribute(name, fmt::format("{}", fmt::join(value, " ")));
    else if constexpr (std::is_enum_v<T>)
      out.attribute(name, std::string(to_text(value)));
    else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, bool>)
      out.attribute(name, Index{value});
    else
      out.attribute(name, value);
  }
};
/// The same calls read them back.
struct ReadMembers {
  const RunReader& in;
  template <class T>
  void operator()(const char* name, T& value) const {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      value = in.hexadecimal(in.required<std::string>(in.file(), name));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      const auto words = in.required<std::string>(in.file(), name);
      for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        value.push_back(words.substr(begin, end - begin));
        begin = end + 1;
      }
    } else if constexpr (std::is_enum_v<T>) {
      from_text(in.required<std::string>(in.file(), name), value);
    } else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, bool>) {
      value = static_cast<T>(in.required<Index>(in.file(), name));
    } else {
      in.require(name, value);
    }
  }
};

/// As of every run that writes snapshots: what SnapshotFiles says.
class BodiesFile {
public:
  /// Claims `target` and the XDMF file beside it; `inputs` are what was read. Throws what
  /// OutputPlan throws.
  BodiesFile(const std::filesystem::path& target, const std::vector<std::filesystem::path>& inputs,
             bool overwrite);

  /// What it leaves: "run.h5 and run.xdmf".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string kept() const { return files_->kept("keeps"); }

  struct Head {
    const char* program;
    Index format;
    std::uint64_t run;
    Index step;
    double time;
    const std::vector<double>& mass;
    int body_bytes;                     ///< of all that is written of a body, but for its mass
    int position_bytes, velocity_bytes; ///< of a component
    std::uint64_t checksum;
  };
  /// Adds a snapshot. `begin` writes the attributes of the run to FILE.h5; `add` what the snapshot
  /// has beside the head. Throws Failure: the snapshots written before stay.
  void write(const Head& head, const io::SnapshotFiles::Fill& begin,
             const io::SnapshotFiles::Fill& add);

private:
  [[nodiscard]] std::string xdmf_of(const Head& head) const;

  io::OutputPlan plan_;
  std::optional<io::SnapshotFiles> files_;
  std::vector<double> times_;
};

} // namespace ridge::app
