// A fifth pattern as small as one can be: numbers are gathered from places. It lies in tests alone,
// and no file of the house names it: bench, lists and tuning have its kernels because it announces
// them.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/field.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/launch/subject.hpp>
#include <ridge/pattern/menu.hpp>

#include <memory>
#include <string>
#include <variant>

namespace ridge::gathers {

/// out[i] = in[places[i]]
template <class T>
struct Call {
  Span<const T> in;
  Span<const int> places;
  Span<T> out;
};

/// `Kind` is the number of the alternative: a cpu's schedules and those of GPUs are types of their
/// own.
template <int Kind>
struct ScheduleOf {
  int items = 1;
  bool operator==(const ScheduleOf&) const = default;
  static constexpr auto fields() {
    return Fields{text::field("items", &ScheduleOf::items, text::one_of(1, 2, 4),
                              "numbers that a lane gathers")};
  }
};
using Schedule = std::variant<ScheduleOf<0>, ScheduleOf<1>>;
[[nodiscard]] inline std::string to_text(const Schedule& schedule) {
  return text::print_held(schedule);
}

template <class T>
[[nodiscard]] Subject subject_of(const Call<T>& call, const std::string& name);
template <class T>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const Call<T>& call, const Place& place);

} // namespace ridge::gathers

template <class T>
struct ridge::Pattern<ridge::gathers::Call<T>> {
  using Schedule = gathers::Schedule;
  static Schedule default_schedule(const Device& device, const gathers::Call<T>& call);
  /// Throws UsageError unless there is a place for each number.
  Pattern(Queue& queue, const gathers::Call<T>& call, const Schedule& schedule);
  [[nodiscard]] const gathers::Call<T>& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const;
  /// Throws UsageError: nothing is compiled on demand.
  [[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule) const;

private:
  gathers::Call<T> call_;
};
