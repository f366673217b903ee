// Benchmarks of many sweeps: one launch is so many steps.
#pragma once

#include <ridge/lab/case.hpp>
#include <ridge/lab/evolution.hpp>
#include <ridge/lab/evolution_check.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/pass.hpp>

#include <memory>
#include <string>
#include <typeinfo>

namespace ridge::lab {

/// Of the grids that are benched: different along each axis, so that a swapped axis shows.
inline constexpr stencil::Spacing sweeps_spacing{1.0, 1.25, 0.75};
/// And a step well within the stable ones.
inline constexpr double part_of_stable = 0.5;

/// A kernel that is benched, with its type put away.
struct BenchedEvolution {
  Evolution made;
  EvolutionReference reference;
  const std::type_info* pass; ///< of calls of several sweeps, which wisdom is kept for
};

/// The case of a kernel: its precision is that of its traits.
[[nodiscard]] std::unique_ptr<Case> evolution_case(BenchedEvolution kernel,
                                                   const BenchRequest& request, RoofSource& roof);

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<Case> evolution_case(const std::string& name, const K& kernel,
                                                   const BenchRequest& request, RoofSource& roof) {
  if (request.precision == "fp64") {
    return evolution_case({evolution<K, double>(name, kernel), reference_of<double>(kernel),
                           &typeid(stencil::Pass<K, double>)},
                          request, roof);
  }
  if (request.precision == "fp32") {
    return evolution_case({evolution<K, float>(name, kernel), reference_of<float>(kernel),
                           &typeid(stencil::Pass<K, float>)},
                          request, roof);
  }
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
