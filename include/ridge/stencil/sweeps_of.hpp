// The body of ridge::stencil::Sweeps: fields with their shells, one program an order of the fields.
#pragma once

#include <ridge/comm/neighbour_fields.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/any_kernel.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/rank_part.hpp>
#include <ridge/stencil/shell.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <algorithm>
#include <functional>
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
  /// Over memory, that so many steps take.
  [[nodiscard]] virtual Index passes(Index steps) const = 0;
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
  /// Where what `outer` of exchange_beside computes of a slot is computed.
  [[nodiscard]] Queue& halo_queue(int slot) const;
  /// Computes what other ranks need of a slot, on its queue, and sends it, beside the inner points;
  /// and receives. On a single rank there are only inner ones.
  void exchange_beside(int slot, const std::function<void()>& inner,
                       const std::function<void()>& outer);
  void exchange_halo(int slot);
  /// The part of other ranks in a pass from the newest levels to these slots; nothing where halos
  /// are exchanged after it.
  [[nodiscard]] PassNeighbours neighbours_of_pass() const;
  /// Ends a pass over ranks: halos of its results are there.
  void end_pass();
  [[nodiscard]] bool can_be_recorded() const;
  /// The record of a sweep, or a pass, of this rank as one of all ranks; `all` is that of one
  /// launch over the whole field.
  [[nodiscard]] Record over_ranks(Record record, const Record& all) const;
  /// The extents of the whole field with its shell.
  [[nodiscard]] Index3 extents_of_all() const { return all_; }

  /// The slot of the newest level; those before it are in the slots that follow, in a ring.
  [[nodiscard]] int newest() const { return newest_; }
  /// The slot at a place in the order from the newest on, so far. Each sweep writes to the last.
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
  /// The part of a box, in coordinates of the field with its shell, that is in a view of the points
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
  /// Where passes store what others need in their memory: none where they exchange it.
  std::unique_ptr<comm::NeighbourFields> beside_;
  Index steps_ = 0;
  int newest_ = 0;
};

extern template class SweepsFields<float>;
extern template class SweepsFields<double>;

/// Sweeps of one precision.
template <class T>
class SweepsRun final : public SweepsFields<T> {
public:
  SweepsRun(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
            const std::vector<View<const T>>& fields, const SweepsPlace& place,
            const SweepsSchedule& schedule, std::string_view name);
  ~SweepsRun() override;
  void run(Index steps) final;
  [[nodiscard]] Record record() const final;
  [[nodiscard]] const SweepsSchedule& schedule() const final { return schedule_; }
  [[nodiscard]] Index passes(Index steps) const final;

private:
  /// A sweep of a box of the fields as they are now, under the default schedule where none is
  /// given.
  [[nodiscard]] Program bind_sweep(Queue& queue, const comm::Box& box,
                                   const Schedule* schedule) const;
  [[nodiscard]] Program bind_pass(int sweeps, const PassSchedule& schedule) const;
  /// The inputs as they are now.
  [[nodiscard]] std::vector<View<const T>> inputs() const;

  [[nodiscard]] const Device& device() const { return this->queue().device(); }
  [[nodiscard]] const Traits& traits() const { return kernel_->traits(); }

  /// A sweep: what other ranks wait for, and the rest.
  struct Single {
    std::vector<Program> outer, inner; // at most one inner
  };
  const Single& single();
  void sweep();
  /// 1 where the next step is a single sweep.
  [[nodiscard]] int sweeps_of_next_pass(Index steps) const;
  [[nodiscard]] PassSchedule shorter_pass(int sweeps) const;
  const Program& pass_program(int sweeps);
  void run_pass(int sweeps);
  /// A graph holds one round, after which the fields are where they were.
  void launch_round();

  std::shared_ptr<const SweptKernel<T>> kernel_;
  int levels_;
  std::string name_;
  SweepsSchedule schedule_;
  Index round_; ///< sweeps of a graph: enough to hide what it costs to launch one
  std::array<bool, 3> periodic_{};
  std::vector<std::optional<Single>> singles_; ///< by the slot of the newest level
  std::map<std::pair<int, int>, Program> passes_;
  std::optional<Graph> graph_;
};

extern template class SweepsRun<float>;
extern template class SweepsRun<double>;

/// Under the default schedule where none is given.
template <class T>
[[nodiscard]] std::unique_ptr<AnySweeps>
make_sweeps(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
            const std::vector<View<const T>>& fields, const SweepsPlace& place,
            const std::optional<SweepsSchedule>& schedule, std::string_view name);
extern template std::unique_ptr<AnySweeps>
make_sweeps(Queue&, std::shared_ptr<const SweptKernel<float>>,
            const std::vector<View<const float>>&, const SweepsPlace&,
            const std::optional<SweepsSchedule>&, std::string_view);
extern template std::unique_ptr<AnySweeps>
make_sweeps(Queue&, std::shared_ptr<const SweptKernel<double>>,
            const std::vector<View<const double>>&, const SweepsPlace&,
            const std::optional<SweepsSchedule>&, std::string_view);

/// Throws UsageError where the sweeps are of another precision.
template <class T>
SweepsFields<T>& typed(AnySweeps& sweeps) {
  if (auto* const fields = dynamic_cast<SweepsFields<T>*>(&sweeps)) return *fields;
  throw UsageError("these sweeps are of another precision");
}

} // namespace detail

} // namespace ridge::stencil
