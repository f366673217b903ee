// Far fields by proxies against sums over all pairs in double.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/far/launch.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/reference.hpp>

#include "devices.hpp"
#include "far_interactions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ridge::pairs {
namespace {

using ::testing::HasSubstr;

enum class Shape { cube, line, plane, clusters, heaps };

template <int N>
HostBodies<N> bodies_of(Shape shape, Index count, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&] { return random() / 4294967296.0; };
  HostBodies<N> bodies;
  for (Index i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < N; ++c) {
      double value = uniform() - (c < 3 ? 0.0 : 0.5);
      if (c > 0 && c < 3 && shape == Shape::line) value = 0.25;
      if (c == 2 && shape == Shape::plane) value = -1.5;
      if (c == 0 && shape == Shape::clusters && i % 2 == 1) value += 50;
      if (c < 3 && shape == Shape::heaps) value = std::floor(value * 4) / 4;
      bodies[c].push_back(static_cast<float>(value));
    }
  }
  return bodies;
}

class FarFields : public ::testing::TestWithParam<std::string> {
protected:
  template <class I, class P>
  struct Bodies {
    using T = typename P::Stored;
    Bodies(Queue& queue, const HostBodies<I::sources>& host) {
      const auto count = static_cast<Index>(host[0].size());
      for (std::size_t c = 0; c < I::sources; ++c) {
        fields[c] = Field<T>(queue.device(), Extents{count});
        const std::vector<T> values(host[c].begin(), host[c].end());
        copy_to_device(queue, fields[c].data(), values.data(), count);
        queue.wait();
        sources[c] = std::as_const(fields[c]).elements();
      }
      for (std::size_t c = 0; c < I::sums; ++c) {
        results[c] = Field<T>(queue.device(), Extents{count});
        sums[c] = results[c].elements();
        fill_bytes(queue, sums[c].data, 0xff, Bytes{count * static_cast<Index>(sizeof(T))});
      }
    }
    std::array<Field<T>, I::sources> fields;
    std::array<Field<T>, I::sums> results;
    std::array<Span<const T>, I::sources> sources;
    std::array<Span<T>, I::sums> sums;
  };

  /// The largest error, in parts of the sum of the terms' absolute values.
  template <class I, class P>
  double error_of(const HostBodies<I::sources>& host, const FarOptions& options,
                  bool twice = false) {
    using T = typename P::Stored;
    const auto count = static_cast<Index>(host[0].size());
    Bodies<I, P> bodies(queue, host);
    FarField field(queue, bodies.sources, options);
    field.update();
    const Program program(queue,
                          afar(field, among_themselves<I, P>(I{}, bodies.sources, bodies.sums)));
    program.run();
    if (twice) {
      field.update();
      program.run();
    }
    double worst = 0;
    for (std::size_t c = 0; c < I::sums; ++c) {
      std::vector<T> got(static_cast<std::size_t>(count));
      copy_to_host(queue, got.data(), static_cast<const T*>(bodies.sums[c].data), count);
      queue.wait();
      for (Index i = 0; i < count; ++i) {
        std::array<double, I::targets> target;
        for (std::size_t k = 0; k < I::targets; ++k)
          target[k] = host[k][static_cast<std::size_t>(i)];
        const auto right = reference_sums(I{}, target, host, i);
        const double off = std::abs(got[static_cast<std::size_t>(i)] - right.sum[c]);
        worst = std::max(worst, off == 0 ? 0 : off / right.scale[c]);
        if (!std::isfinite(off)) return off;
      }
    }
    return worst;
  }

  [[nodiscard]] bool is_simt() const { return GetParam() != "cpu"; }
  Queue queue{Device(GetParam())};
};

TEST_P(FarFields, ErrorsFallWithDegreeAndTheta) {
  // So many that some nodes have more bodies than proxies.
  const auto host = bodies_of<7>(Shape::cube, is_simt() ? 400 : 1200, 1);
  double before = 1;
  for (int degree = 1; degree <= (is_simt() ? 2 : 3); ++degree) {
    const FarOptions options{0.7, degree, 8};
    const double error = error_of<test::Screened, Fp64>(host, options);
    EXPECT_LT(error, far_error_at(options)) << degree;
    EXPECT_LT(error, before) << degree;
    EXPECT_GT(error, 1e-9) << "nothing is far";
    before = error;
  }
  EXPECT_LT((error_of<test::Screened, Fp64>(host, {0.35, 1, 8})),
            (error_of<test::Screened, Fp64>(host, {0.7, 1, 8})));
}

/// In fp32 positions are taken from an origin among the bodies.
TEST_P(FarFields, AreRightFarFromTheOrigin) {
  auto host = bodies_of<7>(Shape::cube, is_simt() ? 400 : 1200, 1);
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& x : host[c])
      x = static_cast<float>(x + (c == 1 ? 1e4 : -2e4));
  }
  for (std::size_t c = 3; c < host.size(); ++c) {
    for (double& x : host[c])
      x = static_cast<float>(x);
  }
  const FarOptions options{0.5, 2, 8};
  EXPECT_LT((error_of<test::Screened, Fp32>(host, options)),
            2 * (error_of<test::Screened, Fp64>(host, options)));
}

/// A target beside a corner is farther from the middle of a full box than its radius, and yet has
/// a body of it, and a proxy, right beside it.
TEST_P(FarFields, DoNotTakeAsFarWhatIsBesideACorner) {
  // Bodies within a cube, six on its faces, none at a corner, where a proxy stands for others.
  HostBodies<4> host = bodies_of<4>(Shape::cube, 343, 6);
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& at : host[c])
      at = 1.96 * at - 0.98;
  }
  for (std::size_t n = 0; n < 6; ++n)
    host[n / 2][n] = n % 2 == 0 ? -1 : 1;
  for (const double apart : {1.001, 1.02, 1.1, 3.0}) { // the last: a box of all that is divided
    for (std::size_t c = 0; c < 3; ++c)
      host[c].push_back(apart);
    host[3].push_back(1);
  }
  for (const double theta : {0.85, 0.95, 1.0}) {
    for (const int degree : {2, 4}) {
      const FarOptions options{theta, degree, 8};
      EXPECT_LT((error_of<Coulomb, Fp64>(host, options)), far_error_at(options))
          << theta << " degree " << degree;
    }
  }
}

/// Ions on faces, edges and corners of a block count by halves (Evjen 1932), so that the potential
/// in the middle is that of a crystal: Madelung's constant.
TEST_P(FarFields, GiveMadelungsConstantOfABlockOfRockSalt) {
  const int half = is_simt() ? 4 : 6;
  HostBodies<4> ions;
  std::size_t middle = 0;
  for (int x = -half; x <= half; ++x) {
    for (int y = -half; y <= half; ++y) {
      for (int z = -half; z <= half; ++z) {
        if (x == 0 && y == 0 && z == 0) middle = ions[0].size();
        double charge = (x + y + z) % 2 == 0 ? 1 : -1;
        for (const int at : {x, y, z})
          charge *= std::abs(at) == half ? 0.5 : 1;
        ions[0].push_back(x);
        ions[1].push_back(y);
        ions[2].push_back(z);
        ions[3].push_back(charge);
      }
    }
  }
  const FarOptions options{0.5, is_simt() ? 2 : 4, 8};
  Bodies<Coulomb, Fp64> bodies(queue, ions);
  FarField field(queue, bodies.sources, options);
  field.update();
  const auto call = among_themselves<Coulomb, Fp64>({}, bodies.sources, bodies.sums);
  Program(queue, afar(field, call)).run();
  std::array<std::vector<double>, 4> got;
  for (std::size_t c = 0; c < 4; ++c) {
    got[c].resize(ions[0].size());
    copy_to_host(queue, got[c].data(), bodies.results[c].data(), bodies.results[c].count());
  }
  queue.wait();
  EXPECT_NEAR(got[3][middle], -1.747565, is_simt() ? 2e-3 : 2e-4);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(got[c][middle], 0, 2e-3) << "the field in the middle";
  const double error = error_of<Coulomb, Fp64>(ions, options);
  EXPECT_LT(error, far_error_at(options));
  EXPECT_GT(error, 1e-9) << "nothing is far";
}

TEST_P(FarFields, Theta0IsAllPairs) {
  const auto host = bodies_of<7>(Shape::cube, 200, 2);
  EXPECT_LT((error_of<test::Screened, Fp64>(host, {0, 4, 8})), 1e-13);
}

TEST_P(FarFields, AnyNumberOfBodiesAnywhere) {
  for (const Index count : {1, 2, 3, 17, 33, 65}) {
    EXPECT_LT((error_of<test::Bump, Fp32>(bodies_of<3>(Shape::cube, count, 3), {0.8, 2, 1})), 0.1)
        << count;
  }
  const Index count = is_simt() ? 150 : 400;
  for (const Shape shape : {Shape::line, Shape::plane, Shape::clusters, Shape::heaps}) {
    const FarOptions options{0.6, 3, 4};
    EXPECT_LT((error_of<test::Bump, Fp32>(bodies_of<3>(shape, count, 4), options, true)),
              far_error_at(options) + 1e-5)
        << static_cast<int>(shape);
  }
}

TEST_P(FarFields, RefusesWhatCannotBe) {
  const auto host = bodies_of<4>(Shape::cube, 20, 5);
  Bodies<test::Squared, Fp64> bodies(queue, host);
  const auto refused = [&](const FarOptions& options) -> std::string {
    try {
      const FarField field(queue, bodies.sources, options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(refused({1.2, 4, 0}), HasSubstr("theta 1.2: of a far field by proxies it is from 0"));
  EXPECT_THAT(refused({0.5, 0, 0}), HasSubstr("degree 0: polynomials have a degree from 1 to 8"));
  EXPECT_THAT(refused({0.5, 9, 0}), HasSubstr("degree 9"));
  EXPECT_THAT(refused({0.5, 4, -1}), HasSubstr("leaf=-1"));
  FarField field(queue, bodies.sources, {0.5, 4, 0});
  const auto call = among_themselves<test::Squared, Fp64>({}, bodies.sources, bodies.sums);
  try {
    (void)afar(field, call);
    FAIL() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("linear in what sources have beside their positions"));
    EXPECT_THAT(error.what(), HasSubstr("component 3"));
  }
}

INSTANTIATE_TEST_SUITE_P(Here, FarFields, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::pairs
