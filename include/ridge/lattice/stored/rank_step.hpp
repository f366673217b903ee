// Kernels on stored fields over ranks: what a kernel reads of neighbours' sites travels while the
// sites that need none of it are computed; then the others, beside what is left of these.
//
//   StoredStep step(world, queue, part, dslash_call(out, links, psi),
//   {StoredMemory::of(psi.view())}); step.run();
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/lattice/stored/call.hpp>
#include <ridge/lattice/stored/exchange.hpp>
#include <ridge/launch/program.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge::lattice {

namespace detail {
/// A schedule for a window of a grid: the one given, in blocks that fit.
[[nodiscard]] StoredSchedule fitted(const Device& device, StoredSchedule schedule,
                                    const SiteGrid& window, const StoredTraits& traits);
} // namespace detail

/// Computes what a rank owns of the result; that has the bits of one rank. Collective.
class StoredStep {
public:
  /// Fields are on grids of `part`. `reads`: those of them whose neighbours are read and that
  /// change; one with all sites that it reads beside its own has no need of it. The window of the
  /// call is not looked at. Queue, communicator and fields must outlive it.
  template <class K>
  StoredStep(comm::Communicator& ranks, Queue& queue, const StoredPart& part,
             const StoredCall<K>& call, const std::vector<StoredMemory>& reads,
             const std::optional<StoredSchedule>& schedule = {}, std::string_view name = "user")
      : queue_(queue) {
    using P = Pattern<StoredCall<K>>;
    StoredCall<K> one = call;
    const auto program = [&](Queue& to, const SiteWindow& window) {
      one.window = window;
      const StoredSchedule s = schedule ? detail::fitted(queue.device(), *schedule,
                                                         windowed(call.grid, window), P::traits)
                                        : P::default_schedule(queue.device(), one);
      return Program(to, one, s, name);
    };
    if (ranks.ranks() == 1) {
      own_.push_back(program(queue, part.owned()));
      return;
    }
    SiteGrid read = call.grid;
    if (read.half != 0) read.parity = 1 - read.parity;
    exchange_ = std::make_unique<StoredExchange>(ranks, queue, part, read, reads);
    if (call.sum.data != nullptr) { // one launch gives it, of what this rank owns
      faces_.push_back(program(exchange_->queue(), part.owned()));
      return;
    }
    if (part.inner().count() > 0) own_.push_back(program(queue, part.inner()));
    for (const SiteWindow& face : part.outer())
      faces_.push_back(program(exchange_->queue(), face));
  }

  /// Gives one step to the queue. Where the exchange can be recorded, it is a graph the second
  /// time, and one launch from then on.
  void run() {
    all_.run(queue_, can_be_recorded(), [this] { launch(); });
  }
  /// As run, never as a graph: for what is recorded as part of another.
  void launch() const;
  /// The exchange alone; what is computed alone.
  void run_exchange();
  void run_compute();

  [[nodiscard]] bool exchanges() const { return exchange_ != nullptr; }
  [[nodiscard]] bool can_be_recorded() const { return !exchange_ || exchange_->can_be_recorded(); }
  /// Bytes that this rank sends a step.
  [[nodiscard]] Bytes sent() const { return exchange_ ? exchange_->sent() : Bytes{0}; }
  [[nodiscard]] comm::Carrier carrier() const;
  /// Bytes and operations of this rank; not timed.
  [[nodiscard]] Record record() const;

private:
  Queue& queue_;
  std::unique_ptr<StoredExchange> exchange_;
  std::vector<Program> own_, faces_;
  Repeated all_, exchange_alone_, compute_alone_;
};

/// A step as a program, such as solvers take them; on one rank a launch as any other.
template <class K>
[[nodiscard]] Program stored_program(comm::Communicator& ranks, Queue& queue,
                                     const StoredPart& part, const StoredCall<K>& call,
                                     const std::vector<StoredMemory>& reads) {
  if (ranks.ranks() == 1) return {queue, call};
  const auto step = std::make_shared<StoredStep>(ranks, queue, part, call, reads);
  return {queue, Bound([step] { step->launch(); }), [step] { return step->record(); }};
}

} // namespace ridge::lattice
