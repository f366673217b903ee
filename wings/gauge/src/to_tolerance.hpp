// Solves of a preconditioned system until the whole one's residual is small enough.
#pragma once

#include <ridge/solve/cg.hpp>

#include <algorithm>
#include <vector>

namespace ridge::gauge::detail {

/// `inner(options)` solves from where it is, `residual()` gives |b - D x| / |b| of the whole
/// system. The iteration sees |D^+ (b - D x)|; |b - D x| may be larger by D's condition.
template <class Inner, class Residual>
solve::Solved to_tolerance(const solve::Options& options, const Inner& inner,
                           const Residual& residual) {
  solve::Solved all;
  solve::Options now = options;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const solve::Solved part = inner(now);
    const double rest = residual();
    all.iterations += part.iterations;
    all.updates += part.updates;
    all.bytes += part.bytes;
    all.flops += part.flops;
    all.seconds.value += part.seconds.value;
    all.residual = rest;
    all.stopped = part.stopped;
    all.broken = part.broken;
    all.rounding = part.rounding;
    all.in_double = all.in_double || part.in_double;
    all.converged = rest <= options.tolerance;
    now.most_iterations = options.most_iterations - all.iterations;
    if (all.converged || !part.converged || now.most_iterations <= 0) break;
    // Less than there is, not less than was asked for: it may have more than met that.
    now.tolerance = part.residual * std::clamp(0.7 * options.tolerance / rest, 1e-3, 0.7);
  }
  return all;
}

/// `inner(options, measure)` asks itself for that residual: it goes on in its direction.
template <class Inner, class Residual>
solve::Solved by_measure(const solve::Options& options, const Inner& inner,
                         const Residual& residual) {
  const solve::Measure measure = [&] { return std::vector{residual() / options.tolerance}; };
  solve::Solved solved = inner(options, measure);
  solved.residual = residual();
  solved.converged = solved.residual <= options.tolerance;
  return solved;
}

} // namespace ridge::gauge::detail
