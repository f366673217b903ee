// Lattices, their layout, and what is refused.
#include <ridge/core/error.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/width.hpp>

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace ridge::lattice {
namespace {

using ::testing::HasSubstr;

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Layout, IsWiderOnGpusWhereTheLatticeCanBeCut) {
  const Device cpu("cpu");
  const Device gpu("simt:32");
  EXPECT_EQ(width_for(cpu, {16, 16, 16, 16}, 16), 64);
  EXPECT_EQ(width_for(gpu, {16, 16, 16, 16}, 16), 256);
  EXPECT_EQ(width_for(gpu, {16, 16, 16, 16}, 4), 256);
  EXPECT_EQ(width_for(gpu, {8, 3, 5}, 16), 128);
  EXPECT_EQ(width_for(gpu, {3, 3, 3}, 16), 64);
  for (const Extents& extents : {Extents{16, 16, 16, 16}, Extents{8, 3, 5}, Extents{12, 10, 7}}) {
    const int width = width_for(gpu, extents, 8);
    if (can_be_cut(extents, width / 8)) {
      EXPECT_EQ(Lattice(extents, width).geometry(8).nsimd, width / 8);
    }
  }
}

TEST(Layout, EverySiteHasAPlaceOfItsOwn) {
  for (const Lattice& lattice : {Lattice({8, 3, 4}), Lattice({64}), Lattice({2, 2, 2, 2, 2}, 128),
                                 Lattice({6, 10, 4}, 64)}) {
    const Geometry g = lattice.geometry(16);
    EXPECT_EQ(g.nsimd, lattice.width() / 16);
    EXPECT_EQ(g.sites(), lattice.sites());
    std::set<std::array<int, max_rank>> seen;
    for (Index group = 0; group < g.groups; ++group) {
      for (int lane = 0; lane < g.nsimd; ++lane) {
        const Coordinates x = g.coordinates({group, lane});
        std::array<int, max_rank> at{};
        for (int d = 0; d < max_rank; ++d) {
          at[static_cast<std::size_t>(d)] = x[d];
          EXPECT_LT(x[d], lattice.extents()[d]);
        }
        EXPECT_TRUE(seen.insert(at).second);
        const Place back = g.place(x);
        EXPECT_EQ(back.group, group);
        EXPECT_EQ(back.lane, lane);
        for (int d = 0; d < g.rank; ++d) {
          for (const int by : {1, -1, 7}) {
            Coordinates y = x;
            y[d] = ((x[d] + by) % g.extent(d) + g.extent(d)) % g.extent(d);
            const Place there = g.shifted({group, lane}, x[d], d, by);
            EXPECT_EQ(there.group, g.place(y).group);
            EXPECT_EQ(there.lane, g.place(y).lane);
          }
        }
      }
    }
  }
}

TEST(Layout, PlainOrderComesBack) {
  Queue queue(Device("cpu"));
  const Lattice lattice({4, 6, 2});
  Field<ColourVector<float>> x(queue.device(), lattice, "x");
  const auto sites = test::random_sites<ColourVector<float>>(lattice, 1);
  x.set(queue, sites);
  EXPECT_EQ(x.get(queue), sites);
  EXPECT_EQ(x.copies().to_device, 1);
  EXPECT_EQ(x.copies().to_host, 1);
  // The second component of the first group's first vector is that of lane 0, not of the next site.
  EXPECT_EQ(x.reals().data[2 * x.geometry().nsimd], sites[0](1).re);
}

TEST(Layout, RefusesExtentsThatCannotBeCutAndSaysWhichCan) {
  EXPECT_THAT(message([] { (void)Lattice({3, 5, 7}).geometry(16); }), HasSubstr("4x5x7"));
  EXPECT_THAT(message([] { (void)Lattice({3, 5, 7}).geometry(16); }), HasSubstr("3x8x7"));
  EXPECT_THAT(message([] { (void)Lattice({6, 5}).geometry(16); }), HasSubstr("8x5"));
  for (const char* const extents : {"4x5x7", "3x8x7", "3x5x8"})
    EXPECT_NO_THROW((void)Lattice(parse_extents(extents)).geometry(16));
  EXPECT_THAT(message([] { Lattice({4, 4}, 48); }), HasSubstr("64, 128, 256, 512 or 1024"));
}

TEST(Layout, RefusesMismatchedFieldsAndMissingDimensions) {
  Queue queue(Device("cpu"));
  const Field<Complex<double>> a(queue.device(), Lattice({8, 4}), "a");
  const Field<Complex<double>> b(queue.device(), Lattice({8, 8}), "b");
  const auto mixed = message([&] { (void)inner_product(queue, a, b); });
  EXPECT_THAT(mixed, HasSubstr("8x4"));
  EXPECT_THAT(mixed, HasSubstr("8x8"));
  EXPECT_THAT(message([&] { (void)slice_sum(queue, a, 2); }), HasSubstr("dimensions 0 to 1"));
  EXPECT_THAT(message([&] { (void)slice_norm2(queue, a, -1); }), HasSubstr("-1"));
  Field<Complex<double>> c(queue.device(), Lattice({8, 4}), "c");
  EXPECT_THAT(message([&] { c.set(queue, std::vector<Complex<double>>(31)); }), HasSubstr("32"));
  EXPECT_THAT(message([&] { (void)sum(queue, a, {GpuSchedule{}}); }), HasSubstr("not one for cpu"));
}

TEST(Layout, CountsTheNeedOfAFieldThatDoesNotFit) {
  const Device device("cpu");
  EXPECT_THAT(message([&] {
                Field<Propagator<double>>(device, Lattice({4096, 4096, 1024, 64}), "p");
              }),
              HasSubstr("p needs"));
}

} // namespace
} // namespace ridge::lattice
