// Theta and order of a tree for an error that is asked for.
#include <ridge/pairs/tree.hpp>

#include "../core/refuse.hpp"
#include "theta_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::pairs {

namespace {

struct Measured {
  double theta, error;
};

// `ridge nbody --plummer 100000` and `--cold-collapse 100000`, `--precision fp64 --softening 0.005
// --steps 1 --dt 1e-4`, 2026-11-26: the worse error_rms of both.
constexpr std::array<Measured, 6> quadrupoles{{{0.15, 2.65e-5},
                                               {0.25, 9.87e-5},
                                               {0.4, 3.43e-4},
                                               {0.6, 9.24e-4},
                                               {0.9, 3.24e-3},
                                               {1.3, 8.5e-3}}};
constexpr std::array<Measured, 6> octupoles{{{0.15, 2.44e-6},
                                             {0.25, 1.39e-5},
                                             {0.4, 7.52e-5},
                                             {0.6, 3.01e-4},
                                             {0.9, 1.56e-3},
                                             {1.3, 5.79e-3}}};
constexpr std::array<Measured, 5> monopoles{
    {{0.25, 1.81e-3}, {0.4, 4.08e-3}, {0.6, 7.45e-3}, {0.9, 1.44e-2}, {1.3, 2.71e-2}}};
// 2026-11-27, likewise on an H100, whose groups of targets are larger.
constexpr std::array<Measured, 6> fourths{{{0.15, 1.77e-7},
                                           {0.25, 1.38e-6},
                                           {0.4, 9.87e-6},
                                           {0.6, 7.63e-5},
                                           {0.9, 4.55e-4},
                                           {1.3, 3.36e-3}}};
constexpr std::array<Measured, 6> fifths{{{0.15, 2.26e-8},
                                          {0.25, 2.67e-7},
                                          {0.4, 2.75e-6},
                                          {0.6, 3.06e-5},
                                          {0.9, 2.85e-4},
                                          {1.3, 2.91e-3}}};

// Orders from the cheapest one on, each down to the error from which the next costs less.
constexpr std::array<double, 4> cheapest_down_to{7e-3, 4e-5, 2.5e-5, 2e-6};

/// Calls `of` with the two rows between which `is_before` ends, or the two nearest.
template <std::size_t N, class Before, class Of>
double between(const std::array<Measured, N>& table, const Before& is_before, const Of& of) {
  std::size_t k = 1;
  while (k + 1 < N && is_before(table[k]))
    ++k;
  return of(table[k - 1], table[k]);
}

/// Along a straight line of logarithms.
double along(double x, double x0, double y0, double x1, double y1) {
  return y0 * std::exp(std::log(x / x0) / std::log(x1 / x0) * std::log(y1 / y0));
}

template <class Of>
double with_table(int order, const Of& of) {
  switch (order) {
  case 1:
    return of(monopoles);
  case 2:
    return of(quadrupoles);
  case 3:
    return of(octupoles);
  case 4:
    return of(fourths);
  default:
    return of(fifths);
  }
}

template <std::size_t N>
double error_of(const std::array<Measured, N>& table, double theta) {
  return between(
      table, [&](const Measured& m) { return m.theta < theta; },
      [&](const Measured& a, const Measured& b) {
        return along(theta, a.theta, a.error, b.theta, b.error);
      });
}

template <std::size_t N>
double theta_of(const std::array<Measured, N>& table, double error) {
  return between(
      table, [&](const Measured& m) { return m.error < error; },
      [&](const Measured& a, const Measured& b) {
        return along(error, a.error, a.theta, b.error, b.theta);
      });
}

} // namespace

double tree_error_at(const TreeChoice& choice) {
  if (choice.theta == 0) return 0;
  return with_table(choice.order, [&](const auto& table) { return error_of(table, choice.theta); });
}

TreeChoice tree_choice(double error, int order, std::string_view precision) {
  const double least = precision == Fp64::name ? 1e-10 : 1e-6;
  refuse_if(!(error >= least && error <= 0.1),
            "error {:g}: in {} it can be from {:g} to 0.1 of accelerations, rms{}", error,
            precision, least, error > 0 && error < least ? "; fp64 takes 1e-10" : "");
  if (order == 0) {
    order = 1;
    for (const double least_of_order : cheapest_down_to)
      order += error < least_of_order ? 1 : 0;
  }
  require_sound(TreeOptions{0.5, order, 0, {}});
  const double theta = with_table(order, [&](const auto& table) { return theta_of(table, error); });
  return {std::min(theta, 1.5), order};
}

template <class P>
void Tree<P>::choose(const TreeChoice& choice) {
  options_.theta = walk_.theta = choice.theta;
  options_.order = walk_.order = choice.order;
  octree_.keep_moments(choice.order);
}

template <class P>
TreeError Tree<P>::reach(double asked, int order, const std::array<Span<Summed>, 4>& sums,
                         Index sample) {
  TreeChoice choice = tree_choice(asked, order, P::name);
  ThetaSearch search(choice.theta, choice.order);
  for (;;) {
    choice.theta = search.theta();
    choose(choice);
    forget();
    update();
    sum(sums);
    const TreeError found = error(sample);
    if (search.goes_on(found.rms / asked)) continue;
    fail_if(found.rms > asked,
            "the error of accelerations is {:.1e} rms where all pairs are summed in {}, and {:g} "
            "was asked for",
            found.rms, P::name, asked);
    return found;
  }
}

template void Tree<Fp32>::choose(const TreeChoice&);
template void Tree<Fp64>::choose(const TreeChoice&);
template void Tree<Mixed>::choose(const TreeChoice&);
template TreeError Tree<Fp32>::reach(double, int, const std::array<Span<float>, 4>&, Index);
template TreeError Tree<Fp64>::reach(double, int, const std::array<Span<double>, 4>&, Index);
template TreeError Tree<Mixed>::reach(double, int, const std::array<Span<double>, 4>&, Index);

} // namespace ridge::pairs
