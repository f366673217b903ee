// Schedules of sums over near pairs.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/device/device.hpp>

#include <string>
#include <variant>
#include <vector>

namespace ridge::pairs {

/// A group of neighbouring bodies is a pack; the bodies of its list come one after the other.
struct CpuListSchedule {
  int share = 0;
  int threads = 0;

  friend bool operator==(const CpuListSchedule&, const CpuListSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("share", &CpuListSchedule::share, text::one_of(0, 2, 4, 8, 16),
                    "neighbouring bodies with one list, in a pack; 0: as many as a register of "
                    "stored numbers holds"),
        text::field("threads", &CpuListSchedule::threads, text::in_range(0, 4096, 0),
                    "0: one a core")};
  }
};

/// A thread has a group of neighbouring bodies and their list.
struct GpuListSchedule {
  int share = 0;
  int block = 128;
  int ways = 0;

  friend bool operator==(const GpuListSchedule&, const GpuListSchedule&) = default;

  static constexpr auto fields() {
    return Fields{text::field("share", &GpuListSchedule::share, text::one_of(0, 1, 2),
                              "neighbouring bodies of a thread, with one list; 0: 2 where "
                              "there are many"),
                  text::field("block", &GpuListSchedule::block, text::one_of(64, 128, 256),
                              "threads of a block"),
                  text::field("ways", &GpuListSchedule::ways, text::one_of(0, 1, 2, 4),
                              "warps of a block that share lists; 0: more than one where "
                              "bodies are few")};
  }
};

using ListSchedule = std::variant<CpuListSchedule, GpuListSchedule>;
using NamedListSchedule = text::Named<ListSchedule>;

[[nodiscard]] std::string to_text(const ListSchedule& schedule);
[[nodiscard]] ListSchedule default_list_schedule(const Device& device);
/// On GPUs `single`, `paired` and `split`: a list for each body, for two, and one for each that
/// four warps share; on the cpu `packs`.
[[nodiscard]] std::vector<NamedListSchedule> named_list_schedules(const Device& device);
[[nodiscard]] NamedListSchedule parse_list_schedule(std::string_view text, const Device& device);
[[nodiscard]] std::vector<ListSchedule> list_schedule_space(const Device& device);

/// Bodies with one list, as ListOptions takes it.
[[nodiscard]] int share_of(const ListSchedule& schedule);

} // namespace ridge::pairs
