// Checks of all patterns measure each point by its own terms, and take NaNs and infinities where
// they are right.
#include <ridge/chain/check.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lattice/check.hpp>
#include <ridge/lattice/field.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/pairs/check.hpp>
#include <ridge/stencil/evolving.hpp>
#include <ridge/stencil/sweeps_check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ridge::lab {
namespace {

using ::testing::HasSubstr;

constexpr double huge = 9.96921e36; // as NetCDF fills what nobody wrote
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(PointCheck, OfMapsOfLattices) {
  Queue queue{Device("cpu")};
  const lattice::Lattice grid({8, 6, 10});
  lattice::Field<double> x(queue.device(), grid, "x"), y(queue.device(), grid, "y"),
      z(queue.device(), grid, "z");
  const auto reals = [](const lattice::Field<double>& f) { return f.reals().data; };
  fill_random(queue, x.reals(), 1);
  fill_random(queue, y.reals(), 2);
  queue.wait();
  reals(x)[17] = huge;
  reals(x)[20] = nan_value;
  reals(y)[30] = -infinity;
  reals(y)[40] = -0.75 * reals(x)[40] * (1 + 1e-15); // nearly cancels
  const lattice::Axpy<double> axpy{0.75};
  for (Index i = 0; i < x.reals().size; ++i)
    reals(z)[i] = axpy(reals(x)[i], reals(y)[i]);
  const auto check = [&] { return check_map(queue, lattice::map_call(axpy, z, x, y), 0xff); };
  const Check right = check();
  EXPECT_TRUE(right.ok) << right.message;
  for (const auto& [at, wrong] : {std::pair{7, 1 + 1e-12}, {30, 0.5}, {30, -1.0}, {7, nan_value}}) {
    const double was = std::exchange(reals(z)[at], reals(z)[at] * wrong);
    const double now = wrong == 0.5 ? reals(z)[at] = 0 : reals(z)[at];
    EXPECT_THAT(check().message, HasSubstr("real number " + std::to_string(at))) << now;
    reals(z)[at] = was;
  }
  reals(z)[20] = 1;
  EXPECT_FALSE(check().ok) << "a number where NaN is right";
  std::memset(&reals(z)[20], 0xff, 8);
  EXPECT_THAT(check().message, HasSubstr("not written, one at real number 20"));
}

TEST(PointCheck, OfReductionsOfLattices) {
  Queue queue{Device("cpu")};
  const lattice::Lattice grid({8, 6, 10});
  lattice::Field<double> x(queue.device(), grid, "x"), y(queue.device(), grid, "y"),
      z(queue.device(), grid, "z");
  const lattice::DeviceResult<double> result(queue.device());
  double* const xs = x.reals().data;
  double* const ys = y.reals().data;
  fill_random(queue, x.reals(), 1);
  queue.wait();
  // A residual: z = a x + y cancels to what rounding leaves, in each term.
  lattice::ReduceCall<lattice::AxpyNorm<double>, double> call;
  call.reduction.a = 0.7;
  call.shape = x.shape();
  call.geometry = x.geometry();
  call.x = x.reals();
  call.y = y.reals();
  call.z = z.reals();
  call.result = result.doubles();
  double found = 0;
  for (Index i = 0; i < x.reals().size; ++i) {
    ys[i] = -(0.7 * xs[i]) * (1 + 3e-16);
    const double fused = std::fma(0.7, xs[i], ys[i]);
    found += fused * fused;
  }
  const auto expected = expected_results(queue, call);
  EXPECT_TRUE(check_reduction(queue, call, expected, {found}, 1e-12).ok);
  EXPECT_FALSE(check_reduction(queue, call, expected, {found + 1e-20}, 1e-12).ok);
  // What is stored is looked at, too.
  double* const zs = z.reals().data;
  for (Index i = 0; i < z.reals().size; ++i)
    zs[i] = std::fma(0.7, xs[i], ys[i]);
  EXPECT_TRUE(check_stored(queue, call, 0xff).ok);
  zs[5] = 0.5;
  EXPECT_THAT(check_stored(queue, call, 0xff).message, HasSubstr("real number 5"));
  std::memset(&zs[5], 0xff, 8);
  EXPECT_THAT(check_stored(queue, call, 0xff).message, HasSubstr("not written"));
  xs[3] = infinity;
  const auto odd = expected_results(queue, call);
  EXPECT_TRUE(check_reduction(queue, call, odd, {infinity}, 1e-12).ok);
  EXPECT_FALSE(check_reduction(queue, call, odd, {1.0}, 1e-12).ok);
  EXPECT_FALSE(check_reduction(queue, call, odd, {nan_value}, 1e-12).ok);
  EXPECT_THAT(check_reduction(queue, call, odd, {poisoned<double>(0xff)}, 1e-12).message,
              HasSubstr("not written"));
}

/// An interaction whose terms cancel within.
struct Squares {
  static constexpr int targets = 1, sources = 1, sums = 1;
  template <class V>
  void operator()(const V* t, const V* s, V* sum) const {
    sum[0] += s[0] * s[0] - 2.0 * s[0] * t[0] + t[0] * t[0];
  }
};

TEST(PointCheck, OfPairs) {
  Queue queue{Device("cpu")};
  pairs::HostBodies<1> targets, sources;
  for (int i = 0; i < 50; ++i) {
    targets[0].push_back(static_cast<float>(1 + 1e-3 * i));
    sources[0].push_back(static_cast<float>(1 + 1e-3 * (i - 20)));
  }
  targets[0][7] = 1e18F;
  targets[0][8] = nan_value;
  std::vector<float> t(targets[0].begin(), targets[0].end());
  std::vector<float> s(sources[0].begin(), sources[0].end());
  std::vector<float> sums;
  for (const float target : t) {
    float sum = 0;
    for (const float source : s) {
      Pack<float, 1> term(0.0F);
      const Pack<float, 1> one(target), other(source);
      Squares{}(&one, &other, &term);
      sum += term[0];
    }
    sums.push_back(sum);
  }
  pairs::Call<Squares, pairs::Fp32> call;
  call.targets = {Span<const float>(t.data(), 50)};
  call.sources = {Span<const float>(s.data(), 50)};
  call.sums = {Span<float>(sums.data(), 50)};
  const auto check = [&] { return check_sums(queue, call, targets, sources); };
  const Check right = check();
  EXPECT_TRUE(right.ok) << right.message;
  sums[11] += 0.01F;
  EXPECT_THAT(check().message, HasSubstr("sum 0 of target 11"));
  sums[11] -= 0.01F;
  sums[8] = 1;
  EXPECT_THAT(check().message, HasSubstr("where the reference has nan"));
  sums[8] = poisoned<float>(0xff);
  EXPECT_THAT(check().message, HasSubstr("target 8 was not written"));
}

} // namespace

namespace smoothing {

// Slopes, and what they change.
inline constexpr chain::Slot<0> height;
inline constexpr chain::Slot<1> slope;
inline constexpr chain::Slot<2> after;
struct Slopes {
  static constexpr const char* name = "slopes";
  static constexpr std::array accesses{chain::read(height, chain::along_x(-1, 0)),
                                       chain::write(slope)};
  static constexpr chain::Domain domain{{}, {1, 0, 0}};
  template <class At>
  void operator()(const At& at) const {
    at.set(slope, 0.1 * (at(height) - at(height, -1)));
  }
};
struct Flow {
  static constexpr const char* name = "flow";
  static constexpr std::array accesses{
      chain::read(height), chain::read(slope, chain::along_x(0, 1)), chain::write(after)};
  template <class At>
  void operator()(const At& at) const {
    at.set(after, at(height) + at(slope, 1) - at(slope));
  }
};
struct Smoothing {
  static constexpr const char* name = "smoothing";
  static constexpr std::array arrays{chain::input("height"), chain::temporary("slope", {1, 0, 0}),
                                     chain::output("after")};
  static constexpr std::array dimensions{chain::independent(1, chain::Edge::clamp)};
  std::tuple<Slopes, Flow> operations;
};

} // namespace smoothing

namespace {

TEST(PointCheck, OfChains) {
  using smoothing::Smoothing;
  Queue queue{Device("cpu")};
  constexpr Index n = 101;
  std::vector<float> in(n), out(n);
  for (Index i = 0; i < n; ++i)
    in[static_cast<std::size_t>(i)] = 1 + 1e-6F * static_cast<float>(i * i % 17);
  in[30] = 9.96921e36F;
  in[60] = std::numeric_limits<float>::quiet_NaN();
  std::array<std::vector<double>, 3> all;
  all[0].assign(in.begin(), in.end());
  chain::apply_reference(Smoothing{}, {n, 1, 1}, all);
  out.assign(all[2].begin(), all[2].end());
  chain::Request<Smoothing, float> request{{}, {n, 1, 1}, {}};
  request.views.set(smoothing::height, View<float>(in.data(), {n, 1, 1}));
  request.views.set(smoothing::after, View<float>(out.data(), {n, 1, 1}));
  const auto check = [&] { return check_chain(queue, request); };
  const Check right = check();
  EXPECT_TRUE(right.ok) << right.message;
  out[80] *= 1.0001F;
  EXPECT_THAT(check().message, HasSubstr("(80, 0, 0)"));
  out[80] = static_cast<float>(all[2][80]);
  out[60] = 1;
  EXPECT_THAT(check().message, HasSubstr("1 at (60, 0, 0) where the reference has nan"));
}

TEST(PointCheck, OfSweepsBesideAHugeFace) {
  using stencil::Boundaries;
  const stencil::Laplacian<2, 3> heat = stencil::scaled_laplacian<2, 3>({}, 0.1, 1);
  const Index3 n{40, 30, 50};
  Queue queue{Device("cpu")};
  const Boundaries boundaries = stencil::parse_boundaries("x=dirichlet:9.96921e36,y=periodic");
  Field<double> start(queue.device(), {n.x, n.y, n.z});
  fill_random(queue, start.elements(), 1);
  const auto check = [&](double rate) {
    stencil::Sweeps sweeps(queue, stencil::scaled_laplacian<2, 3>({}, rate, 1),
                           std::vector<View<const double>>{start.view()}, boundaries);
    sweeps.run(5);
    return stencil::check_sweeps<double>(queue, sweeps, stencil::reference_of<double>(heat),
                                         stencil::traits_of<stencil::Laplacian<2, 3>, double>(),
                                         boundaries, n, 5, bounded_unit<double>);
  };
  const Check right = check(0.1);
  EXPECT_TRUE(right.ok) << right.message;
  EXPECT_FALSE(check(0.1 + 1e-9).ok) << "the middle of the field shows it";
}

} // namespace
} // namespace ridge::lab
