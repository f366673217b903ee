// Records and ceilings as files hold them: what a version does not write is absent.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/record/roof.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::report {

/// How a result compared with the reference.
struct SavedCheck {
  bool ok = false;
  std::optional<double> max_error;
  std::string message; ///< what is wrong, when it is not ok
};

/// A cause of slowness with its proof, in the words and figures of the record.
struct Diagnosis {
  std::string cause, evidence, threshold, predicted_gain, proved_gain, fix;
};

/// A further field of a record, as text.
struct Remark {
  std::string name, text;
};

/// One record of a file. Times are in seconds; a number that was absent or null is nullopt, and a
/// text is empty.
struct SavedRecord {
  std::string pattern, kernel;
  std::string device; ///< "cuda:0"
  std::string device_name;
  std::string precision;
  std::string site;                 ///< lattice: what a site holds
  std::optional<double> operations; ///< chain: how many
  std::vector<Index> size;
  std::string schedule, schedule_name;
  std::optional<double> seconds, seconds_min, seconds_max, host_seconds;
  std::optional<double> repeats;
  std::optional<double> bytes_read, bytes_written, flops, items;
  std::string convention;
  std::optional<double> achieved, roof, fraction, fraction_low, fraction_high;
  std::string achieved_unit, roof_name;
  std::string compiled; ///< "ahead" or "on demand"
  int ranks = 1;
  bool in_cache = false;
  bool modelled = false;                         ///< nothing ran: ridge model wrote it
  std::optional<double> fetched_bytes, hit_rate; ///< where it is modelled
  std::optional<double> joules;                  ///< of one launch
  std::optional<SavedCheck> check;
  std::vector<Remark> counters; ///< what the machine counted, or the model said
  std::vector<Diagnosis> diagnoses;
  std::vector<Remark> remarks; ///< numbers and texts of its pattern's own
};

/// The ceilings that `ridge roof --json` printed.
struct SavedRoof {
  std::string device, device_name;
  std::vector<Ceiling> ceilings;
};

/// A result that was compared with the reference and is wrong: its speed means nothing.
[[nodiscard]] inline bool is_wrong(const SavedRecord& record) {
  return record.check && !record.check->ok;
}
/// "cuda" of "cuda:0"; an emulated GPU keeps its warp width: "simt:32".
[[nodiscard]] std::string device_kind(const std::string& device);
/// "512x512x512".
[[nodiscard]] std::string size_text(const SavedRecord& record);
/// "lattice-axpy propagator", "chain of 10": the kernel, and what a site holds or how many
/// operations there are.
[[nodiscard]] std::string kernel_text(const SavedRecord& record);
/// The name of the schedule and its text, what there is of them: "kernel3: block=256x1x1 ...".
[[nodiscard]] std::string schedule_text(const SavedRecord& record);
/// How many points, bodies or sites.
[[nodiscard]] double points_of(const SavedRecord& record);

} // namespace ridge::report
