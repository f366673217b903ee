#include <ridge/chain/system/checkpoints.hpp>
#include <ridge/chain/system/gradient.hpp>
#include <ridge/core/error.hpp>

#include "adjoint_step.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace ridge::chain {

namespace {

std::map<std::string, std::function<SystemAdjoint()>, std::less<>>& known_adjoints() {
  static std::map<std::string, std::function<SystemAdjoint()>, std::less<>> all;
  return all;
}

/// Bytes of a state's array, from its first point to its last one.
Index bytes_of_state(const SystemKernel& kernel, const SystemSetup& setup, int array) {
  const ArrayLayout at = layout_of(kernel.description(setup.element_bytes), array, setup.extents);
  const Index3 n = at.points;
  return ((n.z - 1) * at.plane + (n.y - 1) * at.row + n.x) * setup.element_bytes;
}

} // namespace

void know_adjoint(std::string_view system, std::function<SystemAdjoint()> make) {
  known_adjoints().insert_or_assign(std::string(system), std::move(make));
}

SystemAdjoint adjoint_of(std::string_view system) {
  const auto found = known_adjoints().find(system);
  if (found != known_adjoints().end()) return found->second();
  std::string names;
  for (const auto& [name, make] : known_adjoints())
    names += (names.empty() ? "" : ", ") + name;
  throw UsageError(
      fmt::format("there is no gradient of {} yet; there is one of {}", system, names));
}

Traces traces_of_all(const System& system, const SystemSetup& setup) {
  const Traces& mine = system.traces();
  if (!setup.part || mine.empty()) return mine;
  const std::size_t steps = mine.front().size();
  std::vector<double> packed;
  for (const std::vector<double>& trace : mine)
    packed.insert(packed.end(), trace.begin(), trace.end());
  comm::Communicator& ranks = *setup.part->ranks;
  std::vector<double> of_ranks(packed.size() * static_cast<std::size_t>(ranks.ranks()));
  ranks.all_gather(packed.data(), packed.size() * sizeof(double), of_ranks.data());
  Traces all;
  for (std::size_t r = 0; r < mine.size(); ++r) {
    const auto owner = static_cast<std::size_t>(system.owner_of_receiver(r));
    const auto begin =
        of_ranks.begin() + static_cast<std::ptrdiff_t>(owner * packed.size() + r * steps);
    all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(steps));
  }
  return all;
}

GradientMemory gradient_memory(const SystemKernel& kernel, const SystemSetup& setup,
                               const SystemAdjoint& adjoint) {
  GradientMemory needed;
  const Description& forward = kernel.description(setup.element_bytes);
  const Description& backward = adjoint.kernel.description(setup.element_bytes);
  const int given = static_cast<int>(adjoint.derivatives.size());
  for (int a = 0; a < static_cast<int>(backward.arrays.size()); ++a) {
    const ArrayLayout at = a < given ? layout_of(forward, a, setup.extents)
                                     : derivative_layout(backward, a, setup.extents);
    needed.arrays.value += at.elements * setup.element_bytes;
    if (a < given && kernel.is_state(a)) needed.state.value += bytes_of_state(kernel, setup, a);
  }
  const MatchedMemory layers = matched_memory(kernel, setup);
  needed.arrays.value += layers.kept.value + layers.beside.value +
                         matched_adjoint_memory(kernel, setup, adjoint).value;
  needed.state.value += layers.kept.value;
  return needed;
}

/// States that are kept of a run, and its steps back.
struct SystemGradient::Parts {
  Parts(Queue& q, System& s, const SystemKernel& k, const SystemSetup& setup_,
        const SystemAdjoint& adjoint, Index most_kept)
      : queue(q), system(s), kernel(k), setup(setup_), most(most_kept) {
    if (setup.element_bytes == 4) {
      step = std::make_unique<AdjointOf<float>>(q, s, k, setup, adjoint);
    } else {
      step = std::make_unique<AdjointOf<double>>(q, s, k, setup, adjoint);
    }
    for (int a = 0; a < kernel.arrays(); ++a) {
      if (!kernel.is_state(a)) continue;
      states.emplace_back(a, bytes_of_state(kernel, setup, a));
      state_bytes += states.back().second;
    }
    state_bytes += system.remembered().size.value;
    memory = Memory(queue.device(), Bytes{most * state_bytes}, "states of the run");
  }

  void copy(void* inside, void* kept_at, Bytes bytes, bool to_system) {
    copy_bytes_on_device(queue, to_system ? inside : kept_at, to_system ? kept_at : inside, bytes);
  }
  void copy(std::size_t place, bool to_system) {
    auto* at = static_cast<std::byte*>(memory.data()) + static_cast<Index>(place) * state_bytes;
    for (const auto& [array, bytes] : states) {
      copy(system.at(array).data, at, Bytes{bytes}, to_system);
      at += bytes;
    }
    const System::Remembered layers = system.remembered();
    if (layers.data != nullptr) copy(layers.data, at, layers.size, to_system);
    queue.wait();
  }
  void keep() {
    copy(kept.size(), false);
    kept.push_back(system.step());
    done.kept = std::max(done.kept, static_cast<Index>(kept.size()));
  }
  /// Brings the system to a step behind the latest that is kept.
  void go(Index to) {
    if (changed || system.step() > to || system.step() < kept.back()) {
      copy(kept.size() - 1, true);
      system.started(kept.back());
      changed = false;
    }
    while (system.step() < to) {
      const Index steps = std::min<Index>(to - system.step(), 64);
      system.run(steps);
      taken += steps;
      passed(part);
    }
  }

  Queue& queue;
  System& system;
  const SystemKernel& kernel;
  SystemSetup setup;
  Index most;
  std::unique_ptr<AdjointStep> step;
  std::vector<std::pair<int, Index>> states; ///< arrays, and their bytes
  Index state_bytes = 0;
  Memory memory;
  std::vector<Index> kept; ///< steps, in the order of the memory
  bool changed = false;    ///< the system, by a step back
  std::function<void(double part)> passed;
  double part = 0; ///< of the steps, taken back
  Index taken = 0;
  StepsBack done;
};

SystemGradient::SystemGradient(Queue& queue, System& system, const SystemKernel& kernel,
                               const SystemSetup& setup, const SystemAdjoint& adjoint, Index kept) {
  if (!kernel.swaps.empty())
    throw UsageError("gradients are of systems whose arrays are not swapped");
  parts_ = std::make_unique<Parts>(queue, system, kernel, setup, adjoint, kept);
}
SystemGradient::~SystemGradient() {
  if (parts_) parts_->queue.wait();
}
SystemGradient::SystemGradient(SystemGradient&&) noexcept = default;

StepsBack SystemGradient::run(Index steps, const std::function<Traces(const Traces&)>& by_traces,
                              const std::function<void(double part)>& passed) {
  Parts& p = *parts_;
  p.kept.clear();
  p.taken = 0;
  p.changed = false;
  p.passed = passed;
  p.part = 0;
  p.done = {};
  p.keep();
  const Index first = p.kept.front();
  bool begun = false;
  for (Index end = first + steps; end > first;) {
    const Index begin = p.kept.back();
    if (begin == end) {
      p.kept.pop_back();
      continue;
    }
    const Index room = p.most - static_cast<Index>(p.kept.size());
    if (end - begin > 1 && room > 0) {
      p.go(begin + next_kept(end - begin, room));
      p.keep();
      continue;
    }
    if (!begun) { // all steps are taken
      p.go(end);
      p.step->begin(by_traces(traces_of_all(p.system, p.setup)));
      begun = true;
    }
    p.go(--end);
    p.step->take_back(end - p.setup.first_step);
    p.changed = true;
    p.part = static_cast<double>(first + steps - end) / static_cast<double>(steps);
    passed(p.part);
  }
  p.step->end();
  p.done.again = p.taken - steps;
  return p.done;
}

void SystemGradient::read(int array, const SystemBox& box, void* to) const {
  parts_->step->read(array, box, to);
}

const Traces& SystemGradient::by_wavelets() const {
  return parts_->step->by_wavelets();
}

} // namespace ridge::chain
