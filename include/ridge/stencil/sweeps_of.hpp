// What ridge::stencil::Sweeps keeps: fields with their shells, one program an order of the fields.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/shell.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <optional>
#include <vector>

namespace ridge::stencil {

namespace detail {

class AnySweeps {
public:
  AnySweeps() = default;
  AnySweeps(const AnySweeps&) = delete;
  AnySweeps& operator=(const AnySweeps&) = delete;
  virtual ~AnySweeps() = default;
  virtual void run(Index steps) = 0;
  [[nodiscard]] virtual Index steps() const = 0;
  [[nodiscard]] virtual Record record() const = 0;
  [[nodiscard]] virtual const SweepsSchedule& schedule() const = 0;
};

/// The fields of one precision, with their shells.
template <class T>
class SweepsFields : public AnySweeps {
public:
  [[nodiscard]] Index steps() const final { return steps_; }

  /// Throws UsageError where there are not as many, or their extents differ.
  void load(const std::vector<View<const T>>& fields);
  void read(int input, const View<T>& to);
  [[nodiscard]] View<const T> view(int input) const;

protected:
  /// `inputs` of a kernel, the first `levels` of them time levels, which have `slots` fields.
  SweepsFields(Queue& queue, const Traits& traits, int levels, int slots,
               const std::vector<View<const T>>& fields, const Boundaries& boundaries);

  [[nodiscard]] Queue& queue() const { return *queue_; }
  [[nodiscard]] int slots() const { return slots_; }
  /// The field of a slot, or of the coefficient `slot - slots()`, with its shell.
  [[nodiscard]] View<T> whole(int slot) const { return shells_[at(slot)].field; }
  [[nodiscard]] bool shell_changes() const { return changes_; }
  void fill_shell(int slot);

  /// After so many single sweeps: the newest level is in slot `newest`, those before in the slots
  /// that follow.
  [[nodiscard]] int newest() const { return newest_; }
  void advance(Index steps) {
    steps_ += steps;
    newest_ = static_cast<int>((newest_ + (slots_ - 1) * (steps % slots_)) % slots_);
  }

private:
  [[nodiscard]] static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
  [[nodiscard]] int slot_of(int input) const;
  [[nodiscard]] View<T> inner(int slot) const;
  template <class U>
  [[nodiscard]] View<U> computed(const View<U>& field) const;

  Queue* queue_;
  Index3 extents_;
  Offset radius_;
  ShellLayout layout_;
  int inputs_, levels_, slots_;
  bool changes_;
  std::vector<Memory> memory_, face_memory_;
  std::vector<Shell<T>> shells_; ///< of the slots, then of the coefficients
  Index steps_ = 0;
  int newest_ = 0;
};

extern template class SweepsFields<float>;
extern template class SweepsFields<double>;

template <class K, class T>
class SweepsOf final : public SweepsFields<T> {
public:
  SweepsOf(Queue& queue, const K& kernel, const std::vector<View<const T>>& fields,
           const Boundaries& boundaries, const std::optional<SweepsSchedule>& schedule,
           std::string_view name)
      : SweepsFields<T>(queue, traits_of<K, T>(), levels, slots, fields, boundaries),
        schedule_(schedule ? *schedule
                           : default_sweeps(queue.device(), traits_of<K, T>(), boundaries,
                                            fields.front().extents)) {
    for (int turn = 0; turn < slots; ++turn)
      programs_.emplace_back(queue, call_of(kernel, turn), schedule_.single, name);
  }

  void run(Index steps) override {
    // A graph holds one round, after which the fields are where they were.
    const DeviceKind kind = this->queue().device().kind();
    const bool graphs = kind == DeviceKind::cuda || kind == DeviceKind::hip;
    while (steps > 0) {
      const bool whole_round = graphs && steps >= round && this->newest() == 0;
      if (whole_round) {
        launch_round();
      } else {
        sweep(this->newest());
      }
      const Index done = whole_round ? round : 1;
      this->advance(done);
      steps -= done;
    }
  }

  [[nodiscard]] Record record() const override { return programs_.front().record(); }
  [[nodiscard]] const SweepsSchedule& schedule() const override { return schedule_; }

private:
  static constexpr int levels = levels_of<K>();
  static constexpr int slots = levels + 1;
  static_assert(levels >= 1 && levels <= inputs_of<K>, "each time level is an input");
  /// Sweeps of a graph: enough to hide what it costs to launch one.
  static constexpr int round = 8 * slots;

  /// The sweep that begins with the newest level in slot `newest`.
  Call<K, T> call_of(const K& kernel, int newest) const {
    Call<K, T> call{kernel, {}, this->whole((newest + slots - 1) % slots)};
    for (int i = 0; i < inputs_of<K>; ++i) {
      call.in[static_cast<std::size_t>(i)] =
          this->whole(i < levels ? (newest + i) % slots : slots + i - levels);
    }
    return call;
  }
  void launch_round() {
    if (!graph_) {
      graph_.emplace(this->queue(), [this] {
        for (int turn = 0; turn < round; ++turn)
          sweep((slots - turn % slots) % slots);
      });
    }
    graph_->launch();
  }
  void sweep(int newest) {
    programs_[static_cast<std::size_t>(newest)].run();
    if (this->shell_changes()) this->fill_shell((newest + slots - 1) % slots);
  }

  SweepsSchedule schedule_;
  std::vector<Program> programs_; ///< by the slot of the newest level
  std::optional<Graph> graph_;
};

/// Throws UsageError where the sweeps are of another precision.
template <class T>
SweepsFields<T>& typed(AnySweeps& sweeps) {
  if (auto* const fields = dynamic_cast<SweepsFields<T>*>(&sweeps)) return *fields;
  throw UsageError("these sweeps are of another precision");
}

} // namespace detail

} // namespace ridge::stencil
