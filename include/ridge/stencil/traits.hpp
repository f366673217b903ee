// Traits of a kernel for schedules, work and checks, as plain data.
#pragma once

#include <ridge/record/operations.hpp>
#include <ridge/record/work.hpp>
#include <ridge/stencil/kernel.hpp>

#include <span>
#include <typeinfo>
#include <vector>

namespace ridge::stencil {

/// Names what kernel sources say of the passes of several sweeps that they have compiled ahead
/// (pass_executor.hpp).
template <class K, class T>
struct PassesAhead {};

/// A kernel without its type.
struct Traits {
  /// One list of offsets an input.
  std::vector<std::vector<Offset>> footprints;
  Offset radius;
  double flops = unknown_operations; ///< a point
  int element_bytes = 8;
  bool planes = false;  ///< several planes can be computed together on a cpu
  bool parts = false;   ///< sums of planes' parts, in any order
  bool by_axis = false; ///< done with one axis before the next
  /// The type of PassesAhead; null where nothing is known of them.
  const std::type_info* passes = nullptr;

  // Not written out for each kernel.
  Traits();
  Traits(const Traits& other);
  Traits(Traits&& other) noexcept;
  Traits& operator=(const Traits& other);
  Traits& operator=(Traits&& other) noexcept;
  ~Traits();

  [[nodiscard]] int inputs() const { return static_cast<int>(footprints.size()); }
  void add_footprint(std::span<const Offset> offsets);
};

template <class K, class T>
[[nodiscard]] Traits traits_of() {
  Traits traits;
  std::apply([&](const auto&... f) { (traits.add_footprint(f.offsets), ...); }, footprints_of<K>());
  traits.radius = radius_of<K>();
  traits.flops = said_flops<K>();
  traits.element_bytes = static_cast<int>(sizeof(T));
  traits.planes = has_planes<K>;
  traits.parts = takes_parts<K>;
  traits.by_axis = goes_by_axis<K>;
  traits.passes = &typeid(PassesAhead<K, T>);
  return traits;
}

/// Points at least a radius from every edge: those that are written; 0 when there are none.
[[nodiscard]] Index interior_points(const Traits& traits, Index3 extents);

/// Least traffic: every input point that some interior point's footprint touches is read once,
/// every interior point is written once. For the 7-point stencil that is all but edges and corners,
/// the definition of the AMD Laplacian series.
[[nodiscard]] Work work_of(const Traits& traits, Index3 extents);

} // namespace ridge::stencil
