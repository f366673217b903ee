// The staggered operator and the clover term: hermiticity, gauge covariance, the free field.
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/launch/program.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

namespace ridge::gauge {
namespace {

using Number = std::complex<double>;
using Colours = std::vector<ColourVector<double>>;
constexpr int lattice_size[4] = {4, 6, 2, 4};

std::size_t place_of(const int (&x)[4]) {
  int i = 0;
  for (int d = 3; d >= 0; --d)
    i = i * lattice_size[d] + x[d];
  return static_cast<std::size_t>(i);
}
constexpr std::size_t places = 4 * 6 * 2 * 4;

/// Calls f(x) for all sites.
template <class F>
void for_sites(const F& f) {
  for (std::size_t i = 0; i < places; ++i) {
    int x[4];
    auto rest = static_cast<int>(i);
    for (int d = 0; d < 4; ++d) {
      x[d] = rest % lattice_size[d];
      rest /= lattice_size[d];
    }
    f(x);
  }
}

Colours random_colours(std::uint64_t seed) {
  Colours psi(places);
  for (std::size_t i = 0; i < places; ++i) {
    for (int c = 0; c < 3; ++c) {
      const auto at = static_cast<std::int64_t>(6 * i) + 2 * c;
      psi[i](c) = {random_value(seed, at), random_value(seed, at + 1)};
    }
  }
  return psi;
}

Number dot_of(const Colours& x, const Colours& y) {
  Number sum = 0;
  for (std::size_t i = 0; i < places; ++i)
    for (int c = 0; c < 3; ++c)
      sum += std::conj(Number(x[i](c).re, x[i](c).im)) * Number(y[i](c).re, y[i](c).im);
  return sum;
}

double most_apart(const Colours& x, const Colours& y) {
  double worst = 0;
  for (std::size_t i = 0; i < places; ++i) {
    for (int c = 0; c < 3; ++c) {
      const double error = std::hypot(x[i](c).re - y[i](c).re, x[i](c).im - y[i](c).im);
      worst = error <= worst ? worst : error;
    }
  }
  return worst;
}

class StaggeredOn : public ::testing::TestWithParam<std::string> {
protected:
  using Link = std::function<ColourMatrix<double>(const int (&)[4], int)>;

  Device device{GetParam()};
  Queue queue{device};

  /// D psi of D = mass + hopping / 2, antiperiodic in time; its adjoint.
  Colours apply(const Link& link, const Colours& psi, double mass, bool dagger = false) {
    const auto grid = lattice::site_grid(
        device, {lattice_size[0], lattice_size[1], lattice_size[2], lattice_size[3]},
        lattice::Sites::all, 8);
    const StoredLinks<double, 18> links(queue, {grid}, [&](const int(&x)[4], int mu) {
      return static_cast<double>(staggered_phase(x, mu)) * link(x, mu);
    });
    lattice::StoredField<ColourVector<double>, double> in(device, grid), out(device, grid);
    in.fill(queue, [&](const int(&x)[4], int) { return psi[place_of(x)]; });
    Staggered<double> kernel;
    for (int mu = 0; mu < 4; ++mu)
      kernel.links[0][mu] = kernel.links[1][mu] = links.of(grid, mu).view();
    kernel.psi = in.view();
    kernel.source = in.view();
    kernel.out = out.view();
    kernel.hop = dagger ? -0.5 : 0.5;
    kernel.diagonal = mass;
    kernel.boundary[3] = -1;
    Program(queue, lattice::StoredCall<Staggered<double>>{kernel, grid}).run();
    Colours result(places);
    out.visit(queue, [&](const int(&x)[4], int, const ColourVector<double>& v) {
      result[place_of(x)] = v;
    });
    return result;
  }
  static ColourMatrix<double> random_link(const int (&x)[4], int mu) {
    return random_su3(9, static_cast<std::int64_t>(4 * place_of(x)) + mu);
  }
};

TEST_P(StaggeredOn, IsHermitianUnderEpsilon) {
  const Colours psi = random_colours(1), phi = random_colours(2);
  const Number there = dot_of(phi, apply(random_link, psi, 0.1));
  EXPECT_LT(std::abs(there - dot_of(apply(random_link, phi, 0.1, true), psi)), 1e-11);
  const auto epsilon = [](Colours x) {
    for_sites([&](const int(&at)[4]) {
      if ((at[0] + at[1] + at[2] + at[3]) % 2 != 0) x[place_of(at)] = -1.0 * x[place_of(at)];
    });
    return x;
  };
  EXPECT_LT(most_apart(epsilon(apply(random_link, epsilon(psi), 0.1)),
                       apply(random_link, psi, 0.1, true)),
            1e-13);
}

TEST_P(StaggeredOn, FreeFieldSquaresToSinesAtEveryMomentum) {
  const auto unit = [](const int(&)[4], int) {
    ColourMatrix<double> one{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        one(i, j) = {i == j ? 1.0 : 0.0, 0.0};
    return one;
  };
  const double mass = 0.3;
  for_sites([&](const int(&k)[4]) {
    if (k[0] > 2 || k[1] > 3) return; // the others are their conjugates
    double p[4], square = mass * mass;
    for (int mu = 0; mu < 4; ++mu) {
      p[mu] = std::numbers::pi * (2 * k[mu] + (mu == 3 ? 1 : 0)) / lattice_size[mu];
      square += std::sin(p[mu]) * std::sin(p[mu]);
    }
    Colours wave(places), right(places);
    for_sites([&](const int(&x)[4]) {
      double phase = 0;
      for (int mu = 0; mu < 4; ++mu)
        phase += p[mu] * x[mu];
      for (int c = 0; c < 3; ++c) {
        wave[place_of(x)](c) = {(1.0 + c) * std::cos(phase), (1.0 + c) * std::sin(phase)};
        right[place_of(x)](c) = square * wave[place_of(x)](c);
      }
    });
    EXPECT_LT(most_apart(apply(unit, apply(unit, wave, mass), mass, true), right), 1e-13);
  });
}

TEST_P(StaggeredOn, TurnsWithTheGauge) {
  const auto turn = [](const int(&x)[4]) {
    return random_su3(21, static_cast<std::int64_t>(place_of(x)));
  };
  const auto turned_link = [&](const int(&x)[4], int mu) {
    int y[4] = {x[0], x[1], x[2], x[3]};
    y[mu] = (x[mu] + 1) % lattice_size[mu];
    return turn(x) * random_link(x, mu) * adj(turn(y));
  };
  const auto turned = [&](const Colours& psi) {
    Colours result(places);
    for_sites([&](const int(&x)[4]) { result[place_of(x)] = turn(x) * psi[place_of(x)]; });
    return result;
  };
  const Colours psi = random_colours(1);
  EXPECT_LT(most_apart(apply(turned_link, turned(psi), 0.1), turned(apply(random_link, psi, 0.1))),
            1e-12);
}

INSTANTIATE_TEST_SUITE_P(Here, StaggeredOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(CloverTerm, TurnsWithTheGaugeAndVanishesOnUnitLinks) {
  const Extents extents{lattice_size[0], lattice_size[1], lattice_size[2], lattice_size[3]};
  HostLinks links(4 * places), turned(4 * places), unit(4 * places);
  const auto turn = [](const int(&x)[4]) {
    return random_su3(21, static_cast<std::int64_t>(place_of(x)));
  };
  for_sites([&](const int(&x)[4]) {
    for (int mu = 0; mu < 4; ++mu) {
      const std::size_t i = 4 * place_of(x) + static_cast<std::size_t>(mu);
      int y[4] = {x[0], x[1], x[2], x[3]};
      y[mu] = (x[mu] + 1) % lattice_size[mu];
      links[i] = random_su3(9, static_cast<std::int64_t>(i));
      turned[i] = turn(x) * links[i] * adj(turn(y));
      unit[i] = random_su3(1, 1) * adj(random_su3(1, 1));
    }
  });
  const CloverTerm one = clover_term(extents, links, 0.7, 1.3),
                   two = clover_term(extents, turned, 0.7, 1.3),
                   none = clover_term(extents, unit, 0.7, 1.3), back = inverse(one);
  double size = 0;
  for_sites([&](const int(&x)[4]) {
    const std::size_t i = place_of(x);
    const auto psi = random_colours(3);
    std::array<Complex<double>, 6> v, gv;
    const auto rotate = [&](const std::array<Complex<double>, 6>& from) {
      std::array<Complex<double>, 6> to;
      for (std::size_t spin = 0; spin < 2; ++spin) {
        ColourVector<double> part;
        for (int c = 0; c < 3; ++c)
          part(c) = from[3 * spin + static_cast<std::size_t>(c)];
        part = turn(x) * part;
        for (int c = 0; c < 3; ++c)
          to[3 * spin + static_cast<std::size_t>(c)] = part(c);
      }
      return to;
    };
    for (std::size_t c = 0; c < 6; ++c)
      v[c] = psi[(i + c / 3) % places](static_cast<int>(c % 3));
    gv = rotate(v);
    for (const auto side : {&CloverTerm::upper, &CloverTerm::lower}) {
      const auto left = product((two.*side)[i], gv), right = rotate(product((one.*side)[i], v));
      const auto same = product((back.*side)[i], product((one.*side)[i], v));
      const auto plain = product((none.*side)[i], v);
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(left[c].re, right[c].re, 1e-13);
        EXPECT_NEAR(left[c].im, right[c].im, 1e-13);
        EXPECT_NEAR(same[c].re, v[c].re, 1e-10);
        EXPECT_NEAR(plain[c].im, 0.7 * v[c].im, 1e-14);
        size = std::max(size, std::abs(right[c].re - 0.7 * gv[c].re));
      }
    }
  });
  EXPECT_GT(size, 0.1) << "there is no term";
}

} // namespace
} // namespace ridge::gauge
