// Lattices over ranks against one rank, bit for bit. Alone this tests one rank; `mpirun -n N
// test_comm` tests N (ctest does).
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "dispatch.hpp"
#include "lattice_kernels.hpp"
#include "on_device.hpp"
#include "ranks_support.hpp"
#include "refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ridge::comm {

namespace {

using lattice::Field;
using lattice::RankLattice;
using lattice::Subset;
using ridge::test::refused;
using test::be_late;
using test::Colour;
using test::Corners;
using test::Hop;
using test::Phase;
using testing::HasSubstr;

/// Random numbers at all sites of extents, of very different sizes where sums are tested.
template <class Site>
std::vector<Site> whole(const Extents& n, std::uint64_t seed, int powers = 0) {
  using Real = lattice::RealOf<Site>;
  std::vector<Site> sites(static_cast<std::size_t>(n.count()));
  auto* const reals = reinterpret_cast<Real*>(sites.data());
  for (std::size_t i = 0; i < sites.size() * sizeof(Site) / sizeof(Real); ++i) {
    const auto k = static_cast<std::int64_t>(i);
    const double size = std::ldexp(1.0, static_cast<int>(powers * random_value(seed + 5, k)));
    reals[i] = static_cast<Real>(size * random_value(seed, k));
  }
  return sites;
}

/// NaN wherever nobody writes.
template <class Site>
void poison(Queue& queue, Field<Site>& field) {
  std::vector<Site> sites(static_cast<std::size_t>(field.lattice().sites()));
  std::memset(static_cast<void*>(sites.data()), 0xff, sites.size() * sizeof(Site));
  field.set(queue, sites);
}

/// What this rank owns of a whole field; NaN around it.
template <class Site>
Field<Site> part_of(Queue& queue, const RankLattice& part, const std::vector<Site>& sites,
                    const char* name) {
  Field<Site> field(queue.device(), part.held(), name);
  std::vector<Site> held(static_cast<std::size_t>(part.held().sites()));
  std::memset(static_cast<void*>(held.data()), 0xff, held.size() * sizeof(Site));
  for (Index i = 0; i < part.owned().count(); ++i)
    held[static_cast<std::size_t>(part.in_held(i))] =
        sites[static_cast<std::size_t>(part.in_whole(i))];
  field.set(queue, held);
  return field;
}
template <class Site>
Field<Site> all_of(Queue& queue, const Extents& n, const std::vector<Site>& sites, const char* name,
                   int width = lattice::Lattice::default_width) {
  Field<Site> field(queue.device(), lattice::Lattice(n, width), name);
  field.set(queue, sites);
  return field;
}

/// How many sites that this rank owns are not those of the whole field, on all ranks.
template <class Site>
double wrong(Queue& queue, const RankLattice& part, const Field<Site>& field,
             const std::vector<Site>& right) {
  const auto mine = lattice::get_owned(queue, field, part);
  double count = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto& there = right[static_cast<std::size_t>(part.in_whole(static_cast<Index>(i)))];
    count += std::memcmp(&mine[i], &there, sizeof(Site)) != 0 ? 1 : 0;
  }
  return world().sum(count);
}

/// All grids over the dimensions of a lattice that leave each rank `depth` sites.
std::vector<RankLattice> parts(const Extents& n, int depth,
                               int width = lattice::Lattice::default_width) {
  std::vector<RankLattice> all;
  const int ranks = world().ranks();
  Index sizes[max_rank] = {1, 1, 1, 1, 1};
  for (int code = 0; code < 1 << 12; ++code) {
    Index count = 1;
    for (int d = 0; d < n.rank(); ++d) {
      sizes[d] = 1 + (code >> (3 * d) & 7);
      count *= sizes[d];
    }
    if (count != ranks || (n.rank() < 4 && code >> (3 * n.rank()) != 0)) continue;
    try {
      all.emplace_back(n, Extents(sizes, n.rank()), world().rank(), depth, width);
    } catch (const UsageError&) { // too few sites for it
    }
  }
  return all;
}

class LatticeOverRanks : public test::OnDevice {
protected:
  Communicator& ranks = world();
  Queue queue{Device(GetParam())};
  /// Parts of 5 and 6 sites, in vectors of 4, 8 and 16 lanes, along some dimensions.
  const Extents four{8, 4, 6, 11};
  const Extents three{16, 13, 12};
};

TEST_P(LatticeOverRanks, AStarIsThatOfOneRank) {
  const auto u = whole<Phase>(four, 1);
  const auto psi = whole<Colour>(four, 2);
  const auto all_u = all_of(queue, four, u, "u");
  const auto all_psi = all_of(queue, four, psi, "psi");
  const lattice::Lattice lattice(four);
  for (const Subset subset : {Subset::all, Subset::odd}) {
    Field<Colour> all_out(queue.device(), lattice, "out");
    poison(queue, all_out);
    lattice::run_once(queue,
                      lattice::SiteLoopCall<Colour, Hop>{
                          all_out.view(), {all_u.view(), all_psi.view(), all_out.view()}, subset});
    const auto right = all_out.get(queue);
    for (const RankLattice& part : parts(four, 1)) {
      const auto my_u = part_of(queue, part, u, "u");
      const auto my_psi = part_of(queue, part, psi, "psi");
      Field<Colour> out(queue.device(), part.held(), "out");
      const lattice::SiteLoopCall<Colour, Hop> call{
          out.view(), {my_u.view(), my_psi.view(), out.view()}, subset};
      lattice::RankProgram hop(ranks, queue, part, call,
                               lattice::RankOptions{{}, {my_u.reals().data}});
      for (int step = 0; step < 3; ++step) {
        poison(queue, out);
        be_late(ranks.rank(), step);
        if (step == 0) { // as its parts first
          hop.run_exchange();
          hop.run_compute();
        } else {
          hop.run();
        }
        queue.wait();
        ASSERT_EQ(wrong(queue, part, out, right), 0) << to_text(part.ranks()) << " step " << step;
      }
      const Record record = hop.record();
      EXPECT_EQ(record.ranks, ranks.ranks());
      EXPECT_EQ(record.work.items, four.count() / (subset == Subset::all ? 1 : 2));
      EXPECT_EQ(record.size, four);
      EXPECT_EQ(record.kernel, "hop");
    }
  }
}

TEST_P(LatticeOverRanks, CornersAreThoseOfOneRank) {
  const auto x = whole<float>(three, 3);
  const auto all_x = all_of(queue, three, x, "x");
  Field<float> all_z(queue.device(), lattice::Lattice(three), "z");
  lattice::run_once(
      queue, lattice::SiteLoopCall<float, Corners>{all_z.view(), {all_x.view(), all_z.view()}});
  const auto right = all_z.get(queue);
  for (const RankLattice& part : parts(three, 2)) {
    const auto my_x = part_of(queue, part, x, "x");
    Field<float> z(queue.device(), part.held(), "z");
    poison(queue, z);
    lattice::RankProgram program(
        ranks, queue, part,
        lattice::SiteLoopCall<float, Corners>{z.view(), {my_x.view(), z.view()}});
    be_late(ranks.rank(), 1);
    program.run();
    queue.wait();
    ASSERT_EQ(wrong(queue, part, z, right), 0) << to_text(part.ranks());
  }
}

TEST_P(LatticeOverRanks, ExpressionsAndShiftsAreThoseOfOneRank) {
  const auto u = whole<Phase>(four, 4);
  const auto psi = whole<Colour>(four, 5);
  const auto all_u = all_of(queue, four, u, "u");
  const auto all_psi = all_of(queue, four, psi, "psi");
  Field<Colour> all_z(queue.device(), lattice::Lattice(four), "z");
  const test::Mixed mixed{all_z.view(), test::mixed(all_u, all_psi)};
  lattice::run_once(queue, lattice::SiteLoopCall<Colour, test::Mixed>{all_z.view(), mixed});
  const auto right = all_z.get(queue);
  for (const RankLattice& part : parts(four, 2)) {
    const auto my_u = part_of(queue, part, u, "u");
    const auto my_psi = part_of(queue, part, psi, "psi");
    Field<Colour> z(queue.device(), part.held(), "z");
    poison(queue, z);
    lattice::RankProgram program(ranks, queue, part,
                                 lattice::assign_call(z, test::mixed(my_u, my_psi)));
    program.run();
    queue.wait();
    ASSERT_EQ(wrong(queue, part, z, right), 0) << to_text(part.ranks());
    for (const auto& [d, by] : {std::pair{0, 1}, {3, -2}, {2, 5}, {1, 4}}) {
      lattice::cshift(queue, all_z, all_psi, d, by);
      lattice::cshift(ranks, queue, part, z, my_psi, d, by);
      ASSERT_EQ(wrong(queue, part, z, all_z.get(queue)), 0)
          << to_text(part.ranks()) << " by " << by << " along " << d;
    }
  }
}

template <class Site>
void compare_sums(Queue& queue, const Extents& n) {
  Communicator& ranks = world();
  const auto x = whole<Site>(n, 6, 20);
  const auto y = whole<Site>(n, 7, 20);
  const auto all_x = all_of(queue, n, x, "x");
  const auto all_y = all_of(queue, n, y, "y");
  const lattice::ReduceOptions reproducible{{}, true};
  const double norm2 = lattice::norm2(queue, all_x, reproducible);
  const auto inner = lattice::inner_product(queue, all_x, all_y, reproducible);
  const auto sum = lattice::sum(queue, all_x, reproducible);
  EXPECT_GT(norm2, 0);
  for (const RankLattice& part : parts(n, 1)) {
    const auto my_x = part_of(queue, part, x, "x");
    const auto my_y = part_of(queue, part, y, "y");
    EXPECT_EQ(lattice::norm2(ranks, queue, part, my_x), norm2) << to_text(part.ranks());
    EXPECT_EQ(lattice::inner_product(ranks, queue, part, my_x, my_y), inner)
        << to_text(part.ranks());
    EXPECT_EQ(lattice::sum(ranks, queue, part, my_x), sum) << to_text(part.ranks());
  }
}

TEST_P(LatticeOverRanks, SumsAreThoseOfOneRank) {
  compare_sums<Colour>(queue, four);
  compare_sums<float>(queue, three);
}

TEST_P(LatticeOverRanks, SumsOfLargeFieldsAreThoseOfOneRank) {
  const Extents n{16, 16, 32, 48};
  const auto x = whole<Colour>(n, 10, 20);
  const auto all_x = all_of(queue, n, x, "x");
  const RankLattice part(n, lattice::choose_ranks(ranks.ranks(), n), ranks.rank());
  const auto my_x = part_of(queue, part, x, "x");
  EXPECT_EQ(lattice::norm2(ranks, queue, part, my_x),
            lattice::norm2(queue, all_x, lattice::ReduceOptions{{}, true}));
}

/// Slices along each dimension, in vectors of `width` bytes.
template <class Site>
void compare_slices(Queue& queue, const Extents& n, int width = lattice::Lattice::default_width) {
  Communicator& ranks = world();
  const auto x = whole<Site>(n, 8, 20);
  const auto y = whole<Site>(n, 9, 20);
  const auto all_x = all_of(queue, n, x, "x", width);
  const auto all_y = all_of(queue, n, y, "y", width);
  const lattice::ReduceOptions reproducible{{}, true};
  const auto all_parts = parts(n, 1, width);
  ASSERT_FALSE(all_parts.empty());
  for (int d = 0; d < n.rank(); ++d) {
    const auto sums = lattice::slice_sum(queue, all_x, d, reproducible);
    const auto norms = lattice::slice_norm2(queue, all_x, d, reproducible);
    const auto inner = lattice::slice_inner_product(queue, all_x, all_y, d, reproducible);
    ASSERT_EQ(norms.size(), static_cast<std::size_t>(n[d]));
    EXPECT_THAT(norms, testing::Each(testing::Gt(0)));
    for (const RankLattice& part : all_parts) {
      SCOPED_TRACE(to_text(part.ranks()) + " along " + std::to_string(d));
      const auto my_x = part_of(queue, part, x, "x");
      const auto my_y = part_of(queue, part, y, "y");
      be_late(ranks.rank(), d);
      EXPECT_EQ(lattice::slice_sum(ranks, queue, part, my_x, d), sums);
      EXPECT_EQ(lattice::slice_norm2(ranks, queue, part, my_x, d), norms);
      EXPECT_EQ(lattice::slice_inner_product(ranks, queue, part, my_x, my_y, d), inner);
    }
  }
}

TEST_P(LatticeOverRanks, SlicesAreThoseOfOneRank) {
  compare_slices<Colour>(queue, four);
  compare_slices<float>(queue, three);
}
TEST_P(LatticeOverRanks, SlicesInWideVectorsAreThoseOfOneRank) {
  compare_slices<float>(queue, three, 256);
  compare_slices<lattice::Complex<float>>(queue, {12, 26, 16}, 512);
}

TEST_P(LatticeOverRanks, ReductionsOfExpressionsAreThoseOfOneRank) {
  const auto u = whole<Phase>(four, 11, 4);
  const auto psi = whole<Colour>(four, 12, 4);
  const auto b = whole<Colour>(four, 13, 4);
  const test::Reduced all{all_of(queue, four, u, "u"), all_of(queue, four, psi, "psi"),
                          all_of(queue, four, b, "b")};
  on_kind_of(queue.device(), [&]<class Target>(Target) {
    using Run = test::Reductions<Target>;
    for (const Subset subset : {Subset::all, Subset::odd}) {
      const auto same = Run::of_one(queue, all, subset, true);
      ASSERT_EQ(same.size(), 9u); // a vector of three complex numbers, a real and a complex one
      EXPECT_THAT(same, testing::Each(testing::Ne(0)));
      for (const RankLattice& part : parts(four, 2)) {
        SCOPED_TRACE(to_text(part.ranks()) + (subset == Subset::all ? "" : ", half of it"));
        const test::Reduced mine{part_of(queue, part, u, "u"), part_of(queue, part, psi, "psi"),
                                 part_of(queue, part, b, "b")};
        be_late(ranks.rank(), 1);
        EXPECT_EQ(Run::over_ranks(ranks, queue, part, mine, subset, true), same);
        const auto plain = Run::over_ranks(ranks, queue, part, mine, subset, false);
        ASSERT_EQ(plain.size(), same.size());
        for (std::size_t i = 0; i < plain.size(); ++i) // beside what the terms add up to: norm2
          EXPECT_NEAR(plain[i], same[i], 1e-13 * same[6]) << i;
        EXPECT_EQ(Run::over_ranks(ranks, queue, part, mine, subset, false), plain) << "again";
      }
    }
  });
}

TEST_P(LatticeOverRanks, ReductionsAreBoundOnce) {
  const auto x = whole<float>(three, 14, 20);
  const auto all_x = all_of(queue, three, x, "x");
  const lattice::DeviceResult<double> result(queue.device());
  lattice::run_once(queue, lattice::reduce_call(lattice::Norm2{},
                                                lattice::reproducible(test::rise(all_x)), result));
  const double norm2 = result.get(queue)[0];
  lattice::run_once(queue, lattice::reduce_call(lattice::Max{}, test::rise(all_x), result));
  const double greatest = result.get(queue)[0];
  for (const RankLattice& part : parts(three, 2)) {
    SCOPED_TRACE(to_text(part.ranks()));
    auto my_x = part_of(queue, part, x, "x");
    const auto expression = lattice::reproducible(test::rise(my_x));
    auto often = lattice::bind_norm2(ranks, queue, part, expression);
    auto largest = lattice::bind_reduce(ranks, queue, part, lattice::Max{}, test::rise(my_x));
    EXPECT_EQ(often.run(), norm2);
    be_late(ranks.rank(), 2);
    EXPECT_EQ(largest.run(), greatest);
    EXPECT_EQ(lattice::norm2(ranks, queue, part, expression), norm2);
    // Halos are exchanged each time: what changes is seen, but not where the field is fixed.
    auto fixed =
        lattice::bind_norm2(ranks, queue, part, expression, Subset::all, {{}, {my_x.reals().data}});
    EXPECT_EQ(fixed.exchange().messages(), 0);
    EXPECT_EQ(fixed.run(), norm2);
    std::vector<float> twice(static_cast<std::size_t>(part.owned().count()));
    for (std::size_t i = 0; i < twice.size(); ++i)
      twice[i] = 2 * x[static_cast<std::size_t>(part.in_whole(static_cast<Index>(i)))];
    lattice::set_owned(queue, my_x, part, twice);
    EXPECT_EQ(often.run(), 4 * norm2);
    const Record record = often.record();
    EXPECT_EQ(record.ranks, ranks.ranks());
    EXPECT_EQ(record.kernel, "norm2");
    EXPECT_EQ(record.size, three);
    EXPECT_EQ(record.work.items, three.count());
    EXPECT_EQ(record.work.read.value, three.count() * 4);
    EXPECT_EQ(often.gathered().value, 64 * ranks.ranks());
    EXPECT_EQ(largest.gathered().value, 8 * ranks.ranks());
    EXPECT_EQ(often.exchange().messages() > 0, part.divided(1));
  }
}

TEST_P(LatticeOverRanks, PartsWithoutHalosTakeExpressionsThatStayAtTheSite) {
  // Of one site along z where there are as many ranks, in vectors that the part does not fill.
  const Extents n{ranks.ranks() == 1 ? 16 : 3, 5, ranks.ranks()};
  const auto x = whole<float>(n, 15);
  float right = -1;
  for (Index i = 0; i < n.count(); ++i) { // y goes round
    const Index plane = n[0] * n[1];
    const Index further = i / plane * plane + (i % plane + 2 * n[0]) % plane;
    right = std::max(right,
                     0.5f * x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(further)]);
  }
  const RankLattice part(n, {1, 1, ranks.ranks()}, ranks.rank(), 0);
  const auto my_x = part_of(queue, part, x, "x");
  auto largest = lattice::bind_reduce(ranks, queue, part, lattice::Max{}, test::rise(my_x));
  EXPECT_EQ(largest.run(), static_cast<double>(right));
}

INSTANTIATE_TEST_SUITE_P(Devices, LatticeOverRanks, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

TEST(RankLattice, OwnsEachSiteOnceAndFitsItsVectors) {
  const Extents n{7, 9, 5, 3};
  const Extents grid{2, 3, 1, 1};
  std::vector<int> owners(static_cast<std::size_t>(n.count()));
  for (int rank = 0; rank < 6; ++rank) {
    const RankLattice part(n, grid, rank, 1);
    for (Index i = 0; i < part.owned().count(); ++i)
      ++owners[static_cast<std::size_t>(part.in_whole(i))];
    EXPECT_EQ(part.held().geometry(4).nsimd, 16);
    EXPECT_EQ(part.neighbour(0, 2), rank);
    EXPECT_EQ(RankLattice(n, grid, part.neighbour(1, -1), 1).neighbour(1, 1), rank);
  }
  EXPECT_THAT(owners, testing::Each(1));
}

TEST(RankLattice, GridsSendLeast) {
  EXPECT_EQ(lattice::choose_ranks(2, {16, 16, 16, 32}), (Extents{1, 1, 1, 2}));
  EXPECT_EQ(lattice::choose_ranks(64, {16, 16, 16, 16}), (Extents{1, 4, 4, 4}));
  EXPECT_EQ(lattice::choose_ranks(3, {9, 4}), (Extents{3, 1}));
}

TEST(RankLattice, RefusesWhatCannotBeDivided) {
  EXPECT_THAT(
      refused([] {
        (void)RankLattice({8, 4}, {1, 3}, 0, 2);
      }),
      HasSubstr("lattice 8x4 has too few sites along dimension 1 for 3 ranks: each must own "
                "at least 2"));
  EXPECT_THAT(refused([] {
                (void)RankLattice({8, 4}, {1, 2}, 2);
              }),
              HasSubstr("rank 2 is not in a grid of 1x2 ranks"));
  EXPECT_THAT(refused([] {
                (void)lattice::choose_ranks(5, {4, 4});
              }),
              HasSubstr("5 ranks are too many for lattice 4x4"));
}

TEST(LatticeOverRanks, RefusesOtherLatticesAndReadsBeyondItsHalos) {
  Communicator& ranks = world();
  if (ranks.ranks() == 1) GTEST_SKIP() << "one rank has no halos";
  Queue queue{Device("cpu")};
  const Extents n{4, 4, Index{8} * ranks.ranks()};
  const RankLattice part(n, {1, 1, ranks.ranks()}, ranks.rank(), 1);
  Field<float> x(queue.device(), part.held(), "x");
  Field<float> z(queue.device(), part.held(), "z");
  EXPECT_THAT(
      refused([&] { lattice::cshift(ranks, queue, part, z, x, 2, 3); }),
      HasSubstr("read 3 sites away along dimension 2, and this lattice over ranks has halos "
                "of 1: make it with a depth of 3"));
  Field<float> whole_x(queue.device(), lattice::Lattice(n), "x");
  Field<float> whole_z(queue.device(), lattice::Lattice(n), "z");
  EXPECT_THAT(refused([&] { (void)lattice::slice_norm2(ranks, queue, part, x, 3); }),
              HasSubstr("slice_norm2"));
  EXPECT_THAT(refused([&] { (void)lattice::slice_sum(ranks, queue, part, whole_x, 2); }),
              HasSubstr("this rank's part"));
  EXPECT_THAT(refused([&] {
                (void)lattice::norm2(ranks, queue, part,
                                     lattice::reproducible(test::rise(whole_x)));
              }),
              HasSubstr("make it on the part's held() lattice"));
  const RankLattice other({4, 8 * ranks.ranks(), 4}, {1, ranks.ranks(), 1}, ranks.rank(), 1);
  Field<float> other_x(queue.device(), other.held(), "x");
  EXPECT_THAT(refused([&] {
                (void)lattice::norm2(ranks, queue, other,
                                     lattice::reproducible(test::rise(other_x)));
              }),
              HasSubstr("read 2 sites away along dimension 1"));
  EXPECT_THAT(refused([&] { lattice::cshift(ranks, queue, part, whole_z, whole_x, 2, 1); }),
              HasSubstr("sites along dimension 2 where this rank keeps 10: make it on the part's "
                        "held() lattice"));
}

} // namespace

} // namespace ridge::comm
