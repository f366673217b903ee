// Ways of `ridge evolve` beside sweeps of a stencil, which wings announce.
#pragma once

#include "evolve_setup.hpp"
#include "options.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ridge::app {

class EvolveWay {
public:
  EvolveWay() = default;
  EvolveWay(const EvolveWay&) = delete;
  EvolveWay& operator=(const EvolveWay&) = delete;
  virtual ~EvolveWay() = default;
  /// Adds its own options.
  virtual void add_to(const Command& command) = 0;
  /// The lines that --help says below the options.
  [[nodiscard]] virtual std::string footer() const = 0;
  /// The run of the kernel that is asked for, or that of the run that goes on; empty where it is
  /// none of its kernels.
  [[nodiscard]] virtual std::function<void()> find(const EvolveOptions& options) const = 0;
  /// Throws UsageError where its own options are given, to a stencil.
  virtual void refuse_options() const = 0;
};

using MakeEvolveWay = std::shared_ptr<EvolveWay> (*)();

/// Announces one from a static initialiser.
class EvolveWayAnnounced {
public:
  explicit EvolveWayAnnounced(MakeEvolveWay make);
};

/// All that were announced.
[[nodiscard]] std::vector<std::shared_ptr<EvolveWay>> evolve_ways();

} // namespace ridge::app
