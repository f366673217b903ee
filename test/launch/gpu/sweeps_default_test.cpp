// What is chosen of many sweeps on a GPU of compute capability 9.0, by what is compiled ahead.
#include <ridge/device/offer.hpp>
#include <ridge/lab/kernels/stencil/wave_passes.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/pass_executor.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

namespace ridge::stencil {
namespace {

using Known = Laplacian<2, 3>;
using Unknown = Laplacian<4, 3>;

/// Of Known, passes of four and of three sweeps are compiled, where no face moves.
const Offer offered{DeviceKind::cuda, typeid(PassesAhead<Known, double>),
                    +[](const GpuPassVariant& v) {
                      const GpuPassShape usual = usual_pass_shape(v.sweeps, 1, 1);
                      return v.sweeps >= 3 && v.rows == usual.rows && v.warps == usual.warps &&
                             v.store == Store::plain && !v.moving;
                    }};

/// Of waves those that the built-in kernel has compiled.
using Wave = lab::Wave<2, 3>;
const Offer offered_of_waves{DeviceKind::cuda, typeid(PassesAhead<Wave, double>),
                             +[](const GpuPassVariant& v) {
                               const auto& all = GpuPassList<Wave, double>::values;
                               return std::find(all.begin(), all.end(), v) != all.end();
                             }};

/// Those that the built-in kernel has compiled.
struct Heat : Known {};
template <class T>
bool has_pass_of_heat(const GpuPassVariant& v) {
  const auto& all = GpuPassList<Heat, T>::values;
  return std::find(all.begin(), all.end(), v) != all.end();
}
const Offer offered_of_heat{DeviceKind::cuda, typeid(PassesAhead<Heat, double>),
                            &has_pass_of_heat<double>};
const Offer offered_of_heat_in_fp32{DeviceKind::cuda, typeid(PassesAhead<Heat, float>),
                                    &has_pass_of_heat<float>};

template <class K, class T = double>
std::string chosen(Index3 n, const char* boundaries = "untouched", int ranks = 1) {
  const Device device("cuda:0");
  const SweepsSchedule s = default_sweeps(device, traits_of<K, T>(), parse_boundaries(boundaries),
                                          n, ranks, levels_of<K>());
  return s.pass ? to_text(*s.pass) : "single";
}

TEST(SweepsDefault, ArePassesWhereTheyAreCompiledAhead) {
  EXPECT_EQ(chosen<Known>({128, 128, 128}), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ(chosen<Known>({128, 128, 128}, "x=dirichlet:1,y=dirichlet:0,z=untouched"),
            "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ(chosen<Unknown>({128, 128, 128}), "single");
  EXPECT_EQ(chosen<Known>({128, 128, 128}, "x=periodic"), "single");
}

TEST(SweepsDefault, ArePassesBetweenFacesThatMoveWhereTilesFit) {
  constexpr const char* four = "sweeps=4 rows=2 warps=16 store=plain";
  constexpr const char* three = "sweeps=3 rows=3 warps=12 store=plain";
  EXPECT_EQ(chosen<Heat>({128, 128, 128}), four);
  EXPECT_EQ(chosen<Heat>({128, 128, 128}, "x=periodic"), "single");
  EXPECT_EQ(chosen<Heat>({256, 256, 256}, "x=mirror"), four);
  EXPECT_EQ(chosen<Heat>({256, 256, 256}, "x=periodic"), four);
  EXPECT_EQ(chosen<Heat>({384, 384, 384}, "z-=mirror,y=neumann:1"), three);
  EXPECT_EQ(chosen<Heat>({512, 512, 512}, "x=mirror"), three);
  EXPECT_EQ(chosen<Heat>({512, 512, 512}, "x=periodic"), three);
  EXPECT_EQ((chosen<Heat, float>({384, 384, 384}, "x=mirror")), four);
  EXPECT_EQ((chosen<Heat, float>({128, 128, 128}, "x=mirror")), "single");
}

TEST(SweepsDefault, ArePassesOfHeatIn16BitsThoughNothingOfThemIsCompiledAhead) {
  EXPECT_EQ((chosen<Known, Fp16>({512, 512, 512})), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ((chosen<Known, Bf16>({512, 512, 512}, "x=mirror")), "single");
  EXPECT_EQ((chosen<Unknown, Fp16>({512, 512, 512})), "single"); // has none
}

/// A kernel that reads its inputs as waves do, and whose second input is a coefficient.
struct WithCoefficient : Wave {
  static constexpr int levels = 1;
};

TEST(SweepsDefault, ArePassesOfWavesIn16BitsBetweenFacesThatDoNotMove) {
  constexpr const char* faces = "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0";
  EXPECT_EQ((chosen<Wave, Fp16>({512, 512, 512}, faces)), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ((chosen<Wave, Bf16>({512, 512, 512})), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ((chosen<Wave, Fp16>({512, 512, 512}, "x=mirror")), "single");
  EXPECT_EQ((chosen<lab::Wave<8, 3>, Bf16>({512, 512, 512})), "single");
  EXPECT_EQ((chosen<WithCoefficient, Bf16>({512, 512, 512})), "single"); // has none
}

TEST(SweepsDefault, ArePassesOfWavesOfOrderTwo) {
  EXPECT_EQ(chosen<Wave>({128, 128, 128}), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ(chosen<Wave>({64, 64, 64}), "single");
  EXPECT_EQ(chosen<Wave>({128, 128, 128}, "x=periodic"), "single");
  EXPECT_EQ(chosen<Wave>({384, 384, 384}, "x=mirror,y=periodic"),
            "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ((chosen<lab::Wave<8, 3>>({128, 128, 128})), "single");
  using Passes = lab::Ahead<Pass<Wave, float>, Pass<Wave, double>>;
  EXPECT_TRUE((std::is_same_v<lab::WavePasses::ahead, Passes>));
}

TEST(SweepsDefault, AreSingleWhereFieldsAreSmallOrNarrowOrOnSeveralRanks) {
  EXPECT_EQ(chosen<Known>({64, 64, 64}), "single");
  EXPECT_EQ(chosen<Known>({64, 64, 1024}), "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ(chosen<Known>({63, 64, 1024}), "single");
  EXPECT_EQ(chosen<Known>({1024, 63, 64}), "single");
  EXPECT_EQ(chosen<Known>({128, 128, 128}, "untouched", 2), "single");
}

TEST(SweepsDefault, IsWhatAutoReads) {
  const Device device("cuda:0");
  const Traits traits = traits_of<Known, double>();
  const Index3 n{128, 128, 128};
  EXPECT_EQ(to_text(parse_sweeps("auto", device, traits, {}, n)),
            to_text(default_sweeps(device, traits, {}, n)));
  EXPECT_FALSE(parse_sweeps("auto", device, traits, {}, n, 2).pass);
  EXPECT_FALSE(parse_sweeps("sweeps=1", device, traits, {}, n).pass);
}

TEST(SweepsDefault, IsComparedWithSingleSweeps) {
  const auto all =
      compared_sweeps(Device("cuda:0"), traits_of<Known, double>(), 1, {}, {128, 128, 128});
  int fours = 0, singles = 0;
  for (const auto& named : all) {
    fours += named.schedule.pass && sweeps_of(*named.schedule.pass) == 4 ? 1 : 0;
    singles += named.name == "single sweeps" ? 1 : 0;
  }
  EXPECT_EQ(fours, 1);
  EXPECT_EQ(singles, 1);
}

TEST(SweepsDefault, KnowsShorterPasses) {
  const Device device("cuda:0");
  const Traits traits = traits_of<Known, double>();
  const Index3 n{128, 128, 128};
  const auto ahead = [&](const char* text) {
    return is_pass_ahead(device, traits, *parse_sweeps(text, device, traits, {}, n).pass, false);
  };
  EXPECT_TRUE(ahead("sweeps=4"));
  EXPECT_TRUE(ahead("sweeps=3"));
  EXPECT_FALSE(ahead("sweeps=2"));
  EXPECT_FALSE(ahead("sweeps=4 rows=3"));
  EXPECT_FALSE(ahead("sweeps=4 store=nontemporal"));
}

} // namespace
} // namespace ridge::stencil
