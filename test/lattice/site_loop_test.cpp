// Site kernels with neighbours: how their fields lie, and what is known of it when they are
// compiled.
#include <ridge/lattice/site_call.hpp>

#include "site_loop_kernels.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ridge::lattice {
namespace {

using test::random_field;
using Vectors = Field<ColourVector<double>>;

TEST(Neighbours, AreWhereTheirCoordinatesSay) {
  for (const Lattice& on :
       {Lattice({8, 3, 4}), Lattice({64}), Lattice({2, 2, 2, 2, 2}, 128), Lattice({6, 10, 4}),
        Lattice({1, 4, 1, 4}), Lattice({2, 8, 1}, 128), Lattice({16, 5}, 256)}) {
    const Geometry g = on.geometry(16);
    for (Index group = 0; group < g.groups; ++group) {
      for (int lane = 0; lane < g.nsimd; ++lane) {
        const Place here{group, lane};
        const Position at = g.position(here);
        EXPECT_EQ(at.x, g.coordinates(here));
        for (int d = 0; d < g.rank; ++d) {
          EXPECT_EQ(at.within[d], at.x[d] % g.local[d]);
          for (const bool back : {false, true}) {
            Coordinates x = at.x;
            const int n = g.extent(d);
            x[d] = (x[d] + (back ? n - 1 : 1)) % n;
            const Place right = g.place(x);
            const Place next = g.next(here, at.x[d], at.within[d], d, back);
            EXPECT_EQ(next.group, right.group) << to_text(on) << " along " << d;
            EXPECT_EQ(next.lane, right.lane) << to_text(on) << " along " << d;
          }
        }
      }
    }
  }
}

// Else a branch stands between any two loads, which made them take five times as long.
TEST(SiteKernels, ThatNameTheirFieldsAreCompiledForWhereTheyLie) {
  static_assert(!SiteLoopAhead<test::Named>::values[0].apart);
  static_assert(SiteLoopAhead<test::Unnamed>::values[0].apart);
  const Device device("cpu");
  const Vectors z(device, Lattice({4, 4, 4}));
  const Vectors same(device, Lattice({4, 4, 4}));
  const Vectors other(device, Lattice({4, 4, 4}, 256));
  const auto variant = [&](const auto& kernel) {
    return site_loop_variant(
        GpuSchedule{}, SiteLoopCall<ColourVector<double>, std::remove_cvref_t<decltype(kernel)>>{
                           z.view(), kernel});
  };
  EXPECT_FALSE(variant(test::Named{{same.view(), z.view()}}).apart);
  EXPECT_TRUE(variant(test::Named{{other.view(), z.view()}}).apart);
  EXPECT_TRUE(variant(test::Unnamed{same.view(), z.view()}).apart);
  const Field<double> w(device, Lattice({4, 4, 4}, 256)); // numbers of another size: looked up
  EXPECT_FALSE(variant(test::Weighted{same.view(), w.view(), z.view()}).apart);
}

class SiteKernelsOn : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  Lattice lattice{{4, 6, 2, 4}};
  Vectors z{device, lattice, "z"};

  static Index neighbour(const Lattice& on, Index i, int d, int by) {
    Index stride = 1;
    for (int k = 0; k < d; ++k)
      stride *= on.extents()[k];
    const Index n = on.extents()[d];
    const Index x = i / stride % n;
    return i + ((x + by + n) % n - x) * stride;
  }
  /// The sites that the kernel leaves in z, poisoned before.
  template <class K>
  std::vector<ColourVector<double>> run(const K& kernel) {
    std::vector<ColourVector<double>> poison(static_cast<std::size_t>(lattice.sites()));
    for (auto& site : poison) {
      for (int c = 0; c < 3; ++c)
        site(c) = Complex<double>(std::numeric_limits<double>::quiet_NaN(), 0);
    }
    z.set(queue, poison);
    run_once(queue, SiteLoopCall<ColourVector<double>, K>{z.view(), kernel});
    return z.get(queue);
  }
};

TEST_P(SiteKernelsOn, ReadFieldsOfAnotherWidthAndOfOtherNumbers) {
  // The second is compiled on demand where kernels are compiled for where fields lie.
  for (const int width : {64, 256}) {
    const Lattice other({4, 6, 2, 4}, width);
    const auto a = random_field<ColourVector<double>>(queue, other, 1);
    const auto w = random_field<double>(queue, Lattice({4, 6, 2, 4}, 128), 2);
    const auto a_sites = a.get(queue);
    const auto w_sites = w.get(queue);
    for (const int d : {0, 1, 2, 3}) {
      const auto named = run(test::Named{{a.view(), z.view(), d}});
      const auto unnamed = run(test::Unnamed{a.view(), z.view(), d});
      for (Index i = 0; i < lattice.sites(); ++i) {
        const auto& right = a_sites[static_cast<std::size_t>(neighbour(lattice, i, d, 1))];
        ASSERT_EQ(named[static_cast<std::size_t>(i)], right) << width << " along " << d;
        ASSERT_EQ(unnamed[static_cast<std::size_t>(i)], right) << width << " along " << d;
      }
      if (width != 64) continue;
      const auto weighted = run(test::Weighted{a.view(), w.view(), z.view(), d});
      for (Index i = 0; i < lattice.sites(); ++i) {
        const auto& ahead = a_sites[static_cast<std::size_t>(neighbour(lattice, i, d, 1))];
        const double by = w_sites[static_cast<std::size_t>(neighbour(lattice, i, d, -1))];
        for (int c = 0; c < 3; ++c) { // random numbers are short: nothing is rounded
          const auto& here = a_sites[static_cast<std::size_t>(i)](c);
          const auto& got = weighted[static_cast<std::size_t>(i)](c);
          ASSERT_EQ(got.re, ahead(c).re + by * here.re) << "along " << d;
          ASSERT_EQ(got.im, ahead(c).im + by * here.im) << "along " << d;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Here, SiteKernelsOn, ::testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

} // namespace
} // namespace ridge::lattice
