// A system without the type of its numbers, and tables on its device.
#pragma once

#include <ridge/chain/cpu/wave.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/graph.hpp>

#include "faces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ridge::chain {

/// A table on the device.
template <class A>
class OnDevice {
public:
  OnDevice() = default;
  OnDevice(Queue& queue, const std::vector<A>& values, const char* what)
      : count_(static_cast<Index>(values.size())) {
    if (count_ == 0) return;
    memory_ = Memory(queue.device(), Bytes{count_ * static_cast<Index>(sizeof(A))}, what);
    copy_to_device(queue, data(), values.data(), count_);
    queue.wait();
  }
  [[nodiscard]] A* data() const { return static_cast<A*>(memory_.data()); }
  [[nodiscard]] Span<A> span() const { return {data(), count_}; }
  [[nodiscard]] Span<const A> values() const { return {data(), count_}; }

private:
  Index count_ = 0;
  Memory memory_;
};

/// All that does not depend on the type of the numbers.
struct System::Parts {
  Parts(Queue& q, const SystemKernel& k, const SystemSetup& s)
      : queue(q), kernel(k), setup(s), chain(k.description(s.element_bytes)), step(s.first_step) {
    for (int a = 0; a < arrays(); ++a)
      layouts.push_back(layout_of(chain, a, setup.extents));
    setup.walls.resize(chain.arrays.size());
    for (int a = 0; a < kernel.arrays(); ++a) {
      if (kernel.is_wide(a))
        setup.walls[static_cast<std::size_t>(kernel.low_of(a))] =
            setup.walls[static_cast<std::size_t>(a)];
    }
    for (const auto& [input, output] : kernel.swaps)
      setup.walls[static_cast<std::size_t>(output)] = setup.walls[static_cast<std::size_t>(input)];
    schedule = parse_schedule(setup.schedule, queue.device(), chain, setup.extents).schedule;
    if (auto* const gpu = std::get_if<GpuSchedule>(&schedule)) gpu->graph = Graph::off;
    plan = make_plan(chain, setup.extents, request_of(schedule));
    const auto* const cpu = std::get_if<CpuSchedule>(&schedule);
    without_traction = free_faces(kernel, setup);
    waves = cpu != nullptr && !swaps() && without_traction.empty() && !setup.layers.matched &&
            (!setup.part || whole_rows()) && !wave_of(chain, plan, cpu->fuse).empty();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  virtual ~Parts() = default;

  [[nodiscard]] int arrays() const { return static_cast<int>(chain.arrays.size()); }
  [[nodiscard]] const Array& array(int a) const {
    return chain.arrays[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] const ArrayLayout& layout(int a) const {
    return layouts[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] bool has_memory(int a) const { return array(a).role != Role::temporary; }
  /// Whose memory an array has, after an even or an odd number of steps.
  [[nodiscard]] int memory_of(int a, int p) const {
    for (const auto& swap : kernel.swaps) {
      if (p == 1 && (swap[0] == a || swap[1] == a)) return swap[0] == a ? swap[1] : swap[0];
    }
    return a;
  }
  [[nodiscard]] bool swaps() const { return !kernel.swaps.empty(); }
  /// Whether steps are counted on the device.
  [[nodiscard]] bool counts() const {
    return !setup.sources.empty() || !setup.receivers.empty() || !setup.by_step.empty() ||
           !setup.sums.empty();
  }
  [[nodiscard]] std::byte* item(int a, const Index3& at) const {
    const int of = memory_of(a, parity);
    const ArrayLayout& l = layout(of);
    const Index element = l.before + at.x + at.y * l.row + at.z * l.plane;
    return static_cast<std::byte*>(memories[static_cast<std::size_t>(of)].data()) +
           element * chain.element_bytes;
  }
  [[nodiscard]] bool narrows() const { return !kernel.storage.empty(); }
  /// Whether z alone is divided, and operations read nothing beyond the ends of x and y of planes
  /// of other ranks: a wave sets those of its own.
  [[nodiscard]] bool whole_rows() const {
    const Index3 ranks = setup.part->grid.ranks();
    if (ranks.x > 1 || ranks.y > 1) return false;
    for (const OperationInfo& op : chain.operations) {
      for (const Access& access : op.accesses) {
        const Offset& low = access.reach.low;
        const Offset& high = access.reach.high;
        const bool of_plane = low.x != 0 || high.x != 0 || low.y != 0 || high.y != 0;
        if (!access.writes && kernel.is_state(access.array) && of_plane &&
            (low.z != 0 || high.z != 0))
          return false;
      }
    }
    return true;
  }
  /// A launch over ranks may be split: lanes of GPUs leave room for what ranks send, and
  /// launches hand on nothing but arrays.
  [[nodiscard]] bool splits() const {
    return setup.part && std::holds_alternative<GpuSchedule>(schedule) &&
           plan.range_elements == 0 && !setup.layers.matched;
  }
  /// Planes that operations of a launch read of other ranks, before and behind what they compute.
  [[nodiscard]] comm::Division divided(const GroupPlan& group, const std::vector<int>& of) const {
    const Index3 n = setup.extents;
    Index3 low{};
    Index3 high{};
    for (int op = group.first; op <= group.last; ++op) {
      for (const int a : of) {
        const Reach r = chain.operations[static_cast<std::size_t>(op)].reach(a);
        for (int d = 0; d < 3; ++d) {
          if (setup.part->has_neighbour(d, 0))
            comm::along(low, d) = std::max<Index>(comm::along(low, d), -r.low.along(d));
          if (setup.part->has_neighbour(d, 1))
            comm::along(high, d) = std::max<Index>(comm::along(high, d), r.high.along(d));
        }
      }
    }
    // Rows of both parts begin at lines of the cache.
    const Index line = 128 / setup.element_bytes;
    low.x = ceil_div(low.x, line) * line;
    if (high.x > 0) high.x = n.x - (n.x - std::min(high.x, n.x)) / line * line;
    return comm::divide({{0, 0, 0}, n}, low, high);
  }
  [[nodiscard]] bool crosses(int op, int a) const {
    const Reach r = chain.operations[static_cast<std::size_t>(op)].reach(a);
    return !(r == Reach{});
  }
  /// Points that this rank has are those of its part, and where others lie behind it one more.
  [[nodiscard]] bool owns(const Index3& at) const {
    if (!setup.part) return true;
    const comm::Box own = setup.part->owned();
    return at.x >= own.begin.x && at.x < own.end.x && at.y >= own.begin.y && at.y < own.end.y &&
           at.z >= own.begin.z && at.z < own.end.z;
  }
  [[nodiscard]] AroundPlace places(int a, const std::array<double, 3>& position,
                                   const std::string& what) const {
    return around(kernel, setup, a, position, what);
  }

  /// A table of values by step is of one of the kernel's numbers.
  void check_table(const StepTable& table) const {
    if (std::find(kernel.by_step.begin(), kernel.by_step.end(), table.number) ==
        kernel.by_step.end()) {
      const std::string why =
          !kernel.by_step.empty()
              ? fmt::format("; it has {}", fmt::join(kernel.by_step, ", "))
              : ": it has none. Those of lbm-d3q19 may change, and those that a system in a file "
                "lists in by_step";
      throw UsageError(fmt::format("{} has no number '{}' that steps may change{}", kernel.name,
                                   table.number, why));
    }
    if (table.values.empty())
      throw UsageError(fmt::format("the table of '{}' has no values", table.number));
    for (const SystemNumber& number : kernel.numbers) {
      for (std::size_t i = 0; i < table.values.size() && number.name == table.number; ++i) {
        if (number.rule.takes(table.values[i])) continue;
        throw UsageError(fmt::format("{}: value {} of '{}' is {:g}; {} is right", kernel.name,
                                     i + 1, number.name, table.values[i], to_text(number.rule)));
      }
    }
  }

  /// From numbers of the setup's size to elements of memory and back, where these are others. An
  /// array that is wide takes high halves of them, one behind the kernel's own arrays low ones.
  virtual const std::byte* narrowed(const std::byte* from, Index count, int array) = 0;
  virtual void widen(const std::byte* elements, std::byte* to, Index count) const = 0;
  virtual void give_step(StepPart part) = 0;
  void give_step() { give_step(StepPart::all); }
  [[nodiscard]] virtual System::Sent sent() const = 0;
  virtual void settle() = 0;
  virtual void count_from(Index slot) = 0;
  virtual void bring_traces(Index steps) = 0;
  [[nodiscard]] virtual Record record() const = 0;
  [[nodiscard]] virtual Index odd_numbers() = 0;
  [[nodiscard]] virtual double fastest_flow() = 0;
  virtual void follow(double dt) = 0;
  [[nodiscard]] virtual System::Remembered remembered() const = 0;
  virtual void pass_layers(int operation) = 0;
  /// Copies the arrays that steps change to `saved`, or from there.
  void exchange_saved(bool back) {
    saved.resize(memories.size());
    for (int a = 0; a < arrays(); ++a) {
      if (!kernel.is_state(a)) continue;
      const auto of = static_cast<std::size_t>(memory_of(a, parity));
      const Bytes bytes{layouts[of].elements * chain.element_bytes};
      if (saved[of].data() == nullptr) saved[of] = Memory(queue.device(), bytes, "saved arrays");
      copy_bytes_on_device(queue, back ? memories[of].data() : saved[of].data(),
                           back ? saved[of].data() : memories[of].data(), bytes);
    }
    queue.wait();
  }

  Queue& queue;
  SystemKernel kernel;
  SystemSetup setup;
  Description chain;
  Schedule schedule;
  Plan plan;
  bool recordable = true;                           ///< steps may be a graph
  bool waves = false;                               ///< rows are computed in waves
  std::vector<std::array<int, 2>> without_traction; ///< faces: axis and side
  std::vector<ArrayLayout> layouts;
  std::vector<Memory> memories, saved;
  Index saved_step = 0;
  int saved_parity = 0;
  std::vector<std::vector<double>> traces, sums;
  std::unique_ptr<ridge::Graph> graph;
  std::array<std::array<Repeated, 3>, 2> repeated; ///< steps given one by one, and their parts
  Index step;
  Index too_large = 0; ///< numbers that were written and are beyond the range of memory's
  int parity = 0;
  bool ran = false;
};

} // namespace ridge::chain
