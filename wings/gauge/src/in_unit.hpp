// Right-hand sides of any size: solvers see them in a unit whose squares are numbers in fp32, too.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/solve/solver.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ridge::gauge::detail {

/// Sizes for which nothing is done: residuals are smaller by some fifteen orders.
constexpr double least_size = 1e-20, most_size = 1e20;

/// The power of two that a right-hand side of all ranks is multiplied by: mostly 1.
template <class Site>
[[nodiscard]] double unit_of(comm::Communicator& ranks, const std::vector<Site>& b) {
  const int all_threads = cpu::default_threads();
  std::vector<double> of_threads(static_cast<std::size_t>(all_threads), 0);
  cpu::run(all_threads, [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(b.size()), thread, threads);
    double most = 0;
    for (Index i = mine.begin; i < mine.end; ++i) {
      double here = 0; // sites do not wait for each other
      for (int c = 0; c < lattice::components_of<Site>; ++c) {
        const auto& z = component(b[static_cast<std::size_t>(i)], c);
        here = std::max({here, std::abs(z.re), std::abs(z.im)});
      }
      most = std::max(most, here);
    }
    of_threads[static_cast<std::size_t>(thread)] = most;
  });
  const double most = ranks.greatest(*std::max_element(of_threads.begin(), of_threads.end()));
  if (most == 0 || !std::isfinite(most) || (most > least_size && most < most_size)) return 1;
  return std::ldexp(1.0, std::clamp(-std::ilogb(most), -1022, 1022));
}

template <class Site>
[[nodiscard]] std::vector<Site> scaled(std::vector<Site> sites, double unit) {
  for (Site& site : sites)
    site = unit * site;
  return sites;
}

/// What `solve(x, b)` gives in a unit. No bit of x and b changes but for their exponents.
template <class Sites, class Solve>
[[nodiscard]] solve::Solved in_unit(double unit, Sites& x, const Sites& b, const Solve& solve) {
  x = scaled(std::move(x), unit);
  const solve::Solved solved = solve(x, scaled(b, unit));
  x = scaled(std::move(x), 1 / unit);
  return solved;
}

} // namespace ridge::gauge::detail
