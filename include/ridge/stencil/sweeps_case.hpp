// Cases of many sweeps: one launch is so many steps.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/record/roof_source.hpp>
#include <ridge/stencil/evolution.hpp>
#include <ridge/stencil/sweeps_check.hpp>

#include <memory>
#include <string>
#include <typeinfo>

namespace ridge::stencil {

/// Of the grids that are benched: different along each axis, so that a swapped axis shows.
inline constexpr Spacing benched_spacing{1.0, 1.25, 0.75};

/// A kernel that evolves, with its reference.
struct CheckedEvolution {
  Evolution made;
  EvolutionReference reference;
  const std::type_info* pass; ///< of calls of several sweeps, which wisdom is kept for
};
template <class T, class K>
[[nodiscard]] CheckedEvolution checked_evolution(const std::string& name, const K& kernel) {
  return {evolution<K, T>(name, kernel), reference_of<T>(kernel), &typeid(Pass<K, T>)};
}

/// So many steps of random fields of a precision: "fp64", "fp32", "fp16", "bf16". Its limit is in
/// points a second: what single sweeps at the speed of a copy reach. Throws UsageError where steps
/// or boundaries do not fit.
[[nodiscard]] std::unique_ptr<Case> sweeps_case(const CheckedEvolution& kernel,
                                                const std::string& precision, const Device& device,
                                                const Extents& size, Index steps,
                                                const Boundaries& boundaries, RoofSource& roof);

} // namespace ridge::stencil
