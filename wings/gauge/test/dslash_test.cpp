// Operators on stored fields, against whole gamma matrices on the host: every storage, whole and
// half lattices, four dimensions and five, awkward extents, every device.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/even_odd_cg.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>

namespace ridge::gauge {
namespace {

using lattice::Coordinates;
using lattice::Fixed16;
using lattice::SiteGrid;
using lattice::Sites;
using lattice::StoredGpuSchedule;
using Four = std::array<int, 4>;

/// Random links and spinors of a lattice as functions of the place.
struct World {
  Four n;
  Four boundary{1, 1, 1, 1};

  [[nodiscard]] std::int64_t site(const Coordinates& x) const {
    return x[0] + n[0] * (x[1] + n[1] * (x[2] + std::int64_t{n[2]} * x[3]));
  }
  [[nodiscard]] const ColourMatrix<double>& link(const Coordinates& x, int mu) const {
    static const auto some = [] {
      std::array<ColourMatrix<double>, 251> links;
      for (std::size_t i = 0; i < links.size(); ++i)
        links[i] = random_su3(7, static_cast<std::int64_t>(i));
      return links;
    }();
    return some[static_cast<std::size_t>(site(x) * 4 + mu) % some.size()];
  }
  [[nodiscard]] Spinor<double> spinor(const Coordinates& x, int s, int seed) const {
    Spinor<double> psi;
    const std::int64_t first = (s * (std::int64_t{1} << 30) + site(x)) * 24;
    for (int c = 0; c < 12; ++c)
      component(psi, c) = {random_value(static_cast<std::uint64_t>(seed), first + 2 * c),
                           random_value(static_cast<std::uint64_t>(seed), first + 2 * c + 1)};
    return psi;
  }
  [[nodiscard]] Expected hop(const Coordinates& x, int s, bool dagger) const {
    return reference_hopping(
        n, x, dagger,
        [&](int mu, const Coordinates& at) {
          HostLink u;
          const auto m = static_cast<std::size_t>(mu);
          const double factor = at[mu] == n[m] - 1 ? boundary[m] : 1;
          const auto l = link(at, mu);
          for (int c = 0; c < 9; ++c)
            u[static_cast<std::size_t>(c)] =
                factor * std::complex(component(l, c).re, component(l, c).im);
          return u;
        },
        [&](const Coordinates& at) { return host(spinor(at, s, 1)); });
  }
  static HostSpinor host(const Spinor<double>& psi) {
    HostSpinor h;
    for (int c = 0; c < 12; ++c)
      h[static_cast<std::size_t>(c)] = {component(psi, c).re, component(psi, c).im};
    return h;
  }
};

Coordinates at(const int (&x)[4]) {
  Coordinates c;
  for (int d = 0; d < 4; ++d)
    c[d] = x[d];
  return c;
}

Extents extents_of(const Four& n) {
  return {n[0], n[1], n[2], n[3]};
}

struct Numbers {
  double hop = 1, diagonal = 0, walls = 0, mass = 0;
  bool dagger = false;
};

class DslashOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};

  /// The largest error of the operator on the sites of `result`, relative to the magnitudes of what
  /// a number adds up.
  template <class Number, int Reals>
  double worst(const World& w, Sites result, const Numbers& n, int inner = 1,
               const std::optional<StoredGpuSchedule>& schedule = {}) {
    constexpr int bytes = sizeof(typename Dslash<Number, Reals>::Real);
    const SiteGrid grid = site_grid(device, extents_of(w.n), result, bytes, inner);
    SiteGrid other = grid;
    if (grid.half != 0) other.parity = 1 - grid.parity;
    std::vector<SiteGrid> grids{grid};
    if (grid.half != 0) grids.push_back(other);
    const StoredLinks<Number, Reals> links(
        queue, grids, [&](const int(&x)[4], int mu) { return w.link(at(x), mu); });
    StoredFermion<Number> psi(device, other, "psi"), source(device, grid, "source"),
        out(device, grid, "out");
    psi.fill(queue, [&](const int(&x)[4], int s) { return w.spinor(at(x), s, 1); });
    source.fill(queue, [&](const int(&x)[4], int s) { return w.spinor(at(x), s, 2); });
    fill_bytes(queue, out.view().elements.data, 0xff, out.bytes());
    auto call = n.diagonal != 0 ? dslash_call(out, links, psi, source, n.diagonal, n.hop, n.dagger)
                                : dslash_call(out, links, psi, n.dagger);
    using Real = typename Dslash<Number, Reals>::Real;
    call.kernel.walls = static_cast<Real>(n.walls);
    call.kernel.mass = static_cast<Real>(n.mass);
    for (std::size_t mu = 0; mu < 4; ++mu)
      call.kernel.boundary[mu] = static_cast<Real>(w.boundary[mu]);
    if (schedule) {
      Program(queue, call, *schedule).run();
    } else {
      Program(queue, call).run();
    }
    double worst = 0;
    std::mutex guard;
    std::atomic<Index> seen = 0;
    out.visit(queue, [&](const int(&x)[4], int s, const Spinor<double>& got) {
      Expected right = w.hop(at(x), s, n.dagger);
      if (grid.half != 0) {
        ASSERT_EQ((x[0] + x[1] + x[2] + x[3]) % 2, grid.parity);
      }
      const auto add = [&](int to, double factor, int first, int last) {
        const auto more = World::host(w.spinor(at(x), to, 2));
        for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
          right.value[c] += factor * more[c];
          right.scale[c] += std::abs(factor) * size_of(more[c]);
        }
      };
      if (n.diagonal != 0) {
        for (auto& v : right.value)
          v *= n.hop;
        add(s, n.diagonal, 0, 12);
      }
      if (n.walls != 0) {
        const int by = n.dagger ? -1 : 1;
        const auto wall = [&](int to) { return n.walls * (to < 0 || to >= inner ? -n.mass : 1); };
        add((s - by + inner) % inner, wall(s - by), 0, 6);
        add((s + by + inner) % inner, wall(s + by), 6, 12);
      }
      const std::lock_guard lock(guard);
      ++seen;
      const auto value = World::host(got);
      for (std::size_t c = 0; c < 12; ++c) {
        const double error = size_of(value[c] - right.value[c]) / right.scale[c];
        worst = error <= worst ? worst : error; // NaN, too
      }
    });
    EXPECT_EQ(seen.load(), grid.sites() * inner);
    return worst;
  }
};

constexpr double fp64 = 1e-15, fp32 = 3e-7, fixed16 = 6e-5;

TEST_P(DslashOn, EqualsWholeGammaMatricesOnWholeLattices) {
  for (const Four& n : {Four{4, 6, 8, 10}, Four{3, 5, 1, 7}, Four{16, 4, 4, 4}}) {
    for (const bool dagger : {false, true}) {
      const World w{n, {1, 1, -1, -1}};
      EXPECT_LT((worst<double, 18>(w, Sites::all, {1, 0, 0, 0, dagger})), fp64);
      EXPECT_LT((worst<double, 12>(w, Sites::all, {-0.5, 4.1, 0, 0, dagger})), fp64);
      EXPECT_LT((worst<float, 18>(w, Sites::all, {-0.5, 4.1, 0, 0, dagger})), fp32);
    }
  }
}

TEST_P(DslashOn, EqualsWholeGammaMatricesOnHalfLattices) {
  for (const Four& n :
       {Four{4, 6, 8, 10}, Four{2, 2, 2, 2}, Four{6, 2, 10, 2}, Four{16, 4, 4, 8}}) {
    for (const Sites sites : {Sites::even, Sites::odd}) {
      const World w{n, {-1, 1, 0, -1}};
      EXPECT_LT((worst<double, 18>(w, sites, {})), fp64);
      EXPECT_LT((worst<double, 12>(w, sites, {1, 0, 0, 0, true})), fp64);
      EXPECT_LT((worst<float, 18>(w, sites, {-0.3, 0.7, 0, 0, false})), fp32);
      EXPECT_LT((worst<Fixed16, 12>(w, sites, {-0.3, 0.7, 0, 0, true})), fixed16);
    }
  }
}

TEST_P(DslashOn, HasAFifthDimension) {
  const World w{{4, 6, 2, 4}, {1, 1, 1, -1}};
  for (const bool dagger : {false, true}) {
    EXPECT_LT((worst<float, 18>(w, Sites::odd, {1, 0, 0, 0, dagger}, 16)), fp32);
    EXPECT_LT((worst<float, 18>(w, Sites::all, {-0.5, 3.2, -1, 0.1, dagger}, 16)), fp32);
    if (device.kind() != DeviceKind::cpu) continue; // compiled for 16 values on GPUs
    for (const int inner : {2, 7, 12})
      EXPECT_LT((worst<double, 12>(w, Sites::all, {-0.5, 3.2, -1, 0.1, dagger}, inner)), fp64);
  }
}

TEST_P(DslashOn, GivesTheSameUnderOtherTilesAndSlabs) {
  if (device.kind() == DeviceKind::cpu) GTEST_SKIP() << "tiles are of GPUs";
  const World w{{4, 6, 8, 10}};
  for (const StoredGpuSchedule& s :
       {StoredGpuSchedule{{{1, 1, 1, 1}}}, StoredGpuSchedule{{{2, 4, 8, 4}}},
        StoredGpuSchedule{{{2, 2, 2, 2}}, {{2, 4, 4, 0}}},
        StoredGpuSchedule{{{1, 8, 1, 16}}, {{1, 2, 3, 4}}}})
    EXPECT_LT((worst<double, 18>(w, Sites::even, {}, 1, s)), fp64) << text::print(s);
}

/// Conjugate gradients with everything fused; the residual is computed anew from the solution.
TEST_P(DslashOn, SolvesByConjugateGradients) {
  for (const Four& n : {Four{4, 4, 4, 4}, Four{6, 2, 2, 2}}) { // the second without boxes on a cpu
    const SiteGrid even = site_grid(device, extents_of(n), Sites::even, 8);
    const SiteGrid odd = site_grid(device, extents_of(n), Sites::odd, 8);
    const World w{n};
    const StoredLinks<double, 12> links(queue, {even, odd}, [&](const int(&x)[4], int mu) {
      return random_su3(7, w.site(at(x)) * 4 + mu, 0.25);
    });
    const double kappa = 0.12;
    const std::array<double, 4> boundary{1, 1, 1, -1};
    const auto source = [&](const int(&x)[4], int s) { return w.spinor(at(x), s, 3); };
    EvenOddCg<double, 12> cg(queue, links, even, kappa, boundary);
    cg.residual().fill(queue, source);
    cg.start();
    double b2 = 0;
    cg.residual().visit(queue, [&, guard = std::make_shared<std::mutex>()](
                                   const int(&)[4], int, const Spinor<double>& v) {
      const std::lock_guard lock(*guard);
      for (int c = 0; c < 12; ++c)
        b2 += component(v, c).re * component(v, c).re + component(v, c).im * component(v, c).im;
    });
    EXPECT_NEAR(cg.rr() / b2, 1, 1e-13);
    for (int i = 0; i < 30 && cg.rr() > 1e-22 * b2; ++i)
      cg.iterate(5);
    EXPECT_LT(cg.rr(), 1e-22 * b2);
    // b - M^+ M x
    StoredFermion<double> t(device, odd), m(device, even), b(device, even), a(device, even);
    b.fill(queue, source);
    lattice::DeviceResult<double> left(device);
    const auto run = [&](auto call) {
      for (std::size_t mu = 0; mu < 4; ++mu)
        call.kernel.boundary[mu] = boundary[mu];
      Program(queue, call).run();
    };
    const double k2 = kappa * kappa;
    run(dslash_call(t, links, cg.solution()));
    run(dslash_call(m, links, t, cg.solution(), 1, -k2));
    run(dslash_call(t, links, m, true));
    auto last = dslash_call(a, links, t, b, 1, k2, true);
    last.kernel.other = m.view();
    last.kernel.also = -1;
    last.sum = left.doubles();
    run(last);
    EXPECT_LT(left.get(queue)[0] / b2, 1e-21);
  }
}

TEST_P(DslashOn, RefusesWhatDoesNotFit) {
  EXPECT_THROW((void)site_grid(device, Extents{4, 3, 4, 4}, Sites::even, 8), UsageError);
  EXPECT_THROW((void)site_grid(device, Extents{4, 4, 4}, Sites::all, 8), UsageError);
  EXPECT_THROW((void)site_grid(device, Extents{4, 4, 4, 4}, Sites::all, 8, 0), UsageError);
  const SiteGrid even = site_grid(device, Extents{4, 4, 4, 4}, Sites::even, 8);
  const SiteGrid odd = site_grid(device, Extents{4, 4, 4, 4}, Sites::odd, 8);
  const StoredLinks<double, 18> links(queue, {even, odd},
                                      [](const int(&)[4], int) { return random_su3(1, 1); });
  StoredFermion<double> a(device, even), b(device, even), c(device, odd);
  EXPECT_THROW((void)dslash_call(a, links, b), UsageError);
  EXPECT_NO_THROW((void)dslash_call(a, links, c));
  EXPECT_THROW((void)dslash_call(a, links, c, c, 1, 1), UsageError);
  auto overlapping = dslash_call(a, links, c);
  overlapping.kernel.out = c.view();
  EXPECT_THROW(Program(queue, overlapping), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, DslashOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::gauge
