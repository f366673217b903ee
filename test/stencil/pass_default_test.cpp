// The default of passes on GPUs between faces that move, beside what was measured of both ways.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/pass_variants.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include "stencil/pass_default.hpp"

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

/// As an H100 takes it, with its 132 multiprocessors.
template <class T>
bool takes_passes(Index3 n, const char* faces) {
  GpuPassSchedule pass;
  pass.sweeps = usual_pass_sweeps(sizeof(T), true);
  const GpuPassShape shape = usual_pass_shape(pass.sweeps, 1, 1);
  pass.rows = shape.rows;
  pass.warps = shape.warps;
  return pass_pays_between_moving_faces(pass, traits_of<Laplacian<2, 3>, T>(),
                                        parse_boundaries(faces), {n.x + 2, n.y + 2, n.z + 2}, 132);
}

constexpr const char* all_mirrors = "x=mirror,y=mirror,z=mirror";
constexpr const char* all_periodic = "x=periodic,y=periodic,z=periodic";

TEST(PassDefault, IsWhatWasFasterOnAnH100) {
  // Microseconds a sweep, a pass and single sweeps (docs/design/sweeps.md).
  EXPECT_FALSE(takes_passes<double>({128, 128, 128}, all_mirrors));  // 30.9, 23.0
  EXPECT_TRUE(takes_passes<double>({192, 192, 192}, all_mirrors));   // 53.7, 57.4
  EXPECT_TRUE(takes_passes<double>({333, 217, 129}, all_mirrors));   // 55, 66
  EXPECT_TRUE(takes_passes<double>({256, 256, 256}, all_mirrors));   // 96, 114
  EXPECT_TRUE(takes_passes<double>({384, 384, 384}, all_mirrors));   // 214, 356
  EXPECT_TRUE(takes_passes<double>({512, 512, 512}, all_mirrors));   // 387, 780
  EXPECT_FALSE(takes_passes<double>({192, 192, 192}, all_periodic)); // 67, 57.5
  EXPECT_FALSE(takes_passes<double>({333, 217, 129}, all_periodic)); // 67.4, 66.2
  EXPECT_FALSE(takes_passes<double>({256, 256, 256}, all_periodic)); // 118, 114
  EXPECT_TRUE(takes_passes<double>({384, 384, 384}, all_periodic));  // 258, 355
  EXPECT_TRUE(takes_passes<double>({512, 512, 512}, all_periodic));  // 668, 780
  EXPECT_TRUE(takes_passes<double>({512, 512, 512}, "z=periodic"));
  EXPECT_FALSE(takes_passes<float>({128, 128, 128}, all_mirrors));  // 24.4, 21.0
  EXPECT_TRUE(takes_passes<float>({192, 192, 192}, all_mirrors));   // 31.3, 35.6
  EXPECT_FALSE(takes_passes<float>({192, 192, 192}, all_periodic)); // 42.6, 35.4
}

TEST(PassDefault, IsSingleSweepsWhereTilesFitBadly) {
  EXPECT_FALSE(
      takes_passes<float>({256, 256, 256}, all_mirrors)); // three tiles where two nearly fit
  EXPECT_FALSE(takes_passes<double>({65, 65, 8192}, all_mirrors));
  EXPECT_FALSE(takes_passes<double>({65, 65, 8192}, all_periodic));
}

TEST(PassDefault, AsksForLargerFieldsWhereOneAxisGoesRound) {
  EXPECT_FALSE(takes_passes<double>({192, 192, 192}, "z=periodic,x=mirror"));
  EXPECT_FALSE(takes_passes<double>({256, 256, 256}, "x=periodic,y=mirror,z=mirror"));
  EXPECT_TRUE(takes_passes<double>({384, 384, 384}, "y=periodic"));
}

TEST(PassUse, CountsHalosWarmUpAndTheLastBlock) {
  // One tile holds all but the shell of a field that is as wide; its job warms up for 6 planes.
  const PassTiles tile{64, 36, 3, 1, 4, 2, false, false};
  EXPECT_DOUBLE_EQ(pass_use(tile, {64, 36, 1002}, 1), 62.0 * 34 * 1000 / (64.0 * 36 * 1006));
  // Of four blocks the last one ends last.
  EXPECT_LT(pass_use(tile, {64, 36, 1002}, 4), 62.0 * 34 / (64.0 * 36));
  EXPECT_GT(pass_use(tile, {64, 36, 1002}, 4), 0.6);
}

template <class K, class T>
bool compares_passes(const char* device, const char* faces) {
  for (const auto& named : compared_sweeps(Device(device), traits_of<K, T>(), 1,
                                           parse_boundaries(faces), {40, 40, 40})) {
    if (named.schedule.pass) return true;
  }
  return false;
}

TEST(ComparedSweeps, LeaveOutPassesThatWouldRoundTwice) {
  using Near = Laplacian<2, 3>;
  for (const char* const device : {"cpu", "simt:32"}) {
    EXPECT_TRUE((compares_passes<Near, Fp16>(device, "x=dirichlet:1,y=neumann:0,z=periodic")));
    EXPECT_FALSE((compares_passes<Near, Bf16>(device, "z+=neumann:1")));
    EXPECT_TRUE((compares_passes<Near, float>(device, "z+=neumann:1")));
  }
  EXPECT_TRUE((compares_passes<Laplacian<4, 3>, Fp16>("cpu", "x=dirichlet:0,y=mirror")));
  EXPECT_FALSE((compares_passes<Laplacian<4, 3>, Fp16>("cpu", "x=dirichlet:1")));
  EXPECT_FALSE((compares_passes<Laplacian<4, 3>, Fp16>("simt:32", "x=mirror")));
}

} // namespace
} // namespace ridge::stencil
