// The check must see every kind of wrong output.
#include <ridge/device/generate.hpp>
#include <ridge/stencil/check.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

namespace ridge::stencil {
namespace {

using ::testing::HasSubstr;

class StencilCheck : public ::testing::Test {
protected:
  StencilCheck() {
    fill_random(queue, in.elements(), 1);
    fill_bytes(queue, out.data(), 0xff, Bytes{out.count() * 8});
    (void)stencil::launch(queue, call);
  }
  Check check() {
    return check_points<double>(queue, *checked<double>(call.kernel), call.in, call.out, 1e-13);
  }
  double& at(Index x, Index y, Index z) { return out.data()[out.view().at(x, y, z)]; }

  Device device{"cpu"};
  Queue queue{device};
  Field<double> in{device, {33, 17, 9}};
  Field<double> out{device, {33, 17, 9}};
  Call<Laplacian<2, 3>, double> call{Laplacian<2, 3>({0.5, 0.75, 1.25}), {in.view()}, out.view()};
};

TEST_F(StencilCheck, PassesWhatIsRight) {
  const Check c = check();
  EXPECT_TRUE(c.ok) << c.message;
  EXPECT_LT(c.max_error, 1e-14);
}

TEST_F(StencilCheck, SeesASmallError) {
  at(7, 5, 3) += 1e-9;
  const Check c = check();
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.message, HasSubstr("(7, 5, 3)"));
  EXPECT_GT(c.max_error, 1e-12);
}

TEST_F(StencilCheck, SeesAPointThatWasNotWritten) {
  std::memset(&at(31, 15, 7), 0xff, 8);
  const Check c = check();
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.message, HasSubstr("not written, one at (31, 15, 7)"));
}

TEST_F(StencilCheck, SeesASmallErrorBesideAHugeValue) {
  in.data()[in.view().at(20, 8, 4)] = 9.96921e36; // as NetCDF fills what nobody wrote
  (void)stencil::launch(queue, call);
  const Check right = check();
  EXPECT_TRUE(right.ok) << right.message;
  at(7, 5, 3) *= 1 + 1e-10;
  const Check c = check();
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.message, HasSubstr("(7, 5, 3)"));
}

TEST_F(StencilCheck, TakesWhatCancels) {
  for (Index i = 0; i < in.count(); ++i)
    in.data()[i] = 1 + 1e-9 * in.data()[i];
  (void)stencil::launch(queue, call);
  const Check c = check();
  EXPECT_TRUE(c.ok) << c.message;
}

TEST_F(StencilCheck, TakesNaNsAndInfinitiesWhereTheyAreRight) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  in.data()[in.view().at(20, 8, 4)] = nan;
  in.data()[in.view().at(5, 4, 3)] = inf;
  std::memset(&in.data()[in.view().at(11, 11, 5)], 0xff, 8); // the bits of what was not written
  (void)stencil::launch(queue, call);
  const Check right = check();
  EXPECT_TRUE(right.ok) << right.message;
  for (const double wrong : {0.0, inf, -inf}) {
    const double was = std::exchange(at(20, 8, 4), wrong);
    EXPECT_FALSE(check().ok) << wrong << " instead of NaN";
    at(20, 8, 4) = was;
  }
  for (const double wrong : {0.0, nan, at(6, 4, 3) * -1}) {
    const double was = std::exchange(at(6, 4, 3), wrong);
    EXPECT_FALSE(check().ok) << wrong << " instead of " << was;
    at(6, 4, 3) = was;
  }
  at(15, 7, 3) = nan;
  EXPECT_THAT(check().message, HasSubstr("nan at (15, 7, 3) where the reference has"));
}

TEST_F(StencilCheck, SeesAnEdgePointThatWasWritten) {
  at(0, 5, 3) = 0;
  const Check c = check();
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.message, HasSubstr("(0, 5, 3)"));
}

TEST(Slabs, CoverEveryRowOnce) {
  for (const Index3 n :
       {Index3{10, 7, 5}, Index3{4096, 4096, 4}, Index3{1, 1, 1}, Index3{9, 1, 4}}) {
    Index rows = 0;
    for (const Slab& s : slabs_of(n, 8, Index{1} << 20)) {
      rows += (s.y_end - s.y_begin) * (s.z_end - s.z_begin);
      EXPECT_LE((s.y_end - s.y_begin) * (s.z_end - s.z_begin) * n.x * 8,
                std::max<Index>(Index{1} << 20, n.x * 8));
    }
    EXPECT_EQ(rows, n.y * n.z);
  }
}

} // namespace
} // namespace ridge::stencil
