// Benchmarks of many sweeps: one launch is so many steps.
#pragma once

#include <ridge/lab/evolution.hpp>
#include <ridge/lab/evolution_check.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/pattern/case.hpp>
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

/// A kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] BenchedEvolution benched(const std::string& name, const K& kernel,
                                       std::string_view precision) {
  if (precision == "fp64") {
    return {evolution<K, double>(name, kernel), reference_of<double>(kernel),
            &typeid(stencil::Pass<K, double>)};
  }
  if (precision == "fp32") {
    return {evolution<K, float>(name, kernel), reference_of<float>(kernel),
            &typeid(stencil::Pass<K, float>)};
  }
  refuse_precision(precision, name, "fp32 and fp64");
}

/// `make` gives the kernel for fields of a size, and throws UsageError for numbers of dimensions
/// and precisions that it does not have.
[[nodiscard]] BenchKernel
bench_evolution(const std::string& name, const std::string& meaning, const Extents& default_size,
                BenchedEvolution (*make)(const Extents& size, std::string_view precision));

} // namespace ridge::lab
