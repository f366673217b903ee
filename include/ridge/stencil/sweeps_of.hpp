// What ridge::stencil::Sweeps keeps: fields with their shells, one program an order of the fields.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/rank_part.hpp>
#include <ridge/stencil/shell.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

/// Where fields lie, and what one rank of several has of them.
struct SweepsPlace {
  SweepsPlace(Index3 points, const Boundaries& around) : extents(points), boundaries(around) {}
  explicit SweepsPlace(const RankPart& one)
      : extents(one.held().extents()), boundaries(one.boundaries()), part(one) {}
  Index3 extents; ///< with the halo
  Boundaries boundaries;
  std::optional<RankPart> part = {};
};

/// Exchanges of the fields' halos.
class Halos;

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
  /// `inputs` of a kernel, the first `levels` of them time levels, which have as many fields as the
  /// schedule's sweeps need.
  SweepsFields(Queue& queue, const Traits& traits, int levels, const SweepsSchedule& schedule,
               const std::vector<View<const T>>& fields, const SweepsPlace& place);
  ~SweepsFields() override;

  [[nodiscard]] Queue& queue() const { return *queue_; }
  [[nodiscard]] int slots() const { return slots_; }
  /// The field of a slot, or of the coefficient `slot - slots()`, with its shell.
  [[nodiscard]] View<T> whole(int slot) const { return shells_[at(slot)].field; }
  [[nodiscard]] bool shell_changes() const { return changes_; }
  void fill_shell(int slot);
  /// The points that a sweep computes, in coordinates of the field with its shell. With others,
  /// these are the outer ones of what this rank owns, which they need, and the inner ones.
  [[nodiscard]] const comm::Division& computed() const { return computed_; }
  /// Sends what other ranks need of a slot, and receives. Nothing on a single rank.
  void begin_halo(int slot);
  void finish_halo(int slot);
  void exchange_halo(int slot) {
    begin_halo(slot);
    finish_halo(slot);
  }
  [[nodiscard]] bool can_be_recorded() const;
  /// The record of a sweep, or a pass, of this rank as one of all ranks; `all` is that of one
  /// launch over the whole field.
  [[nodiscard]] Record over_ranks(Record record, const Record& all) const;
  /// Of the whole field with its shell.
  [[nodiscard]] Index3 extents_of_all() const { return all_; }

  /// The slot of the newest level; those before it are in the slots that follow, in a ring.
  [[nodiscard]] int newest() const { return newest_; }
  /// Of the slots in order from the newest on, so far. Each sweep writes to the last.
  [[nodiscard]] int slot(int place) const { return (newest_ + place) % slots_; }
  void advance(Index steps) {
    steps_ += steps;
    newest_ = static_cast<int>((newest_ + (slots_ - 1) * (steps % slots_)) % slots_);
  }
  /// After a pass, which writes to the `levels` slots that follow the present ones.
  void advance_by_pass(int sweeps) {
    steps_ += sweeps;
    newest_ = slot(levels_);
  }
  [[nodiscard]] const Shell<T>& shell(int slot) const { return shells_[at(slot)]; }

private:
  [[nodiscard]] static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
  [[nodiscard]] int slot_of(int input) const;
  [[nodiscard]] View<T> inner(int slot) const;
  /// Of a box in coordinates of the field with its shell: what of it is in a view of the points
  /// that this rank owns.
  template <class U>
  [[nodiscard]] View<U> part_of(const View<U>& owned, const comm::Box& box) const;

  void divide(const SweepsPlace& place, const Traits& traits);

  Queue* queue_;
  Index3 extents_;   ///< that this rank owns
  comm::Box owned_;  ///< these in coordinates of the field with its shell
  comm::Box inside_; ///< what sweeps compute, likewise
  comm::Division computed_;
  Index3 all_;
  ShellLayout layout_;
  int inputs_, levels_, slots_;
  bool changes_;
  std::vector<Memory> memory_, face_memory_;
  std::vector<Shell<T>> shells_; ///< of the slots, then of the coefficients
  std::unique_ptr<Halos> halos_; ///< none where this rank has all
  Index steps_ = 0;
  int newest_ = 0;
};

extern template class SweepsFields<float>;
extern template class SweepsFields<double>;

template <class K, class T>
class SweepsOf final : public SweepsFields<T> {
public:
  SweepsOf(Queue& queue, const K& kernel, const std::vector<View<const T>>& fields,
           const SweepsPlace& place, const std::optional<SweepsSchedule>& schedule,
           std::string_view name)
      : SweepsOf(queue, kernel, fields, place,
                 schedule ? *schedule
                          : default_sweeps(queue.device(), traits_of<K, T>(), place.boundaries,
                                           place.extents),
                 name) {}

  SweepsOf(Queue& queue, const K& kernel, const std::vector<View<const T>>& fields,
           const SweepsPlace& place, const SweepsSchedule& schedule, std::string_view name)
      : SweepsFields<T>(queue, traits_of<K, T>(), levels, schedule, fields, place), kernel_(kernel),
        name_(name), schedule_(schedule), round_(8 * this->slots()) {
    if (schedule_.pass) {
      schedule_.pass =
          settled(*schedule_.pass, queue.device(), traits_of<K, T>(), this->whole(0).extents);
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      periodic_[axis] = place.boundaries.faces[axis][0].kind == Boundary::periodic;
    if (const int deep = place.part ? place.part->sweeps() : 1; schedule_.pass && place.part &&
                                                                place.part->grid().count() > 1 &&
                                                                deep < sweeps_of(*schedule_.pass)) {
      throw UsageError("a pass of " + std::to_string(sweeps_of(*schedule_.pass)) +
                       " sweeps needs halos for as many; these are for " + std::to_string(deep));
    }
    singles_.resize(static_cast<std::size_t>(this->slots()));
    // Those of the start are bound now: what is wrong shows before the first step.
    if (schedule_.pass) {
      (void)pass_program(sweeps_of(*schedule_.pass));
    } else {
      (void)single();
    }
  }

  void run(Index steps) override {
    const DeviceKind kind = this->queue().device().kind();
    const bool graphs = !schedule_.pass && (kind == DeviceKind::cuda || kind == DeviceKind::hip) &&
                        this->can_be_recorded();
    while (steps > 0) {
      const Index most = schedule_.pass ? sweeps_of(*schedule_.pass) : 1;
      const Index together = std::min(steps, most);
      if (graphs && steps >= round_ && this->newest() == 0) {
        launch_round();
        steps -= round_;
      } else if (together >= std::max(2, levels)) {
        run_pass(static_cast<int>(together));
        steps -= together;
      } else {
        sweep();
        --steps;
      }
    }
  }

  [[nodiscard]] Record record() const override {
    if (!schedule_.pass) {
      const Single& first = *singles_.front();
      const Record mine = (first.inner.empty() ? first.outer : first.inner).front().record();
      return this->over_ranks(
          mine, record_of(device(), traits_of<K, T>(), all(), schedule_.single, name_));
    }
    return this->over_ranks(
        passes_.begin()->second.record(),
        record_of_pass(device(), traits_of<K, T>(), levels, all(), *schedule_.pass, name_));
  }
  [[nodiscard]] const SweepsSchedule& schedule() const override { return schedule_; }

private:
  static constexpr int levels = levels_of<K>();
  static_assert(levels >= 1 && levels <= inputs_of<K>, "each time level is an input");

  [[nodiscard]] const Device& device() const { return this->queue().device(); }
  [[nodiscard]] Index3 all() const { return this->extents_of_all(); }

  /// The inputs as they are now.
  template <class Made>
  void set_inputs(Made& made) const {
    for (int i = 0; i < inputs_of<K>; ++i) {
      made.in[static_cast<std::size_t>(i)] =
          this->whole(i < levels ? this->slot(i) : this->slots() + i - levels);
    }
  }

  /// A sweep: what other ranks wait for, and the rest.
  struct Single {
    std::vector<Program> outer, inner; // at most one inner
  };
  const Single& single() {
    std::optional<Single>& single = singles_[static_cast<std::size_t>(this->newest())];
    if (!single) {
      Call<K, T> call{kernel_, {}, this->whole(this->slot(this->slots() - 1))};
      set_inputs(call);
      single.emplace();
      const comm::Division& boxes = this->computed();
      for (const comm::Box& box : boxes.outer)
        single->outer.emplace_back(this->queue(), within(call, box), name_);
      if (!boxes.inner.empty())
        single->inner.emplace_back(this->queue(), within(call, boxes.inner), schedule_.single,
                                   name_);
    }
    return *single;
  }
  static Call<K, T> within(Call<K, T> call, const comm::Box& box) {
    call.out = around(call.out, box, radius_of<K>());
    for (auto& in : call.in)
      in = around(in, box, radius_of<K>());
    return call;
  }
  void sweep() {
    const int out = this->slot(this->slots() - 1);
    const Single& programs = single();
    for (const Program& program : programs.outer)
      program.run();
    this->begin_halo(out);
    for (const Program& program : programs.inner)
      program.run();
    this->finish_halo(out);
    if (this->shell_changes()) this->fill_shell(out);
    this->advance(1);
  }

  const Program& pass_program(int sweeps) {
    const std::pair<int, int> key{-sweeps, this->newest()}; // the longest first
    auto found = passes_.find(key);
    if (found == passes_.end()) {
      Pass<K, T> pass{kernel_, {}, {}, this->shell(this->newest()), {}, sweeps};
      set_inputs(pass);
      for (int i = 0; i < levels; ++i)
        pass.out[static_cast<std::size_t>(i)] = this->whole(this->slot(levels + i));
      std::copy(periodic_.begin(), periodic_.end(), pass.periodic);
      const PassSchedule schedule =
          shortened(*schedule_.pass, sweeps, device(), traits_of<K, T>(), this->whole(0).extents);
      found = passes_.try_emplace(key, this->queue(), pass, schedule, name_).first;
    }
    return found->second;
  }
  void run_pass(int sweeps) {
    pass_program(sweeps).run();
    for (int i = 0; i < levels; ++i) {
      this->exchange_halo(this->slot(levels + i));
      if (this->shell_changes()) this->fill_shell(this->slot(levels + i));
    }
    this->advance_by_pass(sweeps);
  }

  /// A graph holds one round, after which the fields are where they were.
  void launch_round() {
    if (!graph_) {
      for (int i = 0; i < this->slots(); ++i) { // what is bound on the way cannot be recorded
        (void)single();
        this->advance(1);
      }
      this->advance(-this->slots());
      graph_.emplace(this->queue(), [this] {
        for (Index i = 0; i < round_; ++i)
          sweep();
      });
      this->advance(-round_);
    }
    graph_->launch();
    this->advance(round_);
  }

  K kernel_;
  std::string name_;
  SweepsSchedule schedule_;
  Index round_; ///< sweeps of a graph: enough to hide what it costs to launch one
  std::array<bool, 3> periodic_{};
  std::vector<std::optional<Single>> singles_; ///< by the slot of the newest level
  std::map<std::pair<int, int>, Program> passes_;
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
