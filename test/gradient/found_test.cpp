// Reads that adjoints are found to have, against what mathematics says.
#include <ridge/gradient/found.hpp>
#include <ridge/lab/kernels/stencil/diffusion.hpp>
#include <ridge/lab/kernels/stencil/wave.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ridge::gradient {
namespace {

template <class F>
std::vector<Offset> offsets_of(const F& footprint) {
  return {footprint.offsets.begin(), footprint.offsets.end()};
}
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

TEST(FoundReads, OfLinearKernelsAreTheCotangentAlone) {
  const auto found = find_all_reads(lab::Wave<4, 3>{stencil::Laplacian<4, 3>({1, 1, 1})});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_TRUE(found[0].linear());
  EXPECT_THAT(found[0].cotangent, UnorderedElementsAreArray(offsets_of(stencil::star<2>())));
  EXPECT_EQ(found[0].flops, 2 * 13 - 1);
  EXPECT_TRUE(found[1].linear());
  EXPECT_THAT(found[1].cotangent, UnorderedElementsAreArray({Offset{}}));
}

TEST(FoundReads, AreNoMoreThanDerivativesNeed) {
  const auto found = find_all_reads(lab::Diffusion{}); // footprints alone say 25 points of each
  ASSERT_THAT(found, SizeIs(2));
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_FALSE(found[i].linear());
    EXPECT_THAT(found[i].inputs[i], IsEmpty());
    EXPECT_THAT(found[i].inputs[1 - i], UnorderedElementsAreArray(offsets_of(stencil::star<1>())));
    EXPECT_THAT(found[i].cotangent, UnorderedElementsAreArray(offsets_of(stencil::star<1>())));
  }
}

/// Upwind by the sign of another field, in one direction.
struct Upwind {
  static constexpr auto footprints = std::make_tuple(
      stencil::Footprint<3>{{{{0, 0, 0}, {-1, 0, 0}, {2, 0, 0}}}}, stencil::point());
  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    return select(v(0, 0, 0) > 0, u(0, 0, 0) - u(-1, 0, 0), u(2, 0, 0));
  }
};

TEST(FoundReads, OfChoicesAreWhatTheyAreMadeBy) {
  const auto found = find_all_reads(Upwind{});
  EXPECT_THAT(found[0].inputs[0], IsEmpty());
  EXPECT_THAT(found[0].inputs[1], UnorderedElementsAreArray({Offset{}, Offset{1}, Offset{-2}}));
  EXPECT_THAT(found[0].cotangent, UnorderedElementsAreArray({Offset{}, Offset{1}, Offset{-2}}));
  EXPECT_THAT(found[1].cotangent, IsEmpty()); // a comparison has no derivative
}

struct Counts {
  static constexpr auto footprint = stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return select(u(1, 0, 0) > u(0, 0, 0), 1, 0) + floor(u(-1, 0, 0));
  }
};

TEST(FoundReads, AreNoneOfWholeNumbersAndComparisons) {
  EXPECT_THAT(find_all_reads(Counts{})[0].cotangent, IsEmpty());
}

TEST(FoundReads, AreDeclaredAsTypesOfTheirOwn) {
  const auto found = find_all_reads(Upwind{});
  const ReadsText text = reads_text(found);
  EXPECT_NE(text.text.find("struct " + text.name + "_0 {"), std::string::npos);
  EXPECT_NE(text.text.find("struct " + text.name + "_1 {"), std::string::npos);
  EXPECT_NE(text.text.find("Footprint<0>{}"), std::string::npos);
  EXPECT_NE(reads_text(find_all_reads(Counts{})).name, text.name);
}

} // namespace
} // namespace ridge::gradient
