// The clover term.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/reference.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <utility>

namespace ridge::gauge {

namespace clover {

using Z = std::complex<double>;
using Matrix = lattice::ColourMatrix<double>;
using Square = std::array<std::array<Z, 6>, 6>;

struct Walker {
  const Extents& extents;
  const HostLinks& links;

  /// The site a step along mu, forwards or backwards.
  [[nodiscard]] Index step(Index site, int mu, int by) const {
    Index stride = 1;
    for (int d = 0; d < mu; ++d)
      stride *= extents[d];
    const Index n = extents[mu];
    const Index x = site / stride % n;
    return site + ((x + by + n) % n - x) * stride;
  }
  [[nodiscard]] const Matrix& link(Index site, int mu) const {
    return links[static_cast<std::size_t>(4 * site + mu)];
  }
  /// The product along a step of sign `by`, which moves `site`.
  [[nodiscard]] Matrix move(Index& site, int mu, int by) const {
    const Index from = site;
    site = step(site, mu, by);
    return by > 0 ? link(from, mu) : adj(link(site, mu));
  }
  /// The four leaves around a site in a plane.
  [[nodiscard]] Matrix leaves(Index site, int mu, int nu) const {
    Matrix sum{};
    for (int c = 0; c < 9; ++c)
      component(sum, c) = {0, 0};
    const std::pair<int, int> turns[4] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    for (const auto& [a, b] : turns) {
      // All leaves turn from mu to nu: where only one of both is backwards, nu comes first.
      const bool first_mu = a * b > 0;
      const int d0 = first_mu ? mu : nu, d1 = first_mu ? nu : mu;
      const int s0 = first_mu ? a : b, s1 = first_mu ? b : a;
      Index at = site;
      const Matrix one = move(at, d0, s0);
      const Matrix two = move(at, d1, s1);
      const Matrix three = move(at, d0, -s0);
      const Matrix four = move(at, d1, -s1);
      sum = sum + one * two * three * four;
    }
    return sum;
  }
};

CloverBlock<double> packed(const Square& a) {
  CloverBlock<double> block{};
  for (std::size_t i = 0; i < 6; ++i) {
    auto& pair = block(static_cast<int>(i) / 2);
    (i % 2 == 0 ? pair.re : pair.im) = a[i][i].real();
    for (std::size_t j = 0; j < i; ++j)
      block(clover_place(static_cast<int>(i), static_cast<int>(j))) = {a[i][j].real(),
                                                                       a[i][j].imag()};
  }
  return block;
}

Square unpacked(const CloverBlock<double>& block) {
  Square a;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& pair = block(static_cast<int>(i) / 2);
    a[i][i] = i % 2 == 0 ? pair.re : pair.im;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& z = block(clover_place(static_cast<int>(i), static_cast<int>(j)));
      a[i][j] = {z.re, z.im};
      a[j][i] = std::conj(a[i][j]);
    }
  }
  return a;
}

/// Gauss and Jordan with pivots; false for a singular matrix.
bool invert(Square& a) {
  Square inverse{};
  for (std::size_t i = 0; i < 6; ++i)
    inverse[i][i] = 1;
  for (std::size_t k = 0; k < 6; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < 6; ++i)
      pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
    if (!(std::abs(a[pivot][k]) > 1e-12)) return false;
    std::swap(a[pivot], a[k]);
    std::swap(inverse[pivot], inverse[k]);
    const Z by = 1.0 / a[k][k];
    for (std::size_t j = 0; j < 6; ++j) {
      a[k][j] *= by;
      inverse[k][j] *= by;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == k) continue;
      const Z times = a[i][k];
      for (std::size_t j = 0; j < 6; ++j) {
        a[i][j] -= times * a[k][j];
        inverse[i][j] -= times * inverse[k][j];
      }
    }
  }
  a = inverse;
  return true;
}

/// Calls f(i) for i in [0, count), on all threads.
template <class F>
void on_all(std::size_t count, const F& f) {
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(static_cast<Index>(count), thread, threads);
    for (Index i = mine.begin; i < mine.end; ++i)
      f(static_cast<std::size_t>(i));
  });
}

} // namespace clover

CloverTerm clover_term(const Extents& extents, const HostLinks& links, double diagonal,
                       double factor) {
  const clover::Walker walker{extents, links};
  CloverTerm term;
  term.upper.resize(static_cast<std::size_t>(extents.count()));
  term.lower.resize(term.upper.size());
  clover::on_all(term.upper.size(), [&](std::size_t site) {
    clover::Square blocks[2] = {};
    for (std::size_t i = 0; i < 6; ++i)
      blocks[0][i][i] = blocks[1][i][i] = diagonal;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t nu = mu + 1; nu < 4; ++nu) {
        const auto q =
            walker.leaves(static_cast<Index>(site), static_cast<int>(mu), static_cast<int>(nu));
        const auto anti = q - adj(q);
        for (std::size_t spin = 0; spin < 4; ++spin) { // row `spin` of gamma_mu gamma_nu
          const auto between = static_cast<std::size_t>(gammas()[mu].column[spin]);
          const auto column = static_cast<std::size_t>(gammas()[nu].column[between]);
          const clover::Z value =
              -0.5 * factor * gammas()[mu].value[spin] * gammas()[nu].value[between];
          auto& block = blocks[spin / 2];
          for (std::size_t r = 0; r < 3; ++r) {
            for (std::size_t c = 0; c < 3; ++c) {
              const auto& f = anti(static_cast<int>(r), static_cast<int>(c));
              block[spin % 2 * 3 + r][column % 2 * 3 + c] += value * clover::Z(f.re, f.im) / 8.0;
            }
          }
        }
      }
    }
    term.upper[site] = clover::packed(blocks[0]);
    term.lower[site] = clover::packed(blocks[1]);
  });
  return term;
}

CloverTerm inverse(const CloverTerm& term) {
  CloverTerm result = term;
  std::atomic<bool> singular = false;
  clover::on_all(term.upper.size(), [&](std::size_t site) {
    for (auto* const block : {&result.upper[site], &result.lower[site]}) {
      clover::Square a = clover::unpacked(*block);
      if (!clover::invert(a)) singular = true;
      *block = clover::packed(a);
    }
  });
  if (singular) throw Failure("the clover term is singular at a site: try another kappa or csw");
  return result;
}

std::array<lattice::Complex<double>, 6> product(const CloverBlock<double>& block,
                                                const std::array<lattice::Complex<double>, 6>& x) {
  const clover::Square a = clover::unpacked(block);
  std::array<lattice::Complex<double>, 6> y;
  for (std::size_t i = 0; i < 6; ++i) {
    clover::Z sum = 0;
    for (std::size_t j = 0; j < 6; ++j)
      sum += a[i][j] * clover::Z(x[j].re, x[j].im);
    y[i] = {sum.real(), sum.imag()};
  }
  return y;
}

} // namespace ridge::gauge
