// Modes of Wilson's operator near zero, from a solution that did not converge.
#include "singular_mode.hpp"

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/reference.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace ridge::gauge {

namespace {

using SpinorColumns = std::vector<HostSpinor>;

SpinorColumns field_of(const std::vector<Spinor<double>>& x) {
  SpinorColumns field(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t c = 0; c < field[i].size(); ++c) {
      const auto& z = component(x[i], static_cast<int>(c));
      field[i][c] = {z.re, z.im};
    }
  }
  return field;
}

/// D psi.
SpinorColumns applied(const Extents& extents, const HostLinks& links, const WilsonNumbers& numbers,
                      const SpinorColumns& psi) {
  std::array<int, 4> n{};
  for (int d = 0; d < 4; ++d)
    n[static_cast<std::size_t>(d)] = static_cast<int>(extents[d]);
  const auto site = [&](const lattice::Coordinates& x) {
    return static_cast<std::size_t>(x[0] +
                                    extents[0] * (x[1] + extents[1] * (x[2] + extents[2] * x[3])));
  };
  const auto link = [&](int mu, const lattice::Coordinates& x) {
    HostLink u;
    const auto& from = links[4 * site(x) + static_cast<std::size_t>(mu)];
    for (int c = 0; c < 9; ++c)
      u[static_cast<std::size_t>(c)] = {component(from, c).re, component(from, c).im};
    return u;
  };
  SpinorColumns out(psi.size());
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(extents.count(), thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i) {
      lattice::Coordinates x;
      Index rest = i;
      for (int d = 0; d < 4; ++d) {
        x[d] = static_cast<int>(rest % extents[d]);
        rest /= extents[d];
      }
      const auto hops = reference_hopping(
          n, x, false, link,
          [&](const lattice::Coordinates& y) -> const HostSpinor& { return psi[site(y)]; });
      const auto here = static_cast<std::size_t>(i);
      for (std::size_t c = 0; c < hops.value.size(); ++c)
        out[here][c] = numbers.diagonal * psi[here][c] + numbers.hop * hops.value[c];
    }
  });
  return out;
}

/// Re of the product, over the upper spin components minus that over the lower ones where `chiral`.
double product(const SpinorColumns& a, const SpinorColumns& b, bool chiral = false) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < a[i].size(); ++c)
      sum += (chiral && c >= a[i].size() / 2 ? -1 : 1) *
             (a[i][c].real() * b[i][c].real() + a[i][c].imag() * b[i][c].imag());
  }
  return sum;
}
/// a = x a + y b.
void combine(SpinorColumns& a, double x, double y, const SpinorColumns& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < a[i].size(); ++c)
      a[i][c] = x * a[i][c] + y * b[i][c];
  }
}
void multiply_gamma5(SpinorColumns& a) {
  for (auto& site : a) {
    for (std::size_t c = site.size() / 2; c < site.size(); ++c)
      site[c] = -site[c];
  }
}

/// D on the field of the least |D v| / |v|.
struct Mode {
  double size = 0;      ///< |D v| / |v|
  double value = 0;     ///< the eigenvalue where v is one of a real one: v^+ g5 D v / v^+ g5 v
  double chirality = 0; ///< v^+ g5 v / v^+ v: 0 of eigenvalues that are not real
};

/// The least of v^+ D^+ D v from v on, by conjugate gradients on the quotient (Kalkreuter and
/// Simma, Comput. Phys. Commun. 93 (1996) 33), until go_on() says no. `apply`: D.
template <class Apply>
Mode least_mode(SpinorColumns v, const Apply& apply, const std::function<bool()>& go_on) {
  constexpr int most = 200;
  constexpr double enough = 1e-9;
  const auto squared = [&](const SpinorColumns& x) { // D^+ D = (gamma_5 D)^2
    SpinorColumns y = apply(x);
    multiply_gamma5(y);
    y = apply(y);
    multiply_gamma5(y);
    return y;
  };
  combine(v, 1 / std::sqrt(product(v, v)), 0, v);
  SpinorColumns av = squared(v), direction;
  double before = 0;
  for (int i = 0; i < most && go_on(); ++i) {
    const double mu = product(v, av);
    SpinorColumns gradient = av;
    combine(gradient, 1, -mu, v);
    const double steep = product(gradient, gradient);
    if (!(steep > enough * enough * mu) || !(mu > enough * enough)) break;
    if (direction.empty()) direction.assign(v.size(), {});
    combine(direction, before > 0 ? steep / before : 0, -1, gradient);
    before = steep;
    combine(direction, 1, -product(v, direction), v);
    SpinorColumns d = direction;
    combine(d, 1 / std::sqrt(product(d, d)), 0, d);
    const SpinorColumns ad = squared(d);
    // The least in the plane of v and d.
    const double angle = 0.5 * std::atan2(2 * product(v, ad), mu - product(d, ad)) + std::acos(0.0);
    combine(v, std::cos(angle), std::sin(angle), d);
    combine(av, std::cos(angle), std::sin(angle), ad);
  }
  const SpinorColumns dv = apply(v);
  const double vv = product(v, v), chiral = product(v, v, true);
  return {std::sqrt(product(dv, dv) / vv), product(v, dv, true) / chiral, chiral / vv};
}

} // namespace

std::string singular_text(const Extents& extents, const HostLinks& links,
                          const WilsonNumbers& numbers, const std::vector<Spinor<double>>& x,
                          const std::vector<Spinor<double>>& b,
                          const std::function<bool()>& go_on) {
  // A mode that is nearly singular fills the solution, one that is singular to rounding what is
  // left of the source, times gamma_5: D^+ = gamma_5 D gamma_5.
  const auto apply = [&](const SpinorColumns& v) { return applied(extents, links, numbers, v); };
  const SpinorColumns solution = field_of(x);
  SpinorColumns rest = field_of(b);
  combine(rest, 1, -1, apply(solution));
  multiply_gamma5(rest);
  const double much = product(solution, solution), left = product(rest, rest);
  if (!(std::isfinite(much) && left > 0 && std::isfinite(left))) return {};
  combine(rest, 1 / std::sqrt(left), much > 0 ? 1 / std::sqrt(much) : 0, solution);
  const Mode mode = least_mode(std::move(rest), apply, go_on);
  // By kappa D is 1 - kappa H, by mass m + 4 - H / 2: kappa is -hop / diagonal of both.
  const double kappa = -numbers.hop / numbers.diagonal;
  const double there = -numbers.hop / (numbers.diagonal - mode.value);
  // Modes of eigenvalues that are not real have no chirality.
  constexpr double near_zero = 1e-3, real = 0.7, small = 0.1;
  const double size = mode.size / numbers.diagonal, value = mode.value / numbers.diagonal;
  if (std::abs(mode.chirality) < real || !(size < small)) return {};
  if (std::abs(value) < near_zero) {
    return fmt::format("kappa {:.7g} is exceptional on this configuration, where D is singular "
                       "near kappa {:.5g}",
                       kappa, there);
  }
  if (value < 0) {
    return fmt::format("kappa {:.7g} is beyond critical on this configuration, where D is singular "
                       "near kappa {:.4g}",
                       kappa, there);
  }
  return {};
}

} // namespace ridge::gauge
