// Modes of Wilson's operator near zero, from a solution that did not converge.
#include "solve_mode.hpp"

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/reference.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

namespace ridge::app {

namespace {

using Field = std::vector<gauge::HostSpinor>;

Field field_of(const io::Column& x) {
  Field field(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < io::propagator_columns; ++c)
      field[i][static_cast<std::size_t>(c)] = {component(x[i], c).re, component(x[i], c).im};
  }
  return field;
}

/// D psi.
Field applied(const Extents& extents, const gauge::HostLinks& links,
              const gauge::WilsonNumbers& numbers, const Field& psi) {
  std::array<int, 4> n{};
  for (int d = 0; d < 4; ++d)
    n[static_cast<std::size_t>(d)] = static_cast<int>(extents[d]);
  const auto site = [&](const lattice::Coordinates& x) {
    return static_cast<std::size_t>(x[0] +
                                    extents[0] * (x[1] + extents[1] * (x[2] + extents[2] * x[3])));
  };
  const auto link = [&](int mu, const lattice::Coordinates& x) {
    gauge::HostLink u;
    const auto& from = links[4 * site(x) + static_cast<std::size_t>(mu)];
    for (int c = 0; c < 9; ++c)
      u[static_cast<std::size_t>(c)] = {component(from, c).re, component(from, c).im};
    return u;
  };
  Field out(psi.size());
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(extents.count(), thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i) {
      lattice::Coordinates x;
      Index rest = i;
      for (int d = 0; d < 4; ++d) {
        x[d] = static_cast<int>(rest % extents[d]);
        rest /= extents[d];
      }
      const auto hops = gauge::reference_hopping(
          n, x, false, link,
          [&](const lattice::Coordinates& y) -> const gauge::HostSpinor& { return psi[site(y)]; });
      const auto here = static_cast<std::size_t>(i);
      for (std::size_t c = 0; c < hops.value.size(); ++c)
        out[here][c] = numbers.diagonal * psi[here][c] + numbers.hop * hops.value[c];
    }
  });
  return out;
}

/// How D acts on a field that is near a mode of it.
struct Mode {
  double size = 0;      ///< |D v| / |v|
  double value = 0;     ///< the eigenvalue where v is one of a real one: v^+ g5 D v / v^+ g5 v
  double chirality = 0; ///< v^+ g5 v / v^+ v: 0 of eigenvalues that are not real
};

Mode mode_of(const Field& v, const Field& dv) {
  double vv = 0, dd = 0, v5v = 0, v5d = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t c = 0; c < v[i].size(); ++c) {
      const double sign = c < v[i].size() / 2 ? 1 : -1;
      vv += std::norm(v[i][c]);
      dd += std::norm(dv[i][c]);
      v5v += sign * std::norm(v[i][c]);
      v5d += sign * (v[i][c].real() * dv[i][c].real() + v[i][c].imag() * dv[i][c].imag());
    }
  }
  return {std::sqrt(dd / vv), v5d / v5v, v5v / vv};
}

} // namespace

std::string singular_text(const Extents& extents, const gauge::HostLinks& links,
                          const gauge::WilsonNumbers& numbers, const io::Column& x,
                          const io::Column& b) {
  // A mode that is nearly singular fills the solution, one that is singular to rounding what is
  // left of the source, times gamma_5: D^+ = gamma_5 D gamma_5.
  const Field solution = field_of(x);
  const Field of_solution = applied(extents, links, numbers, solution);
  Field rest = field_of(b);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t c = 0; c < rest[i].size(); ++c) {
      rest[i][c] -= of_solution[i][c];
      if (c >= rest[i].size() / 2) rest[i][c] = -rest[i][c];
    }
  }
  const Mode of_x = mode_of(solution, of_solution);
  const Mode of_rest = mode_of(rest, applied(extents, links, numbers, rest));
  const Mode mode = of_x.size < of_rest.size ? of_x : of_rest;
  // By kappa D is 1 - kappa H, by mass m + 4 - H / 2: kappa is -hop / diagonal of both.
  const double kappa = -numbers.hop / numbers.diagonal;
  const double there = -numbers.hop / (numbers.diagonal - mode.value);
  // Modes of eigenvalues that are not real have no chirality.
  constexpr double near_zero = 1e-5, real = 0.4, small = 0.1;
  const bool is_real = std::abs(mode.chirality) > real;
  if (mode.size < near_zero * numbers.diagonal) {
    return fmt::format("kappa {:.7g} is exceptional on this configuration, where D is singular at "
                       "kappa {:.7g} (|D v| = {:.1e} |v|)",
                       kappa, is_real ? there : kappa, mode.size);
  }
  if (is_real && mode.value < 0 && mode.size < small * numbers.diagonal) {
    return fmt::format("kappa {:.7g} is beyond critical on this configuration, where D is singular "
                       "near kappa {:.4g}",
                       kappa, there);
  }
  return {};
}

} // namespace ridge::app
