// The default of passes on GPUs, beside what was measured of both ways.
#include <ridge/lab/kernels/stencil/wave.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/pass_variants.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include "stencil/pass_default.hpp"

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

/// As an H100 takes it, with its 132 multiprocessors; 0 where single sweeps are.
template <class T, class K = Laplacian<2, 3>>
int sweeps_taken(Index3 n, const char* faces) {
  Boundaries boundaries;
  if (faces != nullptr) boundaries = parse_boundaries(faces);
  const Traits traits = traits_of<K, T>();
  const bool moving = shell_changes(boundaries, traits.radius);
  const Index shell = moving ? 2 : 0;
  const Index3 with_shell{n.x + shell, n.y + shell, n.z + shell};
  GpuPassSchedule pass;
  pass.sweeps = pass_sweeps(traits, moving, with_shell);
  const GpuPassShape shape = usual_pass_shape(pass.sweeps, levels_of<K>(), 1);
  pass.rows = shape.rows;
  pass.warps = shape.warps;
  return pass_pays(pass, traits, boundaries, moving, with_shell, 132) ? pass.sweeps : 0;
}

constexpr const char* all_mirrors = "x=mirror,y=mirror,z=mirror";
constexpr const char* all_periodic = "x=periodic,y=periodic,z=periodic";
constexpr const char* x_periodic = "x=periodic,y=mirror,z=mirror";
constexpr const char* z_periodic = "x=mirror,y=mirror,z=periodic";

template <class T>
int sweeps_of_cube(Index n, const char* faces) {
  return sweeps_taken<T>({n, n, n}, faces);
}

TEST(PassDefault, IsWhatWasFasterOnAnH100) {
  // Microseconds a sweep of passes of four (three) sweeps and of single ones
  // (docs/design/sweeps.md).
  for (const char* const faces : {all_mirrors, z_periodic}) {
    EXPECT_EQ(sweeps_of_cube<double>(128, faces), 0); // 23.1, 24.1 between mirrors
    EXPECT_EQ(sweeps_of_cube<double>(160, faces), 4); // 31.0, 37.8
    EXPECT_EQ(sweeps_of_cube<double>(192, faces), 4); // 45.4, 58.5
    EXPECT_EQ(sweeps_of_cube<double>(256, faces), 4); // 83.4, 114
    EXPECT_EQ(sweeps_of_cube<double>(384, faces), 3); // 142 (136), 262 on an H200
    EXPECT_EQ(sweeps_of_cube<double>(512, faces), 3); // 412 (374), 780
    EXPECT_EQ(sweeps_of_cube<float>(128, faces), 0);  // 24.3, 21.8
    EXPECT_EQ(sweeps_of_cube<float>(192, faces), 4);  // 31.2, 36.5
    EXPECT_EQ(sweeps_of_cube<float>(224, faces), 4);  // 51.8, 52.9
    EXPECT_EQ(sweeps_of_cube<float>(256, faces), 0); // 81.3, 71.5: three tiles where two nearly fit
    EXPECT_EQ(sweeps_of_cube<float>(320, faces), 4); // 95.4, 122
    EXPECT_EQ(sweeps_of_cube<float>(512, faces), 4); // 260, 428
  }
  for (const char* const faces : {all_periodic, x_periodic}) {
    EXPECT_EQ(sweeps_of_cube<double>(128, faces), 0); // 25.4, 24.0 between periodic faces
    EXPECT_EQ(sweeps_of_cube<double>(160, faces), 4); // 33.3, 37.8
    EXPECT_EQ(sweeps_of_cube<double>(192, faces), 4); // 49.3, 58.4
    EXPECT_EQ(sweeps_of_cube<double>(256, faces), 4); // 89.4, 114
    EXPECT_EQ(sweeps_of_cube<double>(512, faces), 3); // 304 (237) on an H200
    EXPECT_EQ(sweeps_of_cube<float>(192, faces), 0);  // 42.8, 36.3
    EXPECT_EQ(sweeps_of_cube<float>(256, faces), 0);  // 99.1, 71.7
    EXPECT_EQ(sweeps_of_cube<float>(384, faces), 4);  // 89, 148 on an H200
    EXPECT_EQ(sweeps_of_cube<float>(512, faces), 4);  // 348, 427
  }
}

TEST(PassDefault, OfFieldsIn16BitsAsksForTilesThatFit) {
  EXPECT_EQ(sweeps_of_cube<Fp16>(192, nullptr), 4);     // 13.6, 42.3
  EXPECT_EQ(sweeps_of_cube<Fp16>(256, nullptr), 0);     // 41.3, 30.4
  EXPECT_EQ(sweeps_of_cube<Bf16>(384, nullptr), 4);     // 69.1, 92.5
  EXPECT_EQ(sweeps_of_cube<Fp16>(512, nullptr), 4);     // 129, 202
  EXPECT_EQ(sweeps_of_cube<Fp16>(512, all_mirrors), 0); // 274, 254
}

TEST(PassDefault, OfWavesIn16BitsIsWhatWasFasterOnAnH200) {
  using Wave = lab::Wave<2, 3>;
  const auto of_cube = [](Index n, const char* faces) {
    return sweeps_taken<Fp16, Wave>({n, n, n}, faces);
  };
  const auto* const fixed = "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0";
  EXPECT_EQ(of_cube(512, fixed), 4);       // 155, 209 us a sweep
  EXPECT_EQ(of_cube(384, fixed), 4);       // 83, 119
  EXPECT_EQ(of_cube(256, fixed), 0);       // 49, 35
  EXPECT_EQ(of_cube(192, fixed), 4);       // 17, 41
  EXPECT_EQ(of_cube(128, fixed), 4);       // 8, 13
  EXPECT_EQ(of_cube(512, all_mirrors), 0); // 349, 258
}

TEST(PassDefault, IsSingleSweepsWhereTilesFitBadly) {
  EXPECT_EQ(sweeps_taken<double>({65, 65, 8192}, all_mirrors), 0);
  EXPECT_EQ(sweeps_taken<double>({65, 65, 8192}, all_periodic), 0);
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
