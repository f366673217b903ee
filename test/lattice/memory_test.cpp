// What launches over lattices write lies apart from their other fields, or is one of them as a
// whole.
#include <ridge/lattice/launch.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/lattice/site_call.hpp>

#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::lattice {
namespace {

using ::testing::StartsWith;

/// Says which fields it touches, and nothing else.
struct TouchesTwo {
  SiteView<const double> read;
  SiteView<double> written;
  template <class At>
  RIDGE_FN void operator()(const At& /*at*/) const {}
  template <class F>
  void for_each_view(const F& f) const {
    f(read);
    f(written);
  }
};

class LatticeMemory : public ::testing::Test {
protected:
  using RealField = Field<double>;
  static constexpr const char* nothing = "nothing was refused";
  Device device{"cpu"};
  Queue queue{device};
  Lattice lattice{{8, 8}};
  RealField fields{device, Lattice({8, 24})}; // three of them, one behind the other
  Index size = lattice.sites();

  [[nodiscard]] Span<double> field(int i) const { return {fields.reals().data + i * size, size}; }
  /// Not at the begin of a field, but at a vector's.
  [[nodiscard]] Span<double> between() const { return {fields.reals().data + 8, size}; }
  /// Where no vector begins.
  [[nodiscard]] Span<double> askew() const { return {fields.reals().data + size + 1, size}; }
  [[nodiscard]] Geometry geometry() const { return lattice.geometry(sizeof(double)); }

  template <class Call>
  std::string refused(const Call& call) {
    return ridge::test::refused([&] { (void)Pattern<Call>(queue, call, CpuSchedule{}); });
  }
};

TEST_F(LatticeMemory, OfAMapMayBeAnInputs) {
  MapCall<Axpy<double>, double> call{{2},      shape_of<double>(), geometry(),
                                     field(0), field(1),           field(2)};
  EXPECT_EQ(refused(call), nothing);
  call.z = field(1);
  EXPECT_EQ(refused(call), nothing);
  call.z = between();
  EXPECT_THAT(refused(call), StartsWith("field z overlaps field x"));
  call.z = askew();
  EXPECT_THAT(refused(call), StartsWith("field z begins at an address that is no multiple of 64"));
}

TEST_F(LatticeMemory, OfAShiftIsApart) {
  ShiftCall<double> call{shape_of<double>(), geometry(), field(0), field(1), 0, 1};
  EXPECT_EQ(refused(call), nothing);
  call.z = field(0);
  EXPECT_THAT(refused(call), StartsWith("field z overlaps field x"));
  call.z = between();
  EXPECT_THAT(refused(call), StartsWith("field z overlaps field x"));
}

TEST_F(LatticeMemory, OfAResultIsInNoField) {
  ReduceCall<Norm2, double> call;
  call.shape = shape_of<double>();
  call.geometry = geometry();
  call.x = field(0);
  call.result = {field(1).data, 1};
  EXPECT_EQ(refused(call), nothing);
  call.result = {field(0).data + 5, 1};
  EXPECT_THAT(refused(call), StartsWith("the result overlaps field x"));
  ReduceCall<AxpyNorm<double>, double> stores;
  stores.shape = shape_of<double>();
  stores.geometry = geometry();
  stores.x = field(0);
  stores.y = stores.z = field(1);
  stores.result = {field(2).data, 1};
  EXPECT_EQ(refused(stores), nothing);
  stores.z = between();
  EXPECT_THAT(refused(stores), StartsWith("field z overlaps field x"));
}

TEST_F(LatticeMemory, OfAnExpressionMayBeTheResultsWhereItIsNeededInPlace) {
  const RealField x(device, lattice, "x");
  const auto with = [&](const auto& expression, const Span<double>& to) {
    auto call = assign_call(RealField(device, lattice, "z"), expression);
    call.z.reals = to;
    return refused(call);
  };
  EXPECT_EQ(with(2.0 * x, x.reals()), nothing);
  EXPECT_THAT(with(shift(x, 0, 1), x.reals()), StartsWith("the result overlaps field 0"));
}

TEST_F(LatticeMemory, OfASiteKernelOverlapsNoOtherInPart) {
  const auto with = [&](const Span<double>& written) {
    const SiteView<double> view(field(0), geometry());
    const TouchesTwo kernel{view, SiteView<double>(written, geometry())};
    return refused(SiteLoopCall<double, TouchesTwo>{view, kernel});
  };
  EXPECT_EQ(with(field(1)), nothing);
  EXPECT_EQ(with(field(0)), nothing);
  EXPECT_THAT(with(between()), StartsWith("field 1 overlaps field 0"));
}

} // namespace
} // namespace ridge::lattice
