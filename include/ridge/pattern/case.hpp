// A case: one kernel on one device at one size in one precision, with its fields and what is
// expected of them, on one rank or on this one's part of all. Patterns make cases; one driver
// benches, checks and accounts them all.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/view.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/record/memory_roof.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::comm {
class Step;
} // namespace ridge::comm

namespace ridge {

using AskedSchedule = NamedText;

/// Blocks of memory of the case on which a ceiling can be measured beside its launches.
struct RoofMemory {
  MemoryRoof::Kind kind;
  Bytes size;
  void* to;
  const void* a;
  const void* b = nullptr;
};

/// The part of two blocks of `size` bytes that a ceiling of copies can be measured on: whole lines.
[[nodiscard]] RoofMemory roof_memory(void* to, const void* from, Bytes size);

/// The limit of a launch: the amount of a resource that it needs at least, and how much of
/// that the device has a second.
struct Limit {
  std::string name;  ///< of the ceiling: "copy", "read", "triad", or "issue"
  std::string unit;  ///< "B/s", "interactions/s"
  double amount = 0; ///< of one launch: bytes, interactions
  /// Given where the ceiling does not come from a measured roof of that name; 0: there is none.
  std::optional<double> value = {};
  /// Where memory is the limit and is large enough to be measured beside.
  std::optional<RoofMemory> memory = {};
};

class Case {
public:
  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  virtual ~Case() = default;

  [[nodiscard]] virtual Queue& queue() = 0;
  /// The subject by which wisdom knows it.
  [[nodiscard]] virtual Subject subject() const = 0;
  /// The menu of its launches, at a place that may be described otherwise than its own device.
  [[nodiscard]] virtual std::unique_ptr<Menu> menu_at(const Place& place) const = 0;
  /// The menu of the device that it is on.
  [[nodiscard]] const Menu& menu();
  /// Binds a launch under a schedule of the menu.
  [[nodiscard]] virtual Program bind(const AskedSchedule& schedule) = 0;
  /// Fills results with what shows when it is not written.
  virtual void poison() = 0;
  /// Compares the results of the launch before with the reference; over ranks also what came from
  /// others with what they hold, bit for bit. The verdict is that of this rank.
  [[nodiscard]] virtual Check check() = 0;
  [[nodiscard]] virtual Limit limit() const = 0;
  /// Results of a reduction by the launch before, on the host; empty for what reduces nothing.
  [[nodiscard]] virtual std::vector<double> results() { return {}; }
  /// Those results where the launch leaves them, on the device.
  [[nodiscard]] virtual Span<const double> results_on_device() const { return {}; }
  /// Adds what the pattern has to say beside the timing.
  virtual void complete(Record& /*record*/, const AskedSchedule& /*schedule*/) {}
  /// Launches of others that do the same, as yardsticks; a record each.
  [[nodiscard]] virtual std::vector<Record> yardsticks() { return {}; }
  /// Over ranks: what was bound last, as all of them run it. Null on one rank.
  [[nodiscard]] virtual comm::Step* ranks() { return nullptr; }
  /// Over ranks: what the rank that owns most has of the size.
  [[nodiscard]] virtual Extents share() const { return {}; }

protected:
  /// Gives that launch of all ranks to the queue.
  [[nodiscard]] Program program_of_ranks();
  template <class Schedule>
  [[nodiscard]] Schedule held(const AskedSchedule& asked) {
    return text::parse_held<Schedule>(menu().parse(asked.text).text,
                                      queue().device().kind() != DeviceKind::cpu);
  }

private:
  std::unique_ptr<Menu> menu_;
};

} // namespace ridge
