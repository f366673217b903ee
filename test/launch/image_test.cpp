// Kernels compiled alone, by NVRTC and hiprtc: what can be shown of them without a GPU.
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/march_limits.hpp>

#include "launch/amd_notes.hpp"
#include "launch/architecture.hpp"
#include "launch/image.hpp"
#include "launch/image_facts.hpp"
#include "launch/kernel_compiler.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace ridge {
namespace {

using launch::Demand;
using launch::KernelCompiler;
using ::testing::HasSubstr;

constexpr const char* points =
    "2, ridge::stencil::Loads::ascending, ridge::stencil::Store::plain, 256";
constexpr const char* march =
    "128, 2, 4, ridge::stencil::Store::plain, ridge::stencil::Rows::packs";

constexpr const char* march_of_tiles =
    "64, 8, 2, ridge::stencil::Store::plain, ridge::stencil::Rows::packs, false, true";
constexpr const char* window =
    "32, 8, 2, ridge::stencil::Store::nontemporal, ridge::stencil::Rows::packs";

/// How a body of this variant is compiled; `form` is "points", "march" or "window".
Demand demand_of(const std::string& form, const std::string& variant, const std::string& kernel,
                 const std::string& precision,
                 const std::string& source = "ridge/lab/kernels/stencil.hpp") {
  const bool tiles = form == "points";
  const bool bulk = form == "march";
  Demand d;
  d.source = source;
  d.definitions = fmt::format("#define RIDGE_STENCIL_{} {}\n",
                              tiles  ? "POINTS"
                              : bulk ? "MARCH"
                                     : "WINDOW",
                              variant);
  d.image = {fmt::format("ridge/stencil/gpu/{}.hpp", form),
             fmt::format("ridge::stencil::gpu::{}<{}, {}, ridge::stencil::demanded_{}[0]>",
                         tiles  ? "Points"
                         : bulk ? "March"
                                : "WindowMarch",
                         kernel, precision, form),
             nullptr, 0};
  return d;
}

using test::Architecture;

KernelCompiler::Compiled compile(const Architecture& a, const Demand& d,
                                 const std::string& more = {}) {
  return test::compile(a, launch::image_text(a.kind, d) + more);
}

class Images : public ::testing::TestWithParam<Architecture> {
protected:
  void SetUp() override {
    if (const std::string missing = test::missing_for(architecture); !missing.empty())
      GTEST_SKIP() << missing;
  }
  /// Compiles a body, and looks at its code: nothing of a lane's went to memory.
  void expect_good(const Demand& d) const {
    const auto compiled = compile(architecture, d);
    ASSERT_TRUE(compiled.done) << d.image->body << "\n" << compiled.report;
    ASSERT_THAT(compiled.image, ::testing::StartsWith("\x7f"
                                                      "ELF"));
    EXPECT_THAT(compiled.image, HasSubstr("ridge_facts"));
    if (architecture.kind != DeviceKind::hip) return;
    EXPECT_EQ(test::amd_note(compiled.image, "vgpr_spill_count"), 0) << d.image->body;
    // Scalars that do not fit go to lanes of a vector register, not to memory
    // (docs/design/stencils_on_gpus.md).
    EXPECT_LE(test::amd_note(compiled.image, "sgpr_spill_count"), 24) << d.image->body;
    const int registers = test::amd_note(compiled.image, "vgpr_count");
    EXPECT_GT(registers, 8) << d.image->body;
    EXPECT_LE(registers, 256) << d.image->body; // two waves on a SIMD
  }
  const Architecture architecture = GetParam();
  const bool bulk = architecture.kind == DeviceKind::cuda;
};

TEST_P(Images, AreCompiledOfEveryBuiltInStencil) {
  const std::string headers = "ridge/lab/kernels/stencil/";
  std::size_t n = 0;
  for (const auto& [kernel, header] :
       {std::pair{"ridge::stencil::Laplacian<2, 3>", "laplacian.hpp"},
        {"ridge::stencil::Laplacian<8, 3>", "laplacian.hpp"},
        {"ridge::stencil::Box27", "box27.hpp"},
        {"ridge::lab::Diffusion", "diffusion.hpp"}}) {
    if (!test::is_of_part(n++, kernel)) continue;
    expect_good(demand_of("points", points, kernel, "double", headers + header));
    expect_good(demand_of("window", window, kernel, "double", headers + header));
    if (bulk) expect_good(demand_of("march", march, kernel, "double", headers + header));
  }
}

TEST_P(Images, AreCompiledOfEveryBuiltInInteraction) {
  std::size_t n = 0;
  for (const char* const name :
       {"Gravity<>", "Coulomb", "LennardJones", "Gaussian", "BiotSavart"}) {
    if (!test::is_of_part(n++, name)) continue;
    Demand d;
    d.source = "ridge/lab/kernels/pairs.hpp";
    d.definitions = "#define RIDGE_PAIRS_DIRECT ridge::pairs::Stage::warp, 2, 4, 2\n";
    d.image = {"ridge/pairs/gpu/direct.hpp",
               fmt::format("ridge::pairs::gpu::Direct<ridge::pairs::{}, ridge::pairs::Mixed, "
                           "ridge::pairs::demanded_direct[0]>",
                           name),
               nullptr, 0};
    expect_good(d);
  }
}

stencil::GpuSchedule window_schedule() {
  stencil::GpuSchedule s;
  s.block = BlockShape{{32, 8, 1}};
  s.tile = 2;
  return s;
}

/// The host fills in a body that it has no type of: both compilers must lay it out alike.
TEST_P(Images, HaveTheLayoutOfTheHost) {
  const auto check = [&](const Demand& d, const stencil::gpu::BodyFacts& f, Index plane) {
    const auto compiled =
        compile(architecture, d,
                fmt::format("constexpr auto f = Body::facts();\n"
                            "static_assert(sizeof(Body) == {0} && f.bytes == {0});\n"
                            "static_assert(f.call_bytes == {1} && f.in_offset == {2});\n"
                            "static_assert(f.out_offset == {3} && f.plan_offset == {4});\n"
                            "static_assert(f.misfit_offset == {5} && f.inputs == {6});\n"
                            "static_assert(f.element_bytes == {7} && f.radius.z == {8});\n"
                            "static_assert(f.march.stage_bytes == {9} && f.march.held == {10});\n"
                            "static_assert(sizeof(ridge_facts) == {11});\n",
                            f.bytes, f.call_bytes, f.in_offset, f.out_offset, f.plan_offset,
                            f.misfit_offset, f.inputs, f.element_bytes, f.radius.z, plane,
                            f.march.held, sizeof f));
    EXPECT_TRUE(compiled.done) << compiled.report;
  };
  const std::string kernel = "ridge::stencil::Laplacian<4, 3>";
  check(demand_of("points", points, kernel, "float"), test::points_facts(), 0);
  // A GPU that copies planes has them in other rows; what a launch takes of this the image says.
  const auto traits = stencil::traits_of<stencil::Laplacian<4, 3>, double>();
  const Index loaded = stencil::window_bytes(window_schedule(), traits, DeviceKind::hip) / 2;
  check(demand_of("window", window, kernel, "double"), test::window_facts(),
        bulk ? test::window_facts().march.stage_bytes : loaded);
  if (bulk)
    check(demand_of("march", march, kernel, "double"), test::march_facts(),
          test::march_facts().march.stage_bytes);
}

/// Maps lie in the body as the copy engine reads them; the image says of what tiles.
TEST_P(Images, SayWhereTheMapsOfTilesLie) {
  if (!bulk) GTEST_SKIP() << "for GPUs that copy tiles";
  const auto compiled =
      compile(architecture,
              demand_of("march", march_of_tiles, "ridge::lab::Wave<8, 3>", "double",
                        "ridge/lab/kernels/stencil/wave.hpp"),
              "constexpr auto f = Body::facts();\n"
              "static_assert(f.maps_offset % 64 == 0 && f.maps_offset >= f.misfit_offset + 8);\n"
              "static_assert(f.bytes == f.maps_offset + 256 && f.misfit_offset > f.plan_offset);\n"
              "static_assert(f.tiles[0].x == 136 && f.tiles[0].y == 24);\n" // 4 points around
              "static_assert(f.tiles[1].x == 128 && f.tiles[1].y == 16);\n");
  EXPECT_TRUE(compiled.done) << compiled.report;
}

INSTANTIATE_TEST_SUITE_P(Of, Images,
                         ::testing::Values(test::hopper, test::mi200,
                                           Architecture{DeviceKind::hip, "gfx1100"}),
                         test::name_of);

/// An hiprtc of ROCm 5.2 ends the process when it is asked for what came after it.
TEST(AmdArchitectures, AreAskedForBeforeTheyAreCompiledFor) {
  if (const std::string missing = test::missing_for(test::mi200); !missing.empty())
    GTEST_SKIP() << missing;
  const KernelCompiler* const hiprtc = KernelCompiler::here(DeviceKind::hip);
  EXPECT_FALSE(hiprtc->takes("gfx0"));
  EXPECT_FALSE(hiprtc->takes("R600 Clause Merge"));
  EXPECT_FALSE(hiprtc->takes(""));
}

TEST(WindowFacts, TakeTheSharedMemoryThatIsSaidOfThem) {
  const auto traits = stencil::traits_of<stencil::Laplacian<4, 3>, double>();
  const auto facts = test::window_facts().march;
  EXPECT_EQ(stencil::window_bytes(window_schedule(), traits, DeviceKind::cuda),
            Index{facts.planes} * facts.stage_bytes + facts.target_bytes);
}

class ImageSources : public Images {
protected:
  ImageSources() {
    std::filesystem::create_directories(folder);
    write("kernel.hpp",
          "#pragma once\n#include <ridge/stencil/kernel.hpp>\n#include \"part.hpp\"\n"
          "struct Mine {\n  static constexpr auto footprint = "
          "ridge::stencil::star<1>();\n  template <class N>\n"
          "  RIDGE_FN auto operator()(const N& u) const { return weight * u(1, 0, 0); "
          "}\n};\n");
    write("part.hpp", "#pragma once\n#include <cmath>\nconstexpr double weight = 0.5;\n");
  }
  ~ImageSources() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder + name) << text;
  }
  // Its own: other tests of this class may run at the same time.
  std::string folder = fmt::format("{}ridge-image-sources-{}/", ::testing::TempDir(), getpid());
};

TEST_P(ImageSources, NameTheLineOfTheUsersError) {
  const Demand good = demand_of("points", points, "Mine", "double", folder + "kernel.hpp");
  const auto compiled = compile(architecture, good);
  EXPECT_TRUE(compiled.done) << compiled.report;
  write("part.hpp", "#pragma once\nconstexpr double weihgt = 0.5;\n");
  const auto refused = compile(architecture, good);
  EXPECT_FALSE(refused.done);
  EXPECT_THAT(refused.report, HasSubstr(folder + (bulk ? "kernel.hpp(7): error: " // NVRTC
                                                       : "kernel.hpp:7:")));
}

INSTANTIATE_TEST_SUITE_P(Of, ImageSources, ::testing::Values(test::hopper, test::mi200),
                         test::name_of);

} // namespace
} // namespace ridge
