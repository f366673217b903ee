// Gradients of a loss that depends on the traces of a system's receivers: steps are taken back one
// by one, by the transpose of each of their parts.
#pragma once

#include <ridge/chain/system/adjoint.hpp>
#include <ridge/chain/system/system.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace ridge::chain {

/// Values of each receiver, or source, one a step.
using Traces = std::vector<std::vector<double>>;

/// The traces of all receivers, of which each rank has some. Collective.
[[nodiscard]] Traces traces_of_all(const System& system, const SystemSetup& setup);

/// Memory of a device that the gradient of a run takes: arrays, and one state of those that steps
/// change. There is at least one state.
struct GradientMemory {
  Bytes arrays, state;
};
[[nodiscard]] GradientMemory gradient_memory(const SystemKernel& kernel, const SystemSetup& setup,
                                             const SystemAdjoint& adjoint);

/// How the steps of a run were taken back.
struct StepsBack {
  Index kept = 0;  ///< states, the first one included
  Index again = 0; ///< steps that were computed again
};

class SystemGradient {
public:
  /// `system` is one of this kernel and setup on the queue, written and started; it keeps no state
  /// of the run afterwards. At most `kept` states are kept, 1 or more, on all ranks alike. Throws
  /// what System throws, and UsageError for arrays that are swapped. All must outlive it.
  /// Collective, run too.
  SystemGradient(Queue& queue, System& system, const SystemKernel& kernel, const SystemSetup& setup,
                 const SystemAdjoint& adjoint, Index kept);
  ~SystemGradient();
  SystemGradient(SystemGradient&&) noexcept;
  SystemGradient& operator=(SystemGradient&&) = delete;

  /// Takes so many steps, asks for the derivatives of the loss by the traces of all ranks, and
  /// takes the steps back. `passed` is called now and then with the part that is done; it may
  /// throw.
  StepsBack run(
      Index steps, const std::function<Traces(const Traces&)>& by_traces,
      const std::function<void(double part)>& passed = [](double) {});
  /// A box of this rank's part of the derivative by an array of the system, of numbers of the
  /// setup's size, packed on the host: by the medium, or by the start of what steps change.
  void read(int array, const SystemBox& box, void* to) const;
  /// The derivatives by the wavelet of each source, on all ranks.
  [[nodiscard]] const Traces& by_wavelets() const;

  struct Parts;

private:
  std::unique_ptr<Parts> parts_;
};

} // namespace ridge::chain
