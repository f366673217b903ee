// A roof being measured: what its parts share.
#pragma once

#include <ridge/record/measure.hpp>
#include <ridge/record/roof.hpp>
#include <ridge/record/roof_kernels.hpp>

#include <functional>
#include <string_view>

namespace ridge {

class RoofSession {
public:
  RoofSession(const Device& device, const RoofOptions& options, Roof& roof);

  [[nodiscard]] const Device& device() const { return queue_.device(); }
  [[nodiscard]] Queue& queue() { return queue_; }
  [[nodiscard]] const RoofKernels& kernels() const { return kernels_; }
  [[nodiscard]] bool is_quick() const { return options_.quick; }

  [[nodiscard]] bool wants(std::string_view name) const;
  void announce(std::string_view name) const;
  void add(Ceiling ceiling);

  /// A first look, to choose among many ways: one launch of those far from the `least` time so far.
  [[nodiscard]] Seconds glance(const std::function<void()>& launch, Seconds least = {});
  /// The time that counts.
  [[nodiscard]] Seconds time(const std::function<void()>& launch);

private:
  Queue queue_;
  const RoofKernels& kernels_;
  const RoofOptions& options_;
  Roof& roof_;
};

/// copy, read, write, triad and their parts; cache_copy.
void measure_memory(RoofSession& session);
/// fma_fp32, fma_fp64, rsqrt_fp32, launch.
void measure_compute(RoofSession& session);

} // namespace ridge
