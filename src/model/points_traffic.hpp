// The traffic of the two ways in which blocks go over a field, under one set of assumptions.
#pragma once

#include <ridge/model/traffic.hpp>

namespace ridge::model {

/// Threads read their neighbours from memory, through the caches.
[[nodiscard]] Traffic points_traffic(const StencilAccess& access, const Description& device,
                                     const Assumptions& assume);

/// Blocks march through z with the planes around them in shared memory.
[[nodiscard]] Traffic march_traffic(const StencilAccess& access, const Description& device,
                                    const Assumptions& assume);

/// Bytes of an input that its footprint touches, by whole rows.
[[nodiscard]] double touched_bytes(const StencilAccess& access,
                                   const std::vector<Index3>& footprint);

/// Bytes of the extra fetches by what fails, and how each is told.
class Extras {
public:
  /// Counts `bytes`, and keeps `told` of the largest.
  void add(Failing failing, double bytes, const std::string& told);
  [[nodiscard]] double bytes() const { return all_; }
  /// Sets `failing` and `cause`: of the largest, unless all are less than a hundredth of `least`.
  void explain(Traffic& traffic, double least) const;

private:
  double all_ = 0;
  double most_ = 0;
  Failing failing_ = Failing::none;
  std::string told_;
};

/// How many lines of the last-level cache a line that is read takes, on average.
[[nodiscard]] double read_room(const Description& device, const Assumptions& assume);

} // namespace ridge::model
