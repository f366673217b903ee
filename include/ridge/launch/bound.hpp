// A launch with everything that can be done once done.
#pragma once

#include <ridge/device/launch_shape.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace ridge {

/// Gives one launch to its queue each time it is run. Executors make it: what a launch needs beside
/// the call, such as grids, shared memory and counters, is in it. Empty where an executor is not
/// compiled for what was asked.
class Bound {
public:
  Bound() = default;
  /// `run` is called for each launch; it must not allocate. `takes` is the most that any kernel of
  /// it takes of a lane, where it is known.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Bound>) explicit Bound(
      F run, KernelResources takes = {})
      : run_(new Held<F>(std::move(run))), takes_(takes) {}

  void run() const { run_->run(); }
  [[nodiscard]] const KernelResources& takes() const { return takes_; }
  explicit operator bool() const { return run_ != nullptr; }

private:
  struct Any {
    Any() = default;
    Any(const Any&) = delete;
    Any& operator=(const Any&) = delete;
    virtual ~Any() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct Held final : Any {
    explicit Held(F held) : f(std::move(held)) {}
    void run() override { f(); }
    F f;
  };
  std::unique_ptr<Any> run_;
  KernelResources takes_;
};

} // namespace ridge
