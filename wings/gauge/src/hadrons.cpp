// Contractions of hadrons.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/reference.hpp>

#include <complex>

namespace ridge::gauge {

namespace hadrons {

using C = lattice::Complex<double>;
using Z = std::complex<double>;
using Dense = std::array<std::array<Z, 4>, 4>;

/// A matrix in spin with one number a row and column: row i has `value[i]` in column `column[i]`,
/// and column j its number in row `row[j]`.
struct Sparse {
  int column[4] = {}, row[4] = {};
  C value[4];

  explicit Sparse(const Dense& dense) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        if (dense[i][j] == Z(0)) continue;
        column[i] = static_cast<int>(j);
        row[j] = static_cast<int>(i);
        value[i] = {dense[i][j].real(), dense[i][j].imag()};
      }
    }
  }
};

Dense product(const Dense& a, const Dense& b) {
  Dense c{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k)
        c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}
template <class... More>
Dense product(const Dense& a, const Dense& b, const More&... more) {
  return product(product(a, b), more...);
}
Dense adjoint(const Dense& a) {
  Dense c{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j)
      c[i][j] = std::conj(a[j][i]);
  }
  return c;
}
Dense transposed(const Dense& a) {
  Dense c{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j)
      c[i][j] = a[j][i];
  }
  return c;
}

Dense gamma(std::size_t mu) {
  Dense dense{};
  const Gamma& g = gammas()[mu];
  for (std::size_t i = 0; i < 4; ++i)
    dense[i][static_cast<std::size_t>(g.column[i])] = g.value[i];
  return dense;
}
const Dense one = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
const Dense five = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}}};

/// tr A S B S^+, of which a meson is a mean with a sign.
struct Term {
  std::size_t meson;
  Sparse a, b;
  double weight;
};

constexpr const char* names[] = {
    "pseudoscalar",       "vector",  "scalar",          "axial", "axial_vector", "tensor",
    "axial_pseudoscalar", "nucleon", "nucleon_negative"};
constexpr std::size_t mesons = 7, count = 9;

std::vector<Term> meson_terms() {
  std::vector<Term> all;
  const Dense time = gamma(3);
  const auto add = [&](std::size_t meson, const Dense& sink, const Dense& source, double weight) {
    all.push_back({meson, Sparse(product(five, sink)),
                   Sparse(product(time, adjoint(source), time, five)), -weight});
  };
  const Dense axial = product(time, five);
  add(0, five, five, 1);
  add(2, one, one, 1);
  add(3, axial, axial, 1);
  add(6, axial, five, 1);
  for (std::size_t i = 0; i < 3; ++i) {
    const Dense of_axial = product(gamma(i), five), of_tensor = product(gamma(i), time);
    add(1, gamma(i), gamma(i), 1.0 / 3);
    add(4, of_axial, of_axial, 1.0 / 3);
    add(5, of_tensor, of_tensor, 1.0 / 3);
  }
  return all;
}

/// The propagator to a site: sink spin, source spin, sink colour, source colour.
struct Site {
  C s[4][4][3][3];

  Site(const PropagatorColumns& columns, Index site) {
    for (int from = 0; from < 12; ++from) {
      const Spinor<double>& x = columns[static_cast<std::size_t>(from)][site];
      for (int to = 0; to < 12; ++to)
        s[to / 3][from / 3][to % 3][from % 3] = component(x, to);
    }
  }
};

inline void add(C& sum, const C& a, const C& b) {
  sum.re += a.re * b.re - a.im * b.im;
  sum.im += a.re * b.im + a.im * b.re;
}

/// Re tr A S B S^+.
double meson(const Term& term, const Site& site) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const auto& x = site.s[term.a.column[i]][term.b.row[j]];
      const auto& y = site.s[i][j];
      C overlap(0.0);
      for (int c = 0; c < 9; ++c) {
        const C &p = x[c / 3][c % 3], &q = y[c / 3][c % 3];
        overlap.re += p.re * q.re + p.im * q.im;
        overlap.im += p.im * q.re - p.re * q.im;
      }
      const C phase = term.a.value[i] * term.b.value[term.b.row[j]];
      sum += phase.re * overlap.re - phase.im * overlap.im;
    }
  }
  return term.weight * sum;
}

/// sum_cc' += eps_abc eps_a'b'c' x_aa' y_bb'.
void add_diquark(C (&sum)[3][3], const C (&x)[3][3], const C (&y)[3][3]) {
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      C& z = sum[c][d];
      add(z, x[a][e], y[b][f]);
      add(z, x[b][f], y[a][e]);
      C other(0.0);
      add(other, x[a][f], y[b][e]);
      add(other, x[b][e], y[a][f]);
      z = z - other;
    }
  }
}

/// Re of the sum over colours of diquark and quark.
double joined(const C (&diquark)[3][3], const C (&quark)[3][3]) {
  double sum = 0;
  for (int c = 0; c < 9; ++c) {
    const C &p = diquark[c / 3][c % 3], &q = quark[c / 3][c % 3];
    sum += p.re * q.re - p.im * q.im;
  }
  return sum;
}

struct Nucleon {
  Sparse sink, source; ///< C gamma_5, and gamma_4 (C gamma_5)^+ gamma_4^T
  Sparse time;         ///< gamma_4: numbers are 1

  static Nucleon made() {
    const Dense pair = product(gamma(3), gamma(1), five);
    return {Sparse(pair), Sparse(product(gamma(3), adjoint(pair), transposed(gamma(3)))),
            Sparse(gamma(3))};
  }

  /// Both traces of the two contractions, with the unit matrix and with gamma_4 between the ends.
  [[nodiscard]] std::pair<double, double> operator()(const Site& site) const {
    C d[4][4][3][3]; // sink S source, of the quark in the pair that is unlike
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const int from = source.row[j];
        const C phase = sink.value[i] * source.value[from];
        for (int c = 0; c < 9; ++c)
          d[i][j][c / 3][c % 3] = phase * site.s[sink.column[i]][from][c / 3][c % 3];
      }
    }
    C all[3][3] = {};
    for (auto& row : all) {
      for (C& z : row)
        z = C(0.0);
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        add_diquark(all, site.s[i][j], d[i][j]);
    }
    double plain = 0, turned = 0;
    for (int i = 0; i < 4; ++i) {
      plain += joined(all, site.s[i][i]);
      turned += joined(all, site.s[i][time.column[i]]);
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        C pair[3][3];
        for (auto& row : pair) {
          for (C& z : row)
            z = C(0.0);
        }
        for (int k = 0; k < 4; ++k)
          add_diquark(pair, site.s[k][i], d[k][j]);
        plain += joined(pair, site.s[i][j]);
        turned += joined(pair, site.s[time.column[i]][j]);
      }
    }
    return {plain, turned};
  }
};

} // namespace hadrons

std::vector<Correlator> hadron_correlators(const Extents& extents, const PropagatorColumns& columns,
                                           Index source_time, bool antiperiodic) {
  using namespace hadrons;
  const std::vector<Term> terms = meson_terms();
  const Nucleon nucleon = Nucleon::made();
  const Index times = extents[3], plane = extents[0] * extents[1];
  const Index slice = plane * extents[2], rows = times * extents[2];
  std::vector<std::array<double, count>> sums(
      static_cast<std::size_t>(rows)); // the same for any threads
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(rows, thread, threads);
    for (Index row = mine.begin; row < mine.end; ++row) {
      auto& sum = sums[static_cast<std::size_t>(row)];
      for (Index i = row * plane; i < (row + 1) * plane; ++i) {
        const Site site(columns, i);
        for (const Term& term : terms)
          sum[term.meson] += meson(term, site);
        const auto [plain, turned] = nucleon(site);
        sum[mesons] += (plain + turned) / 2;
        sum[mesons + 1] += (plain - turned) / 2;
      }
    }
  });
  std::vector<Correlator> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back({names[k], std::vector<double>(static_cast<std::size_t>(times))});
    for (Index row = 0; row < rows; ++row) {
      const Index t = row / (slice / plane);
      const bool turns = antiperiodic && k >= mesons && t < source_time;
      all[k].values[static_cast<std::size_t>((t - source_time + times) % times)] +=
          (turns ? -1 : 1) * sums[static_cast<std::size_t>(row)][k];
    }
  }
  return all;
}

} // namespace ridge::gauge
