// The bodies of all GPU kernels that executors launch, compiled one by one as NVRTC and hiprtc do
// it when they are asked for on demand.
#include <ridge/device/library.hpp>

#include "launch/amd_notes.hpp"
#include "launch/architecture.hpp"
#include "launch/image.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

namespace ridge {
namespace {

struct Body {
  const char* pattern;
  const char* type;
  int spilled = 0; ///< scalars that hiprtc may put into vector lanes
};

constexpr Body bodies[] = {
    {"pairs", "pairs::gpu::Mutual<pairs::Gravity<>, pairs::Mixed, pairs::SymmetricVariant{4, 2}>"},
    {"pairs", "pairs::gpu::JoinSums<pairs::Gravity<>, pairs::Mixed>"},
    {"lattice", "lattice::gpu::FlatMap<lattice::Axpy<double>, double, 4, lattice::Store::plain>"},
    {"lattice", "lattice::gpu::Shift<float>"},
    {"lattice",
     "lattice::gpu::FlatReduce<double, lattice::Norm2, false, lattice::PlainSum<double>, 4>"},
    {"lattice",
     "lattice::gpu::FlatReduce<float, lattice::InnerProduct, true, lattice::BinnedSum<double>, 4>",
     64},
    {"lattice",
     "lattice::gpu::FlatReduce<float, lattice::Max, false, lattice::Greatest<double>, 4>"},
    {"lattice", "lattice::gpu::RollReduce<double, lattice::Norm2, false, 8>"},
    {"lattice", "lattice::gpu::OnceReduce<double, lattice::AxpyNorm<double>, false, "
                "lattice::PlainSum<double>, 1>"},
    {"lattice", "lattice::gpu::FoldPass<lattice::PlainSum<double>>"},
    {"lattice", "lattice::gpu::FinishPass<lattice::PlainSum<double>>"},
    {"lattice", "lattice::gpu::StageBundle<float>"},
    {"lattice", "lattice::gpu::StageNumber<float, lattice::Norm2>"},
    {"lattice", "lattice::gpu::SiteLoop<lattice::StoreExpression<lattice::ColourVector<double>, "
                "Residual, false>, 1024, 16>"},
    {"lattice", "lattice::gpu::SiteReduce<lattice::detail::Summand<lattice::Norm2, false, "
                "Residual>, lattice::SiteVariant{lattice::Components::threads, 256}>"},
    {"lattice",
     "lattice::gpu::SiteReduce<lattice::detail::Summand<lattice::Norm2, true, "
     "Residual>, lattice::SiteVariant{lattice::Components::serial, 256}>",
     64},
    {"chain", "chain::gpu::Points<lab::Stream<4>, double, 0, 3, 2>"},
    {"chain", "chain::gpu::Tiles<atmosphere::SweepX, double, 0, 1>", 160},
    {"chain", "chain::gpu::Exchange<atmosphere::SweepX, double, 0, 1>", 64},
    {"chain", "chain::gpu::BlockExchange<atmosphere::SweepX, double, 0, 1>", 64},
    {"chain", "chain::gpu::March<atmosphere::SweepZ, double, 0, 1>", 64},
};

void PrintTo(const Body& body, std::ostream* out) {
  *out << body.type;
}

class Bodies : public ::testing::TestWithParam<std::tuple<test::Architecture, Body>> {};

TEST_P(Bodies, AreCompiledAlone) {
  const auto& [architecture, of] = GetParam();
  const Body& body = of;
  if (const std::string missing = test::missing_for(architecture); !missing.empty())
    GTEST_SKIP() << missing;
  const auto* const place = std::find_if(std::begin(bodies), std::end(bodies), [&](const Body& b) {
    return b.type == body.type; // the same text
  });
  if (!test::is_of_part(static_cast<std::size_t>(place - std::begin(bodies)), body.type))
    GTEST_SKIP() << "of a part that RIDGE_GPU_CHECKED does not name";
  const std::string pattern = body.pattern;
  launch::Demand d;
  d.source = "ridge/lab/kernels/" + pattern + ".hpp";
  if (std::string_view(body.type).find("<atmosphere::") != std::string_view::npos) {
    d.source = "ridge/atmosphere/kernels.hpp";
    if (!std::filesystem::exists(std::filesystem::path(headers_folder()) / d.source))
      GTEST_SKIP() << "this build has no atmosphere";
  }
  d.bodies =
      pattern == "pairs" ? "ridge/pairs/gpu/symmetric.hpp" : "ridge/" + pattern + "/gpu/bodies.hpp";
  d.definitions =
      "#define RIDGE_PAIRS_SYMMETRIC 4, 2\nnamespace ridge {}\nusing namespace ridge;\n";
  std::string text = launch::body_text(architecture.kind, d, body.type);
  // The residual b - U x, which is what expressions are shown with.
  text.insert(text.find("namespace { using Body"),
              pattern != "lattice"
                  ? ""
                  : "using Residual = lattice::Combined<lattice::detail::Difference, "
                    "lattice::Leaf<lattice::ColourVector<double>>, "
                    "lattice::Times<lattice::Applied<lattice::detail::Adjoint, "
                    "lattice::Leaf<lattice::ColourMatrix<double>>>, "
                    "lattice::Leaf<lattice::ColourVector<double>>>>;\n");
  const auto compiled = test::compile(architecture, text);
  ASSERT_TRUE(compiled.done) << compiled.report;
  EXPECT_THAT(compiled.image, ::testing::HasSubstr("ridge_facts"));
  if (architecture.kind != DeviceKind::hip) return;
  EXPECT_EQ(test::amd_note(compiled.image, "vgpr_spill_count"), 0);
  EXPECT_LE(test::amd_note(compiled.image, "sgpr_spill_count"), body.spilled);
}

std::string name_of(const ::testing::TestParamInfo<Bodies::ParamType>& test) {
  const auto& [architecture, body] = test.param;
  std::string name = body.type; // up to its parameters
  name = name.substr(0, name.find('<'));
  name = name.substr(name.rfind(':') + 1);
  return fmt::format("{}_{}_{}", architecture.name, name, test.index);
}

INSTANTIATE_TEST_SUITE_P(Of, Bodies,
                         ::testing::Combine(::testing::Values(test::hopper, test::mi200),
                                            ::testing::ValuesIn(bodies)),
                         name_of);

} // namespace
} // namespace ridge
