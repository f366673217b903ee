// Two files of records, launch by launch: faster, slower, or too close to tell.
#pragma once

#include <ridge/report/read.hpp>

namespace ridge::report {

enum class Verdict { faster, slower, unclear };

/// "faster", "slower" or "cannot tell".
[[nodiscard]] std::string to_text(Verdict verdict);

/// A value between two others.
struct Interval {
  double low = 0, high = 0;
};

/// A file's sample of a launch; several records of the same launch are one sample, whose value
/// is their median and whose intervals hold all of theirs.
struct Sample {
  SavedRecord record;             ///< the first of them
  int records = 0;                ///< how many
  std::optional<double> seconds;  ///< median
  std::optional<Interval> times;  ///< least and most, where they differ
  std::optional<double> fraction; ///< median
  std::optional<Interval> fractions;
  std::optional<double> roof; ///< median; absent where the data fit the cache
  bool failed = false;        ///< a check failed
};

/// One launch in both files, or in one of them.
struct Comparison {
  std::optional<Sample> a, b;
  Verdict verdict = Verdict::unclear;
  std::string reason;
  /// How much longer `b` takes than `a`: 0.1 is a tenth longer. By the fractions of the roof where
  /// `by_fraction`, else by the times; absent where there is nothing to divide.
  std::optional<double> longer;
  bool by_fraction = false;
  /// The record that says which launch it is.
  [[nodiscard]] const SavedRecord& launch() const { return a ? a->record : b->record; }
};

/// Whether `b` is faster or slower than `a`, two samples of one launch. Fractions decide where both
/// have intervals of fractions of the same ceiling, because that ceiling was measured in turn with
/// the kernel; otherwise times do. Intervals that overlap, intervals that contradict each other,
/// and failed checks leave it unclear. `name_a` and `name_b` are what the reason calls the two.
[[nodiscard]] Comparison judge(Sample a, Sample b, const std::string& name_a,
                               const std::string& name_b);

/// Pairs launches of the same pattern, kernel, site, precision, size, ranks, kind and name of
/// device, and schedule: the same name and text, or else the same name, or else the same text. In
/// the order of `a`, then what only `b` has. A launch whose only partner ran on another device is
/// paired with it and unclear.
[[nodiscard]] std::vector<Comparison> compare(const Saved& a, const Saved& b);

} // namespace ridge::report
