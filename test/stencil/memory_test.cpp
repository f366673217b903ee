// What stencils write lies apart from what they read, and where vectors of numbers may begin.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/sweeps.hpp>

#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ridge::stencil {
namespace {

using ::testing::StartsWith;

class StencilMemory : public ::testing::Test {
protected:
  using Kernel = Laplacian<2, 3>;
  static constexpr const char* nothing = "nothing was refused";
  static constexpr Index3 n{8, 6, 5};
  static constexpr Index points = n.x * n.y * n.z;

  static View<double> moved(const View<double>& view, int bytes) {
    View<double> other = view;
    other.data = reinterpret_cast<double*>(reinterpret_cast<char*>(view.data) + bytes);
    return other;
  }
  Queue queue{Device("cpu")};
  std::vector<double> memory = std::vector<double>(5 * points);
  View<double> field(int i) { return {memory.data() + i * points, n}; }
};

TEST_F(StencilMemory, OfTheOutputIsNoInputs) {
  const auto refused = [&](const View<double>& in, const View<double>& out) {
    return ridge::test::refused(
        [&] { (void)Pattern<Call<Kernel, double>>(queue, {Kernel{}, {in}, out}, CpuSchedule{}); });
  };
  EXPECT_EQ(refused(field(0), field(1)), nothing);
  EXPECT_THAT(refused(field(0), field(0)), StartsWith("the output overlaps input 0"));
  EXPECT_THAT(refused(field(0), moved(field(1), -8)), StartsWith("the output overlaps input 0"));
  EXPECT_THAT(refused(moved(field(0), 4), field(2)), StartsWith("input 0 begins at an address"));
  EXPECT_THAT(refused(field(0), moved(field(2), 12)),
              StartsWith("the output begins at an address"));
}

TEST_F(StencilMemory, OfSeveralSweepsInOnePassIsApart) {
  const auto refused = [&](const View<double>& in, const View<double>& out) {
    return ridge::test::refused([&] {
      Pass<Kernel, double> pass{Kernel{}, {in}, {out}, {}, {}, 2};
      pass.shell.field = View<double>(in.data, {16, 16, 16});
      (void)Pattern<Pass<Kernel, double>>(queue, pass, CpuPassSchedule{});
    });
  };
  EXPECT_EQ(refused(field(0), field(1)), nothing);
  EXPECT_THAT(refused(field(0), field(0)), StartsWith("the output overlaps input 0"));
  EXPECT_THAT(refused(field(0), moved(field(2), 4)), StartsWith("the output begins at"));
}

TEST_F(StencilMemory, OfManySweepsIsAligned) {
  const auto with = [&](const View<double>& from) {
    return ridge::test::refused(
        [&] { Sweeps(queue, Kernel{}, std::vector<View<double>>{from}, Boundaries{}); });
  };
  EXPECT_THAT(with(moved(field(0), 4)), StartsWith("field 0 begins at an address"));
}

} // namespace
} // namespace ridge::stencil
