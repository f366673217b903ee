// Molecular dynamics of links: forces beside finite differences of the action, momenta's density,
// reversibility, and the order of the integrators; on every device.
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/hmc.hpp>
#include <ridge/gauge/hmc_clover.hpp>
#include <ridge/gauge/host_links.hpp>

#include "lattice/support.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ridge::gauge {
namespace {

using Matrices = std::vector<lattice::ColourMatrix<double>>;
using Configuration = std::vector<Matrices>; // of four directions

class HmcOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  lattice::Lattice lattice{{4, 2, 4, 6}};
  Links<double> links = random_links(queue, lattice, 3, 0.3);
  HmcOptions options{.beta = 5.7, .steps = 8, .seed = 5};

  void SetUp() override {
    Heatbath heatbath(queue, links, {.beta = 5.7, .relaxations = 0});
    for (int i = 0; i < 5; ++i)
      heatbath.sweep();
    queue.wait();
  }
  Configuration get(const Links<double>& from) {
    Configuration all;
    for (const auto& field : from)
      all.push_back(field.get(queue));
    return all;
  }
  void set(Links<double>& to, const Configuration& from) {
    for (std::size_t mu = 0; mu < 4; ++mu)
      to[mu].set(queue, from[mu]);
  }
  static Configuration zeros(const Configuration& like) {
    return Configuration(4, Matrices(like[0].size()));
  }
  template <class F>
  static void for_all(const Configuration& a, const F& f) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t i = 0; i < a[mu].size(); ++i) {
        for (int c = 0; c < 9; ++c)
          f(mu, i, c);
      }
    }
  }
  /// Re tr a^+ b, of all links.
  static double inner(const Configuration& a, const Configuration& b) {
    double sum = 0;
    for_all(a, [&](std::size_t mu, std::size_t i, int c) {
      const auto &x = component(a[mu][i], c), &y = component(b[mu][i], c);
      sum += x.re * y.re + x.im * y.im;
    });
    return sum;
  }
  static double distance(const Configuration& a, const Configuration& b) {
    double worst = 0;
    for_all(a, [&](std::size_t mu, std::size_t i, int c) {
      const auto &x = component(a[mu][i], c), &y = component(b[mu][i], c);
      worst = std::max({worst, std::abs(x.re - y.re), std::abs(x.im - y.im)});
    });
    return worst;
  }
  static Configuration negated(Configuration a) {
    for (auto& sites : a) {
      for (auto& m : sites) {
        for (int c = 0; c < 9; ++c)
          component(m, c) = {-component(m, c).re, -component(m, c).im};
      }
    }
    return a;
  }
  static double action(Hmc& hmc) {
    const Energy all = hmc.energy();
    return all.sum() - all.momenta;
  }
  /// dS / dt of links exp(t direction) U, by central differences of steps h.
  double central_difference(Hmc& hmc, const Configuration& direction, double h) {
    const Configuration base = get(links);
    const auto at = [&](double t) {
      set(links, base);
      set(hmc.momenta(), direction);
      hmc.move(t);
      return action(hmc);
    };
    const double slope = (at(h) - at(-h)) / (2 * h);
    set(links, base);
    return slope;
  }
  /// By differences of fourth order.
  double difference(Hmc& hmc, const Configuration& direction) {
    constexpr double h = 2e-3;
    return (4 * central_difference(hmc, direction, h) - central_difference(hmc, direction, 2 * h)) /
           3;
  }
  /// Likewise from the force: K + S is constant, K = - tr P P.
  double by_force(Hmc& hmc, const Configuration& direction) {
    set(hmc.momenta(), zeros(direction));
    hmc.kick(1);
    return -2 * inner(direction, get(hmc.momenta()));
  }
  void expect_force(Hmc& hmc, const std::vector<std::size_t>& directions) {
    hmc.draw();
    const Configuration everywhere = get(hmc.momenta());
    EXPECT_NEAR(by_force(hmc, everywhere) / difference(hmc, everywhere), 1, 5e-8);
    for (const std::size_t mu : directions) {
      Configuration one = zeros(everywhere);
      const std::size_t i = (37 * mu + 11) % everywhere[mu].size();
      one[mu][i] = everywhere[mu][i];
      const double expected = difference(hmc, one);
      EXPECT_GT(std::abs(expected), 1e-3);
      EXPECT_NEAR(by_force(hmc, one) / expected, 1, 1e-6) << "direction " << mu;
    }
  }
  void expect_reversible(Hmc& hmc) {
    const Configuration begin = get(links);
    hmc.draw();
    const double start = hmc.energy().sum();
    hmc.integrate();
    EXPECT_GT(distance(begin, get(links)), 0.1);
    set(hmc.momenta(), negated(get(hmc.momenta())));
    hmc.integrate();
    EXPECT_LT(distance(begin, get(links)), 1e-12);
    EXPECT_NEAR(hmc.energy().sum() / start, 1, 1e-12);
  }
  /// dH of the first trajectory in so many steps; links stay.
  double change(HmcOptions with, Integrator integrator, int steps) {
    with.integrator = integrator;
    with.steps = steps;
    const Configuration begin = get(links);
    Hmc hmc(queue, links, with);
    hmc.draw();
    const double start = hmc.energy().sum();
    hmc.integrate();
    const double end = hmc.energy().sum();
    set(links, begin);
    return end - start;
  }
  /// Half the step, a quarter of dH. The size of it in steps of the larger size.
  double expect_second_order(const HmcOptions& with, Integrator integrator, int steps) {
    const double rough = change(with, integrator, steps);
    const double fine = change(with, integrator, 2 * steps);
    EXPECT_NEAR(rough / fine, 4, 0.6);
    return std::abs(rough);
  }
};

/// Conjugate gradients take long on emulated devices.
class HmcOnFew : public HmcOn {};
class HmcOnCpu : public HmcOn {};

TEST_P(HmcOn, GaugeForceIsTheDerivativeOfTheAction) {
  Hmc hmc(queue, links, options);
  expect_force(hmc, {0, 1, 2, 3});
}

TEST_P(HmcOnFew, FermionForceIsTheDerivativeOfTheAction) {
  // Far from 0 against the gauge force, which is checked above.
  options.kappa = 0.15;
  options.beta = 0;
  options.force_tolerance = options.action_tolerance = 1e-13;
  Hmc hmc(queue, links, options);
  expect_force(hmc, {1, 3});
}

TEST_P(HmcOnCpu, FermionForceOfWholeLatticesIsTheDerivativeToo) {
  lattice = lattice::Lattice({3, 4, 2, 4});
  links = random_links(queue, lattice, 3, 0.3);
  options.kappa = 0.12;
  options.beta = 0;
  options.force_tolerance = options.action_tolerance = 1e-13;
  Hmc hmc(queue, links, options);
  expect_force(hmc, {1, 3});
}

TEST_P(HmcOn, CloverTermIsThatOfTheHost) {
  constexpr double kappa = 0.13, csw = 1.7;
  using Site = CloverSite<double>;
  lattice::Field<Site> term(device, lattice, "term"), inverse(device, lattice, "inverse");
  lattice::Field<Complex<double>> log(device, lattice, "log");
  inverse.set(queue, std::vector<Site>(static_cast<std::size_t>(lattice.sites()), Site{}));
  MakeCloverTerm make;
  for (std::size_t mu = 0; mu < 4; ++mu)
    make.links[mu] = links[mu].view();
  make.term = term.view();
  make.factor = kappa * csw;
  using Like = lattice::ColourMatrix<double>;
  constexpr auto all = lattice::Subset::all;
  run_once(queue, lattice::SiteLoopCall<Like, MakeCloverTerm>{links[0].view(), make, all});
  InvertCloverTerm invert{term.view(), inverse.view(), log.view(), {}};
  invert.chosen.box =
      lattice::RankLattice(lattice.extents(), {1, 1, 1, 1}, 0, 1, lattice.width()).owned();
  run_once(queue, lattice::SiteLoopCall<Like, InvertCloverTerm>{links[0].view(), invert, all});
  const CloverTerm host = clover_term(lattice.extents(), to_host(queue, links), 1, 2 * kappa * csw);
  const CloverTerm inverted = ridge::gauge::inverse(host);
  const std::vector<Site> made = term.get(queue), found = inverse.get(queue);
  double worst = 0, least = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (int c = 0; c < 36; ++c) {
      const auto of = [c, i](const CloverTerm& t) {
        return component(c < 18 ? t.upper[i] : t.lower[i], c % 18);
      };
      const auto apart = [](const Complex<double>& a, const Complex<double>& b) {
        return std::max(std::abs(a.re - b.re), std::abs(a.im - b.im));
      };
      worst = std::max({worst, apart(component(made[i], c), of(host)),
                        apart(component(found[i], c), of(inverted))});
      least = std::max(least, apart(of(host), of(inverted)));
    }
  }
  EXPECT_LT(worst, 1e-13);
  EXPECT_GT(least, 0.1);
}

TEST_P(HmcOnCpu, CloverForceIsTheDerivativeOfTheAction) {
  options.kappa = 0.13;
  options.csw = 1.7;
  options.beta = 0;
  options.force_tolerance = options.action_tolerance = 1e-13;
  Hmc hmc(queue, links, options);
  expect_force(hmc, {1, 3});
  const Configuration direction = get(hmc.momenta());
  const double slope = by_force(hmc, direction);
  const auto error = [&](double h) { return central_difference(hmc, direction, h) - slope; };
  EXPECT_NEAR(error(0.04) / error(0.02), 4, 0.1);
}

TEST_P(HmcOnCpu, CloverForceOfWholeLatticesIsTheDerivativeToo) {
  lattice = lattice::Lattice({3, 4, 2, 4});
  links = random_links(queue, lattice, 3, 0.3);
  options.kappa = 0.11;
  options.csw = 1.2;
  options.beta = 0;
  options.force_tolerance = options.action_tolerance = 1e-13;
  Hmc hmc(queue, links, options);
  expect_force(hmc, {0, 2});
}

TEST_P(HmcOn, PseudofermionsHaveTheActionOfTheirGaussianNumbers) {
  options.kappa = 0.15;
  Hmc hmc(queue, links, options);
  hmc.draw();
  // |eta|^2 of 12 complex numbers an even site: a sum of as many exponential ones.
  const double count = 12.0 * 4 * 2 * 4 * 6 / 2;
  EXPECT_NEAR(hmc.energy().fermions, count, 4 * std::sqrt(count));
}

TEST_P(HmcOnCpu, FermionsGoBackTheWayTheyCame) {
  options.kappa = 0.15;
  options.steps = 4;
  options.gauge_steps = 2;
  Hmc hmc(queue, links, options);
  expect_reversible(hmc);
}

TEST_P(HmcOnCpu, CloverFermionsGoBackTheWayTheyCame) {
  options.kappa = 0.13;
  options.csw = 1.7;
  options.steps = 4;
  options.gauge_steps = 2;
  options.force_tolerance = 1e-12; // 1e-8 goes back to 1e-9 alone
  Hmc hmc(queue, links, options);
  expect_reversible(hmc);
}

TEST_P(HmcOnCpu, IntegratorsAreOfSecondOrderWithFermions) {
  options.kappa = 0.13;
  options.csw = 1.7;
  options.length = 0.5;
  options.gauge_steps = 1;
  options.force_tolerance = options.action_tolerance = 1e-10;
  (void)expect_second_order(options, Integrator::leapfrog, 10);
}

TEST_P(HmcOn, SaysWhereFermionsDoNotConvergeAndLeavesTheLinks) {
  options.kappa = 0.15;
  options.most_iterations = 3;
  const Configuration begin = get(links);
  Hmc hmc(queue, links, options);
  EXPECT_THROW((void)hmc.trajectory(), Failure);
  EXPECT_EQ(distance(begin, get(links)), 0);
}

TEST_P(HmcOnCpu, EndsBetweenLaunchesAndLeavesTheLinks) {
  struct Ended {};
  const Configuration before = get(links);
  for (const auto kappa : {std::optional<double>(), std::optional(0.1)}) {
    options.kappa = kappa;
    int calls = 0;
    options.between = [&calls] {
      if (++calls == 40) throw Ended{};
    };
    Hmc hmc(queue, links, options);
    EXPECT_THROW((void)hmc.trajectory(true), Ended);
    EXPECT_EQ(calls, 40);
    EXPECT_EQ(hmc.trajectories(), 0U);
    EXPECT_EQ(distance(get(links), before), 0);
  }
}

TEST_P(HmcOn, MomentaAreGaussianAntihermitianAndTraceless) {
  Hmc hmc(queue, links, options);
  hmc.draw();
  const Configuration p = get(hmc.momenta());
  double square = 0, fourth = 0;
  for (const auto& sites : p) {
    for (const auto& m : sites) {
      double trace = 0;
      for (int i = 0; i < 3; ++i) {
        trace += m(i, i).im;
        for (int j = 0; j < 3; ++j) {
          EXPECT_EQ(m(i, j).re, -m(j, i).re);
          EXPECT_EQ(m(i, j).im, m(j, i).im);
        }
      }
      EXPECT_NEAR(trace, 0, 1e-15);
      const double along = 2 * m(0, 1).im; // p_1
      square += along * along;
      fourth += along * along * along * along;
    }
  }
  const double links_of_lattice = 4.0 * 4 * 2 * 4 * 6;
  EXPECT_NEAR(square / links_of_lattice, 1, 4 * std::sqrt(2 / links_of_lattice));
  EXPECT_NEAR(fourth / links_of_lattice, 3, 4 * std::sqrt(96 / links_of_lattice));
  // Half of 8 numbers a link.
  EXPECT_NEAR(hmc.energy().momenta / (4 * links_of_lattice), 1,
              4 * std::sqrt(1 / (4 * links_of_lattice)));
  hmc.draw();
  EXPECT_EQ(distance(p, get(hmc.momenta())), 0);
  (void)hmc.trajectory();
  hmc.draw();
  EXPECT_GT(distance(p, get(hmc.momenta())), 0.5);
}

TEST_P(HmcOn, GoesBackTheWayItCame) {
  Hmc hmc(queue, links, options);
  expect_reversible(hmc);
}

TEST_P(HmcOn, IntegratorsAreOfSecondOrder) {
  options.length = 0.5;
  const double leapfrog = expect_second_order(options, Integrator::leapfrog, 16);
  EXPECT_GT(leapfrog, 4 * expect_second_order(options, Integrator::omelyan, 16));
}

TEST_P(HmcOn, RejectedTrajectoriesLeaveTheLinks) {
  options.steps = 1;
  options.length = 3;
  const Configuration begin = get(links);
  Hmc hmc(queue, links, options);
  const Trajectory last = hmc.trajectory();
  EXPECT_GT(last.energy_change, 50);
  EXPECT_FALSE(last.accepted);
  EXPECT_EQ(distance(begin, get(links)), 0);
  EXPECT_DOUBLE_EQ(last.plaquette, hmc.plaquette());
  EXPECT_TRUE(hmc.trajectory(true).accepted);
  EXPECT_GT(distance(begin, get(links)), 0.1);
  EXPECT_EQ(hmc.trajectories(), 2u);
}

TEST_P(HmcOn, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(Hmc(queue, links, {.beta = -1}), UsageError);
  EXPECT_THROW(Hmc(queue, links, {.length = 0}), UsageError);
  EXPECT_THROW(Hmc(queue, links, {.steps = 0}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, HmcOn, ::testing::ValuesIn(lattice::test::devices_here()),
                         lattice::test::DeviceName{});
INSTANTIATE_TEST_SUITE_P(Here, HmcOnFew, ::testing::Values("cpu", "simt:32"),
                         lattice::test::DeviceName{});
INSTANTIATE_TEST_SUITE_P(Here, HmcOnCpu, ::testing::Values("cpu"), lattice::test::DeviceName{});

} // namespace
} // namespace ridge::gauge
