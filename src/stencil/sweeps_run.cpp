#include <ridge/core/error.hpp>
#include <ridge/stencil/stored_shell.hpp>
#include <ridge/stencil/sweeps_of.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::stencil::detail {

namespace {

SweepsSchedule schedule_or_default(const std::optional<SweepsSchedule>& schedule,
                                   const Device& device, const Traits& traits, int levels,
                                   const SweepsPlace& place) {
  if (schedule) return *schedule;
  const int ranks = place.part ? static_cast<int>(place.part->grid().count()) : 1;
  return default_sweeps(device, traits, place.boundaries, place.extents, ranks, levels);
}

} // namespace

template <class T>
SweepsRun<T>::SweepsRun(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
                        const std::vector<View<const T>>& fields, const SweepsPlace& place,
                        const SweepsSchedule& schedule, std::string_view name)
    : SweepsFields<T>(queue, kernel->traits(), kernel->levels(), schedule, fields, place),
      kernel_(std::move(kernel)), levels_(kernel_->levels()), name_(name), schedule_(schedule),
      round_(8 * this->slots()) {
  if (schedule_.pass)
    schedule_.pass = settled(*schedule_.pass, queue.device(), traits(), this->whole(0).extents);
  for (std::size_t axis = 0; axis < 3; ++axis)
    periodic_[axis] = place.boundaries.faces[axis][0].kind == Boundary::periodic;
  const int deep = place.part ? place.part->sweeps() : 1;
  if (schedule_.pass && place.part && place.part->grid().count() > 1 &&
      deep < sweeps_of(*schedule_.pass)) {
    throw UsageError(fmt::format("a pass of {} sweeps needs halos for as many; these are for {}",
                                 sweeps_of(*schedule_.pass), deep));
  }
  singles_.resize(static_cast<std::size_t>(this->slots()));
  if (schedule_.pass) { // what is wrong shows before the first step
    (void)pass_program(sweeps_of(*schedule_.pass));
  } else {
    (void)single();
  }
}

template <class T>
SweepsRun<T>::~SweepsRun() = default;

template <class T>
std::vector<View<const T>> SweepsRun<T>::inputs() const {
  std::vector<View<const T>> all;
  for (int i = 0; i < traits().inputs(); ++i)
    all.emplace_back(this->whole(i < levels_ ? this->slot(i) : this->slots() + i - levels_));
  return all;
}

template <class T>
Program SweepsRun<T>::bind_sweep(Queue& queue, const comm::Box& box,
                                 const Schedule* schedule) const {
  const Offset radius = traits().radius;
  std::vector<View<const T>> in = inputs();
  for (View<const T>& view : in)
    view = around(view, box, radius);
  return kernel_->bind(queue, in, around(this->whole(this->slot(this->slots() - 1)), box, radius),
                       schedule, name_);
}

template <class T>
Program SweepsRun<T>::bind_pass(int sweeps, const PassSchedule& schedule) const {
  AnyPass<T> pass{inputs(),  {},     this->shell(this->newest()),
                  periodic_, sweeps, this->neighbours_of_pass()};
  for (int i = 0; i < levels_; ++i)
    pass.out.push_back(this->whole(this->slot(levels_ + i)));
  return kernel_->bind_pass(this->queue(), pass, schedule, name_);
}

template <class T>
void SweepsRun<T>::run(Index steps) {
  const bool graphs = !schedule_.pass && device().is_gpu() && this->can_be_recorded();
  while (steps > 0) {
    if (graphs && steps >= round_ && this->newest() == 0) {
      launch_round();
      steps -= round_;
    } else if (const int together = sweeps_of_next_pass(steps); together > 1) {
      run_pass(together);
      steps -= together;
    } else {
      sweep();
      --steps;
    }
  }
}

/// A GPU's shorter passes, which are other kernels, are taken where they are compiled ahead: to
/// compile one takes longer than the few sweeps that are left.
template <class T>
int SweepsRun<T>::sweeps_of_next_pass(Index steps) const {
  if (!schedule_.pass) return 1;
  const Index most = sweeps_of(*schedule_.pass);
  for (Index sweeps = std::min(steps, most); sweeps >= std::max(2, levels_); --sweeps) {
    const auto together = static_cast<int>(sweeps);
    if (sweeps == most ||
        is_pass_ahead(device(), traits(), shorter_pass(together), this->shell_changes()))
      return together;
  }
  return 1;
}

template <class T>
Index SweepsRun<T>::passes(Index steps) const {
  const Index most = sweeps_of_next_pass(steps);
  Index count = steps / most;
  for (Index rest = steps % most; rest > 0; ++count)
    rest -= sweeps_of_next_pass(rest);
  return count;
}

template <class T>
PassSchedule SweepsRun<T>::shorter_pass(int sweeps) const {
  return shortened(*schedule_.pass, sweeps, device(), traits(), this->whole(0).extents);
}

template <class T>
Record SweepsRun<T>::record() const {
  const Index3 all = this->extents_of_all();
  if (!schedule_.pass) {
    const Single& first = *singles_.front();
    const Record mine = (first.inner.empty() ? first.outer : first.inner).front().record();
    return this->over_ranks(mine, record_of(device(), traits(), all, schedule_.single, name_));
  }
  return this->over_ranks(passes_.begin()->second.record(),
                          record_of_pass(device(), traits(), levels_, all, *schedule_.pass, name_));
}

template <class T>
const typename SweepsRun<T>::Single& SweepsRun<T>::single() {
  std::optional<Single>& single = singles_[static_cast<std::size_t>(this->newest())];
  if (!single) {
    single.emplace();
    const comm::Division& boxes = this->computed();
    Queue& urgent = this->halo_queue(this->slot(this->slots() - 1));
    for (const comm::Box& box : boxes.outer)
      single->outer.push_back(bind_sweep(urgent, box, nullptr));
    if (!boxes.inner.empty())
      single->inner.push_back(bind_sweep(this->queue(), boxes.inner, &schedule_.single));
  }
  return *single;
}

template <class T>
void SweepsRun<T>::sweep() {
  const int out = this->slot(this->slots() - 1);
  const Single& programs = single();
  const auto run_all = [](const std::vector<Program>& some) {
    for (const Program& program : some)
      program.run();
  };
  this->exchange_beside(
      out, [&] { run_all(programs.inner); }, [&] { run_all(programs.outer); });
  if (this->shell_changes()) this->fill_shell(out);
  this->advance(1);
}

template <class T>
const Program& SweepsRun<T>::pass_program(int sweeps) {
  const std::pair<int, int> key{-sweeps, this->newest()}; // the longest first
  const auto found = passes_.find(key);
  if (found != passes_.end()) return found->second;
  return passes_.emplace(key, bind_pass(sweeps, shorter_pass(sweeps))).first->second;
}

template <class T>
void SweepsRun<T>::run_pass(int sweeps) {
  pass_program(sweeps).run();
  this->end_pass();
  for (int i = 0; i < levels_ && this->shell_changes(); ++i)
    this->fill_shell(this->slot(levels_ + i));
  this->advance_by_pass(sweeps);
}

template <class T>
void SweepsRun<T>::launch_round() {
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

template class SweepsRun<float>;
template class SweepsRun<double>;
template class SweepsRun<Fp16>;
template class SweepsRun<Bf16>;

template <class T>
std::unique_ptr<AnySweeps>
make_sweeps(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
            const std::vector<View<const T>>& fields, const SweepsPlace& place,
            const std::optional<SweepsSchedule>& schedule, std::string_view name) {
  const SweepsSchedule chosen =
      schedule_or_default(schedule, queue.device(), kernel->traits(), kernel->levels(), place);
  return std::make_unique<SweepsRun<T>>(queue, std::move(kernel), fields, place, chosen, name);
}

template std::unique_ptr<AnySweeps> make_sweeps(Queue&, std::shared_ptr<const SweptKernel<float>>,
                                                const std::vector<View<const float>>&,
                                                const SweepsPlace&,
                                                const std::optional<SweepsSchedule>&,
                                                std::string_view);
template std::unique_ptr<AnySweeps> make_sweeps(Queue&, std::shared_ptr<const SweptKernel<double>>,
                                                const std::vector<View<const double>>&,
                                                const SweepsPlace&,
                                                const std::optional<SweepsSchedule>&,
                                                std::string_view);

template std::unique_ptr<AnySweeps>
make_sweeps(Queue&, std::shared_ptr<const SweptKernel<Fp16>>, const std::vector<View<const Fp16>>&,
            const SweepsPlace&, const std::optional<SweepsSchedule>&, std::string_view);
template std::unique_ptr<AnySweeps>
make_sweeps(Queue&, std::shared_ptr<const SweptKernel<Bf16>>, const std::vector<View<const Bf16>>&,
            const SweepsPlace&, const std::optional<SweepsSchedule>&, std::string_view);

} // namespace ridge::stencil::detail
