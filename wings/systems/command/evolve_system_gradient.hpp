// Gradients of a loss of a system's traces: what the command reads, and the proof of the adjoint.
#pragma once

#include <ridge/chain/system/gradient.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::app {

/// Traces that a run's are compared with.
struct ObservedTraces {
  std::string name;
  std::vector<std::filesystem::path> files;
  Index steps = 0;
  chain::Traces traces; ///< a row a receiver
};

/// Half the sum of squares of what traces differ by, over all receivers and steps.
[[nodiscard]] double loss_of(const chain::Traces& traces, const chain::Traces& observed);
/// Its derivatives by the traces.
[[nodiscard]] chain::Traces residuals_of(chain::Traces traces, const chain::Traces& observed);

/// How far the adjoint is from the transpose of the steps.
struct AdjointProof {
  /// For the linear map J from start and wavelets to traces, and random v and w:
  /// |<J v, w> - <v, J' w>| over the sum of |J v| |w| of all receivers.
  double dot_error = 0;
  /// |L(m + h d) - L(m) - h <L', d>| falls by 2 to the power of it where h is halved: 2 is right.
  double slope = 0;
};

/// Runs of a proof, in fp64.
struct ProofRun {
  const chain::SystemKernel& kernel;
  chain::SystemSetup setup;
  const chain::SystemAdjoint& adjoint;
  Index steps = 0, kept = 1;
  std::vector<std::vector<double>>
      arrays;              ///< of the start, by the system's arrays: this rank's part
  std::vector<int> varied; ///< arrays by which derivatives are asked for
};
/// Throws UsageError where nothing reaches the receivers or the loss does not change, Failure where
/// the adjoint is wrong.
[[nodiscard]] AdjointProof prove(Queue& queue, const ProofRun& run, const chain::Traces& observed);

} // namespace ridge::app
