// Expressions under every schedule against whole tensors, site by site.
#include <ridge/device/generate.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/shift.hpp>

#include "algebra.hpp"
#include "dispatch.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ridge::lattice {
namespace {

using test::random_field;

/// The tensor of plain loops: in double, whatever the field's precision.
template <class Site>
using Exact = std::vector<Over<Site, double>>;

template <class Site>
Exact<Site> exact(const std::vector<Site>& sites) {
  Exact<Site> all(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const auto numbers = test::reals(sites[i]);
    std::copy(numbers.begin(), numbers.end(), reinterpret_cast<double*>(&all[i]));
  }
  return all;
}

template <class T>
struct Host {
  Exact<ColourMatrix<T>> u, v, w;
  Exact<ColourVector<T>> x, y, z;
  Exact<Spinor<T>> psi, chi;
  Exact<Propagator<T>> p, q, r;
  Exact<Complex<T>> c;
  Exact<T> s;
};

template <class E, int N>
Matrix<E, N> transposed(const Matrix<E, N>& a) {
  Matrix<E, N> t;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j)
      t(i, j) = a(j, i);
  }
  return t;
}

template <class T>
class Case {
public:
  Case(const Device& device, const Lattice& l)
      : queue_(device), lattice_(l), f_{field<ColourMatrix<T>>(1),
                                        field<ColourMatrix<T>>(2),
                                        field<ColourMatrix<T>>(3),
                                        field<ColourVector<T>>(4),
                                        field<ColourVector<T>>(5),
                                        field<ColourVector<T>>(6),
                                        field<Spinor<T>>(7),
                                        field<Spinor<T>>(8),
                                        field<Propagator<T>>(9),
                                        field<Propagator<T>>(10),
                                        field<Propagator<T>>(11),
                                        field<Complex<T>>(12),
                                        field<T>(13)} {}

  [[nodiscard]] std::vector<Schedule> space() const {
    return schedule_space(queue_.device(), Task::expression, f_.s.geometry());
  }

  /// What is wrong with expression `which`; empty when nothing is.
  std::string wrong(int which, Subset subset, const std::optional<Schedule>& schedule) {
    const Host<T> h = host();
    on_kind_of(queue_.device(), [&]<class Target>(Target) {
      test::Algebra<T, Target>::run(which, queue_, f_, subset, schedule);
    });
    Host<T> e = h;
    for (Index i = 0; i < lattice_.sites(); ++i) {
      if (subset != Subset::all && is_even(i) != (subset == Subset::even)) continue;
      expect(which, h, e, i);
    }
    return difference(e);
  }

  std::string wrong_transport(int d, const std::optional<Schedule>& schedule) {
    const Host<T> h = host();
    on_kind_of(queue_.device(), [&]<class Target>(Target) {
      test::Algebra<T, Target>::transport(queue_, f_, d, schedule);
    });
    Host<T> e = h;
    for (Index i = 0; i < lattice_.sites(); ++i)
      e.z[n(i)] = h.u[n(at(i, d, -1))] * h.x[n(at(i, d, -1))];
    return difference(e);
  }

  /// What is wrong with the reduction `which` of an expression, or between two runs of it.
  std::string wrong_reduction(int which, Subset subset, const std::optional<Schedule>& schedule) {
    std::vector<double> got, again;
    on_kind_of(queue_.device(), [&]<class Target>(Target) {
      got = test::Algebra<T, Target>::reduced(which, queue_, f_, subset, schedule);
      again = test::Algebra<T, Target>::reduced(which, queue_, f_, subset, schedule);
    });
    if (got != again) return "two runs differ";
    const Host<T> h = host();
    std::vector<double> expected;
    for (Index i = 0; i < lattice_.sites(); ++i) {
      const auto site = summand(which, h, n(i));
      expected.resize(site.size(), 0);
      if (subset != Subset::all && is_even(i) != (subset == Subset::even)) continue;
      for (std::size_t k = 0; k < site.size(); ++k)
        expected[k] += site[k];
    }
    if (got.size() != expected.size()) return "a result of another size";
    const double tolerance = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (!(std::abs(got[k] - expected[k]) <= tolerance * static_cast<double>(lattice_.sites()))) {
        return "real " + std::to_string(k) + " is " + std::to_string(got[k]) + " instead of " +
               std::to_string(expected[k]);
      }
    }
    return {};
  }

  Queue& queue() { return queue_; }
  test::Fields<T>& fields() { return f_; }

private:
  template <class Site>
  Field<Site> field(std::uint64_t seed) {
    return random_field<Site>(queue_, lattice_, seed);
  }
  static std::size_t n(Index i) { return static_cast<std::size_t>(i); }

  Host<T> host() const {
    auto& q = queue_;
    return {exact(f_.u.get(q)), exact(f_.v.get(q)), exact(f_.w.get(q)),   exact(f_.x.get(q)),
            exact(f_.y.get(q)), exact(f_.z.get(q)), exact(f_.psi.get(q)), exact(f_.chi.get(q)),
            exact(f_.p.get(q)), exact(f_.q.get(q)), exact(f_.r.get(q)),   exact(f_.c.get(q)),
            exact(f_.s.get(q))};
  }
  [[nodiscard]] bool is_even(Index i) const {
    Index sum = 0;
    for (int d = 0; d < lattice_.extents().rank(); ++d)
      sum += test::coordinate(lattice_, i, d);
    return sum % 2 == 0;
  }
  /// The plain number of the site `by` further along d.
  [[nodiscard]] Index at(Index i, int d, int by) const {
    Index stride = 1;
    for (int k = 0; k < d; ++k)
      stride *= lattice_.extents()[k];
    const Index extent = lattice_.extents()[d];
    const Index x = i / stride % extent;
    return i + (((x + by) % extent + extent) % extent - x) * stride;
  }

  /// What site k adds to the reduction `which`.
  static std::vector<double> summand(int which, const Host<T>& h, std::size_t k) {
    using C = Complex<double>;
    const auto square = [](const auto& site) {
      double sum = 0;
      for (const double v : test::reals(site))
        sum += v * v;
      return std::vector<double>{sum};
    };
    const auto inner = [](const auto& a, const auto& b) {
      const auto x = test::reals(a), y = test::reals(b);
      C sum = 0.0;
      for (std::size_t i = 0; i < x.size(); i += 2)
        sum = sum + conj(C(x[i], x[i + 1])) * C(y[i], y[i + 1]);
      return std::vector<double>{sum.re, sum.im};
    };
    switch (which) {
    case 0:
      return square(0.5 * h.x[k] + h.y[k]);
    case 1:
      return test::reals(adj(h.u[k]) * h.v[k]);
    case 2:
      return inner(h.x[k], h.u[k] * h.y[k]);
    case 3:
      return test::reals(h.p[k] * h.q[k]);
    case 4:
      return square(h.psi[k]);
    case 5:
      return inner(h.p[k], h.q[k]);
    case 6:
      return square(h.s[k] * h.c[k]);
    default:
      return {static_cast<double>(h.s[k])};
    }
  }

  void expect(int which, const Host<T>& h, Host<T>& e, Index i) const {
    using C = Complex<double>;
    const auto k = n(i);
    switch (which) {
    case 0:
      e.z[k] = 0.5 * h.x[k] + h.y[k];
      break;
    case 1:
      e.z[k] = C(0.5, -2) * h.x[k] - h.z[k];
      break;
    case 2:
      e.w[k] = h.u[k] * h.v[k];
      break;
    case 3:
      e.w[k] = adj(h.u[k]) * h.v[k] + transposed(h.v[k]);
      break;
    case 4:
      e.z[k] = h.u[k] * h.x[k] + adj(h.v[k]) * h.y[k];
      break;
    case 5:
      for (int s = 0; s < 4; ++s)
        e.chi[k](s) = h.u[k] * h.psi[k](s);
      break;
    case 6:
      e.r[k] = h.p[k] * h.q[k];
      break;
    case 7:
      for (int s = 0; s < 16; ++s)
        e.r[k].e[s] = h.u[k] * h.p[k].e[s] * adj(h.v[k]);
      break;
    case 8: {
      C sum = 0.0;
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b)
          sum = sum + h.u[k](a, b) * conj(h.v[k](a, b));
      }
      e.c[k] = sum;
      break;
    }
    case 9:
      e.s[k] = 0;
      for (const double v : test::reals(h.psi[k]))
        e.s[k] += v * v;
      break;
    case 10:
      for (int a = 0; a < 3; ++a)
        e.z[k](a) = h.c[k] * h.x[k](a) + h.s[k] * conj(h.y[k](a));
      break;
    case 11:
      e.z[k] = h.u[k] * h.x[n(at(i, 0, 1))] - adj(h.u[n(at(i, 1, -1))]) * h.x[n(at(i, 1, -1))];
      break;
    case 12: {
      double sum = 0;
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 3; ++b)
          sum += h.p[k](a, a)(b, b).re;
      }
      e.s[k] = sum * h.s[k];
      break;
    }
    case 13:
      e.chi[k] = h.psi[n(at(at(i, 2, 5), 0, -3))];
      break;
    default:
      break;
    }
  }

  template <class Site>
  static std::string compare(const char* name, const Exact<Site>& got, const Exact<Site>& expect) {
    const double tolerance = 300 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto a = test::reals(got[i]), b = test::reals(expect[i]);
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (!(std::abs(a[k] - b[k]) <= tolerance)) {
          return std::string(name) + " at site " + std::to_string(i) + " real " +
                 std::to_string(k) + " is " + std::to_string(a[k]) + " instead of " +
                 std::to_string(b[k]);
        }
      }
    }
    return {};
  }
  std::string difference(const Host<T>& e) const {
    const Host<T> g = host();
    return compare<ColourMatrix<T>>("w", g.w, e.w) + compare<ColourVector<T>>("z", g.z, e.z) +
           compare<Spinor<T>>("chi", g.chi, e.chi) + compare<Propagator<T>>("r", g.r, e.r) +
           compare<Complex<T>>("c", g.c, e.c) + compare<T>("s", g.s, e.s);
  }

  mutable Queue queue_;
  Lattice lattice_;
  test::Fields<T> f_;
};

class AlgebraOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

template <class T>
void expect_right(const Device& device, const Lattice& lattice, std::size_t every) {
  Case<T> c(device, lattice);
  const auto compiled = [](int which) { return std::is_same_v<T, double> || which % 4 == 0; };
  for (int which = 0; which < test::expressions; ++which) {
    if (!compiled(which)) continue;
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd})
      EXPECT_EQ(c.wrong(which, subset, {}), "") << which << " " << static_cast<int>(subset);
  }
  const auto space = c.space();
  for (std::size_t i = 0; i < space.size(); i += every) {
    const int which = static_cast<int>(i / every) % test::expressions;
    if (!compiled(which)) continue;
    EXPECT_EQ(c.wrong(which, Subset::all, space[i]), "") << which << " " << to_text(space[i]);
    EXPECT_EQ(c.wrong_transport(which % lattice.extents().rank(), space[i]), "")
        << to_text(space[i]);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(AlgebraOn, EqualsWholeTensorsUnderEverySchedule) {
  const std::size_t every = device.kind() == DeviceKind::cpu ? 1 : 5;
  expect_right<double>(device, Lattice({4, 6, 2, 3}), every);
  expect_right<float>(device, Lattice({8, 4, 6}), every);
}

template <class T>
void expect_right_reductions(const Device& device, const Lattice& lattice) {
  Case<T> c(device, lattice);
  for (int which = 0; which < test::reductions; ++which) {
    if (std::is_same_v<T, float> && which % 2 != 0) continue;
    for (const Subset subset : {Subset::all, Subset::even, Subset::odd})
      EXPECT_EQ(c.wrong_reduction(which, subset, {}), "")
          << which << " " << static_cast<int>(subset);
    int ran = 0;
    for (const Schedule& schedule : c.space()) {
      const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
      if (gpu != nullptr && gpu->items != 1) continue;
      EXPECT_EQ(c.wrong_reduction(which, Subset::all, schedule), "")
          << which << " " << to_text(schedule);
      ++ran;
    }
    EXPECT_GT(ran, 1);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(AlgebraOn, ReductionsOfExpressionsEqualPlainLoops) {
  expect_right_reductions<double>(device, Lattice({4, 6, 2, 3}));
  expect_right_reductions<float>(device, Lattice({8, 4, 6}));
  expect_right_reductions<double>(device, Lattice({8}));
}

TEST_P(AlgebraOn, RefusesOtherLatticesAndOverwrittenOperands) {
  Case<double> c(device, Lattice({8, 4, 4}));
  auto& f = c.fields();
  f.y = random_field<ColourVector<double>>(c.queue(), Lattice({8, 4, 8}), 5);
  const auto run = [&](int which) {
    on_kind_of(device, [&]<class Target>(Target) {
      test::Algebra<double, Target>::run(which, c.queue(), f, Subset::all, {});
    });
  };
  try {
    run(0);
    FAIL() << "fields of two lattices were added";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("8x4x4"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("8x4x8"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("field 5"));
  }
  EXPECT_THROW(run(14), UsageError) << "a product that overwrites its operand";
  for (const int which : {0, 2}) {
    EXPECT_THROW(on_kind_of(device,
                            [&]<class Target>(Target) {
                              (void)test::Algebra<double, Target>::reduced(which, c.queue(), f,
                                                                           Subset::all, {});
                            }),
                 UsageError);
  }
}

TEST_P(AlgebraOn, CshiftMovesAroundTheLattice) {
  Queue queue(device);
  const Lattice lattice({8, 6, 4});
  using Site = ColourVector<float>;
  const auto x = random_field<Site>(queue, lattice, 3);
  Field<Site> z(device, lattice, "z");
  const auto xs = x.get(queue);
  for (int d = 0; d < 3; ++d) {
    for (const int by : {0, 1, -1, 3, -7, 100}) {
      ridge::fill_bytes(queue, z.reals().data, 0xff, z.bytes());
      cshift(queue, z, x, d, by);
      const auto zs = z.get(queue);
      for (Index i = 0; i < lattice.sites(); ++i) {
        Index stride = 1;
        for (int k = 0; k < d; ++k)
          stride *= lattice.extents()[k];
        const Index n = lattice.extents()[d];
        const Index c = test::coordinate(lattice, i, d);
        const Index from = i + (((c + by) % n + n) % n - c) * stride;
        ASSERT_EQ(zs[static_cast<std::size_t>(i)], xs[static_cast<std::size_t>(from)])
            << d << " " << by << " " << i;
      }
    }
  }
  EXPECT_THROW(cshift(queue, z, x, 3, 1), UsageError);
  EXPECT_THROW(cshift(queue, z, z, 0, 1), UsageError);
}

TEST_P(AlgebraOn, RandomNumbersDependOnTheSiteAlone) {
  Queue queue(device);
  Queue host(Device("cpu"));
  for (const Distribution distribution : {Distribution::uniform, Distribution::normal}) {
    Field<Spinor<double>> a(device, Lattice({8, 6, 4}), "a");
    Field<Spinor<double>> b(host.device(), Lattice({8, 6, 4}, 128), "b");
    fill_random(queue, a, 7, distribution);
    fill_random(host, b, 7, distribution);
    const auto as = a.get(queue);
    EXPECT_EQ(as, b.get(host));
    double mean = 0, square = 0, count = 0;
    for (const auto& site : as) {
      for (const double v : test::reals(site)) {
        mean += v;
        square += v * v;
        ++count;
      }
    }
    EXPECT_NEAR(mean / count, 0, 0.05);
    EXPECT_NEAR(square / count, distribution == Distribution::uniform ? 1.0 / 3 : 1, 0.05);
  }
}

INSTANTIATE_TEST_SUITE_P(Here, AlgebraOn, ::testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

} // namespace
} // namespace ridge::lattice
