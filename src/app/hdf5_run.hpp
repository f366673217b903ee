// Reading the files of runs: attributes that must be there, and the last snapshot that is complete.
#pragma once

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"
#include "../io/hdf5_attribute.hpp"
#include "../io/snapshot_files.hpp"
#include "hdf5_handle.hpp"
#include "hdf5_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>

namespace ridge::app {

/// The file of a run, opened to read. Throws UsageError where it is damaged.
class RunReader {
public:
  /// Of a `program`, of its format `latest` or an earlier one; `others` are its starts: "bodies".
  RunReader(std::filesystem::path file, const char* program, Index latest, const char* others)
      : name_(std::move(file)), file_(open_hdf5(name_)) {
    std::string found;
    refuse_if(!read_attribute(file_, "program", found) || found != program,
              "{} is not the file of a run: --restart takes what {} wrote with -o; other {} are "
              "given as INPUT",
              name_.string(), program, others);
    const auto format = required<Index>(file_, "format");
    refuse_if(format > latest, "{} is of a later ridge (format {}; this one reads {})",
              name_.string(), format, latest);
  }

  [[nodiscard]] const Handle& file() const { return file_; }
  template <class Value>
  [[nodiscard]] Value required(const Handle& object, const char* name) const {
    Value value{};
    refuse_if(!read_attribute(object, name, value), "{} is damaged: it lacks the attribute {}",
              name_.string(), name);
    return value;
  }

  template <class Value>
  void require(const char* name, Value& value) const {
    value = required<Value>(file_, name);
  }

  [[nodiscard]] std::uint64_t hexadecimal(const std::string& text) const {
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    refuse_if(status != std::errc{} || end != text.data() + text.size(),
              "{} is damaged: '{}' is no hexadecimal number", name_.string(), text);
    return value;
  }

  /// Refuses a snapshot: the file of the run says what else it goes on with.
  static const std::filesystem::path& require_whole(const std::filesystem::path& name) {
    const std::string text = name.string();
    const std::size_t colon = text.find(":/");
    const std::string run = text.substr(0, colon);
    refuse_if(colon != std::string::npos && !exists(name) && std::filesystem::exists(run),
              "--restart {}: a run goes on from its last snapshot, by --restart {}; to start anew "
              "from another, give it as INPUT",
              text, run);
    return name;
  }

  /// The last snapshot that is complete.
  struct Last {
    Handle group;
    Index step;
    double time;
    std::string place;          ///< "run.h5:/snapshots/0000000100", as an INPUT
    std::filesystem::path file; ///< that it is in
  };
  [[nodiscard]] Last last() const {
    Handle group = last_complete();
    std::string file(static_cast<std::size_t>(H5Fget_name(group.id(), nullptr, 0)), '\0');
    (void)H5Fget_name(group.id(), file.data(), file.size() + 1);
    const auto step = required<Index>(group, "step");
    const auto time = required<double>(group, "time");
    return {std::move(group), step, time, fmt::format("{}:/snapshots/{:010}", name_.string(), step),
            file};
  }

  /// Refuses a snapshot that has another checksum than `found`.
  void require_checksum(const Last& last, std::uint64_t found) const {
    refuse_if(hexadecimal(required<std::string>(last.group, "checksum")) != found,
              "{}: its last snapshot, of step {}, is of another run or was changed since: its "
              "checksum differs",
              name_.string(), last.step);
  }

private:
  /// Runs of earlier versions have their snapshots in this file: one whose writing was cut short
  /// there has no checksum.
  [[nodiscard]] Handle last_complete() const {
    const Handle all(H5Gopen2(file_.id(), "/snapshots", H5P_DEFAULT), H5Gclose);
    H5G_info_t info{};
    if (all && H5Gget_info(all.id(), &info) >= 0) {
      for (hsize_t n = info.nlinks; n-- > 0;) {
        char name[64] = {};
        if (H5Lget_name_by_idx(all.id(), ".", H5_INDEX_NAME, H5_ITER_INC, n, name, sizeof(name) - 1,
                               H5P_DEFAULT) < 0) {
          continue;
        }
        Handle group(H5Gopen2(all.id(), name, H5P_DEFAULT), H5Gclose);
        if (!group) require_there(all, name, hdf5_reason());
        if (group && H5Aexists(group.id(), "checksum") > 0) return group;
      }
    }
    throw UsageError(fmt::format("{} has no complete snapshot to go on from", name_.string()));
  }

  /// A run does not go on from an earlier snapshot than its last because a file was moved.
  void require_there(const Handle& all, const char* name, const std::string& why) const {
    H5L_info_t link{};
    if (H5Lget_info(all.id(), name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_EXTERNAL)
      return;
    throw Failure(fmt::format("{} leads to its last snapshot in {}, which cannot be read: {}",
                              name_.string(), io::snapshots_in(file_).back().file.string(), why));
  }

  std::filesystem::path name_;
  Handle file_;
};

} // namespace ridge::app
