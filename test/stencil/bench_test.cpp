// Fields of benchmarks of stencils: spread on a cpu, and checked under every depth.
#include <ridge/stencil/bench.hpp>
#include <ridge/stencil/laplacian.hpp>

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

TEST(StencilCase, IsRightWhereFieldsAreSpread) {
  const Device device("cpu");
  const auto traits = traits_of<Laplacian<8, 3>, double>();
  const Index3 crowding{512, 20, 24};
  EXPECT_NE(spread(device, traits, crowding, Strides::packed(crowding)), Strides::packed(crowding));
  for (const Index3 n : {crowding, Index3{511, 30, 24}, Index3{64, 20, 20}}) {
    const BenchRequest request{device, Extents{n.x, n.y, n.z}, "fp64", "auto", {}};
    const auto made =
        stencil_case("laplacian8", stencil_kernel(Laplacian<8, 3>({0.5, 0.75, 1.25})), request);
    for (const char* const asked : {"auto", "depth=1", "depth=2", "depth=4 store=nontemporal"}) {
      for (const AskedSchedule& schedule : made->menu().asked(asked)) {
        made->poison();
        made->bind(schedule).run();
        const Check check = made->check();
        EXPECT_TRUE(check.ok) << n.x << " " << schedule.text << ": " << check.message;
      }
    }
  }
}

} // namespace
} // namespace ridge::stencil
