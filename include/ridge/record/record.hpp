// Records: what a launch leaves behind.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/fields.hpp>
#include <ridge/core/units.hpp>
#include <ridge/device/device.hpp>
#include <ridge/record/work.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge {

/// Times of the repeats of one launch.
struct Timing {
  Seconds median, least, most;
  int repeats = 0;
};

/// How a result compares with the reference.
struct Check {
  bool ok = false;
  /// Largest error, in the measure the pattern's check documents.
  double max_error = 0;
  std::string against = "reference";
  /// The fault and its place, when it is not ok.
  std::string message;
};

/// The rate that was reached, and its ceiling.
struct Achievement {
  double rate = 0;       ///< of the resource that limits this kernel
  std::string unit;      ///< "B/s", "flop/s", "interactions/s"
  double roof = 0;       ///< the ceiling measured in this process; 0 where none applies
  std::string roof_name; ///< which one: "copy", "fma_fp32", ...
  /// Fractions of single repeats, between which the true one lies nine times of ten; 0 where
  /// the ceiling was not measured beside each.
  double fraction_low = 0, fraction_high = 0;
  [[nodiscard]] double fraction() const { return roof > 0 ? rate / roof : 0; }
};

/// The bytes that one launch moved, as the hardware counted them, or else as the model says.
struct Counters {
  std::string source;                       ///< "ncu", "perf", "modelled"
  double bytes_read = 0;                    ///< from memory
  std::optional<double> bytes_written = {}; ///< to memory
  std::optional<double> hit_rate = {};      ///< of the last-level cache, 0 to 1
};

/// More that a pattern has to say of a launch: a number with its unit, or text.
struct Detail {
  std::string name; ///< of the field in JSON
  double number = 0;
  std::string text; ///< where it is no number
};

/// The detail with the operations a second, where memory is the limit but users count operations.
inline constexpr const char* flop_rate_detail = "flops_per_second";

/// A member of records and its name in JSON. Those with several fields (times, work, what was
/// achieved, details) name these themselves, in src/record/record_json.cpp.
template <class T, class R>
struct RecordField {
  const char* name;
  T R::*member;
  bool always = true; ///< in JSON; else only where it is set
};

/// A launch: what ran, under which schedule, how long, how much it had to do, how far from the
/// roof, and whether it was checked.
struct Record {
  std::string pattern;
  std::string kernel;
  DeviceId device;
  std::string device_name;
  std::string precision; ///< "fp32", "fp64", "mixed"
  Extents size;
  std::string site;          ///< lattice: what a site holds; empty elsewhere
  std::string schedule;      ///< as its text
  std::string schedule_name; ///< "kernel3", "default"; empty when it has none
  Work work;
  bool in_cache =
      false; ///< the data fit the last-level cache: no fraction of a memory roof is meant
  std::optional<Timing> timing;
  std::optional<Achievement> achieved;
  std::optional<Check> check;
  std::string compiled;        ///< "ahead", "now" or "cached"; empty where nothing was launched
  std::optional<Seconds> host; ///< time of the host to give one launch to the queue
  int ranks = 1;
  std::optional<Counters> counters = {}; ///< where they were asked for
  std::vector<Detail> details;           ///< fields of its pattern's own

  // Not written out in each source that has records.
  Record();
  Record(const Record& other);
  Record(Record&& other) noexcept;
  Record& operator=(const Record& other);
  Record& operator=(Record&& other) noexcept;
  ~Record();

  /// In the order of JSON. A new field is a member and a line here.
  static constexpr auto fields() {
    constexpr bool where_set = false;
    return Fields{RecordField{"pattern", &Record::pattern},
                  RecordField{"kernel", &Record::kernel},
                  RecordField{"device", &Record::device},
                  RecordField{"device_name", &Record::device_name},
                  RecordField{"precision", &Record::precision},
                  RecordField{"site", &Record::site, where_set},
                  RecordField{"size", &Record::size},
                  RecordField{"schedule", &Record::schedule},
                  RecordField{"schedule_name", &Record::schedule_name, where_set},
                  RecordField{"timing", &Record::timing},
                  RecordField{"work", &Record::work},
                  RecordField{"achieved", &Record::achieved},
                  RecordField{"in_cache", &Record::in_cache, where_set},
                  RecordField{"host_seconds", &Record::host, where_set},
                  RecordField{"compiled", &Record::compiled, where_set},
                  RecordField{"ranks", &Record::ranks},
                  RecordField{"counters", &Record::counters, where_set},
                  RecordField{"check", &Record::check},
                  RecordField{"details", &Record::details}};
  }
};

/// The JSON of one record or of an array of them, with the field names of the command-line
/// contract. `indent` as nlohmann-json takes it: -1 for one line.
[[nodiscard]] std::string to_json(const Record& record, int indent = -1);
[[nodiscard]] std::string to_json(const std::vector<Record>& records, int indent = 2);

} // namespace ridge
