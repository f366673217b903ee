// Chains with outer dimensions, under every schedule, on every device here.
#include <ridge/chain/reference.hpp>

#include "batch_chains.hpp"
#include "on_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::chain {
namespace {

using test::expect_everywhere;
using test::inputs;
using test::random_of;
using test::refusal_of;
using ::testing::HasSubstr;

template <class C>
void expect_reference(const Range& n, int output, double tolerance) {
  const auto given = inputs<C>(n, random_of);
  auto right = given;
  apply_reference(C{}, n, right);
  expect_everywhere<C, double>(n, given, [&](const std::vector<double>& got) {
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], right[static_cast<std::size_t>(output)][i], tolerance) << i;
  });
}

TEST(Batches, KnowWhereTheyAreInSixDimensions) {
  const Range n(9, 2, 3, 4, 2, 3);
  const auto given = inputs<test::Where>(n, [](int, Index i) { return static_cast<double>(i); });
  expect_everywhere<test::Where, double>(n, given, [&](const std::vector<double>& got) {
    for (std::size_t at = 0; at < got.size(); ++at) {
      double right = 2 * static_cast<double>(at) + 1e6 * 3;
      auto rest = static_cast<Index>(at);
      double unit = 1;
      for (const Index extent : {n.x, n.y, n.z, n.outer[0], n.outer[1], n.outer[2]}) {
        right += unit * static_cast<double>(rest % extent);
        rest /= extent;
        unit *= 10;
      }
      ASSERT_EQ(got[at], right) << at;
    }
  });
}
TEST(Batches, EqualTheReference) {
  for (const Index count : {1, 2, 7}) {
    expect_reference<Batch<test::Ring>>({37, 1, 1, count}, 2, 1e-14);
    expect_reference<Batch<lab::Tridiagonal>>({19, 5, 1, count}, 7, 1e-13);
    expect_reference<lab::CloudModels>({13, 1, 9, count}, 6, 1e-12);
  }
  expect_reference<lab::CloudModels>({8, 3, 4, 5}, 6, 1e-12);
}
/// Without the branch, to the bit, and where some branch.
TEST(Batches, BranchAsTheySelect) {
  using C = lab::CloudModels;
  const Range n(21, 2, 6, 3);
  const auto given = inputs<C>(n, random_of);
  auto branched = given;
  auto selected = given;
  apply_reference(C{}, n, branched);
  C everywhere;
  std::get<1>(everywhere.operations).everywhere = true;
  apply_reference(everywhere, n, selected);
  EXPECT_EQ(branched[6], selected[6]);
  int wet = 0;
  for (const double rain : branched[5])
    wet += rain > 0 ? 1 : 0;
  EXPECT_GT(wet, 0);
  EXPECT_LT(wet, static_cast<int>(branched[5].size()) / 10);
}
TEST(Batches, AreMadeOfAnyChain) {
  for (const std::string& name : ridge::test::devices_here()) {
    const Device device(name);
    Queue queue(device);
    Field<double> u(device, {11, 6});
    Field<double> after(device, {11, 6});
    fill_random(queue, u.elements(), 1);
    Request<test::Ring, double> request{{}, {11, 1, 1}, {}};
    request.views.set(test::Ring::u, u).set(test::Ring::after, after);
    Program(queue, request.batch(6)).run();
    std::vector<double> got(66);
    copy_to_host(queue, got.data(), after.data(), 66);
    queue.wait();
    for (Index i = 0; i < 66; ++i) {
      const auto value = [&](Index x) {
        return random_value(1, i / 11 * 11 + std::clamp<Index>(x, 0, 10));
      };
      const double here = value(i % 11);
      ASSERT_NEAR(got[static_cast<std::size_t>(i)],
                  here + 0.25 * (value(i % 11 + 1) - here) - 0.25 * (here - value(i % 11 - 1)),
                  1e-14)
          << name << " " << i;
    }
    EXPECT_THAT(refusal_of([&] { (void)request.batch(0); }),
                HasSubstr("chain 'ring': a batch of 0; give 1 or more"));
    EXPECT_THAT(refusal_of([&] { Program(queue, request.batch(5)); }),
                HasSubstr("array 'u' has 6 instances; 5 are right"));
    EXPECT_THAT(refusal_of([&] { Program(queue, request); }),
                HasSubstr("array 'u' has 6 instances; 1 are right"));
  }
}

Plan planned(const Range& n, TileShape tile, bool gpu = false) {
  return make_plan(describe<test::Where, double>(), n, {fuse_all, true, tile, gpu});
}
TEST(BatchPlans, MergeWhatFollowsWithoutGaps) {
  const Range n(4, 4, 72, 5, 2, 3);
  const Plan all = planned(n, {});
  EXPECT_EQ(all.extents, (Index3{4, 4, 72 * 30}));
  EXPECT_EQ(all.instances, 1);
  EXPECT_EQ(all.groups[0].tile.z, 72 * 30);
  const Plan levels = planned(n, {4, 4, 9});
  EXPECT_EQ(levels.extents.z, 72 * 30);
  EXPECT_EQ(levels.groups[0].tile.z, 9);
  const Plan elements = planned(n, {4, 4, 72, {5, 2, 1}});
  EXPECT_EQ(elements.extents.z, 72 * 30);
  EXPECT_EQ(elements.groups[0].tile.z, 720);
  // Some levels of several elements are a loop of their own.
  const Plan both = planned(n, {4, 4, 9, {5, 2, 1}});
  EXPECT_EQ(both.extents.z, 72);
  EXPECT_EQ(both.instances, 30);
  EXPECT_EQ(both.instance_tile, 10);
  EXPECT_EQ(planned(n, {4, 4, 9, {5, 2, 1}}, true).instances, 1);
}
TEST(BatchPlans, SayWhatIsNotPossible) {
  const Range n(4, 4, 72, 5, 2, 3);
  EXPECT_THAT(refusal_of([&] {
                planned(n, {4, 4, 72, {6, 1, 1}});
              }),
              HasSubstr("6 items along outer dimension 1 are more than the 5 there are"));
  EXPECT_THAT(refusal_of([&] {
                planned(n, {4, 4, 72, {4, 2, 1}});
              }),
              HasSubstr("2 items along outer dimension 2 need all of those before it"));
  EXPECT_THAT(refusal_of([&] {
                planned({4, 4, 72, 0}, {});
              }),
              HasSubstr("0 items along outer dimension 1; give 1 or more"));
  EXPECT_THAT(refusal_of([&] {
                (void)make_plan(describe<test::Ring, double>(), {9, 1, 1, 2}, {});
              }),
              HasSubstr("2 items along outer dimension 1; it declares 0 of these"));
  EXPECT_THAT(refusal_of([&] {
                (void)make_plan(describe<Batch<test::Ring>, double>(), {9, 3, 1, 2}, {});
              }),
              HasSubstr("3 items along y; it has 1 dimensions and 1 outer"));
  const Plan apart = make_plan(describe<lab::CloudModels, double>(), {8, 1, 9, 5},
                               {fuse_all, true, {8, 1, 9}, true});
  EXPECT_THAT(apart.note, HasSubstr("'settle' runs apart from 'condense': launches over several "
                                    "instances pass values item by item alone"));
  Description d = describe<Batch<test::Ring>, double>();
  d.dimensions[0] = given(2);
  EXPECT_THAT(refusal_of([&] { check(d); }), HasSubstr("has given ends, and the chain has outer"));
}
TEST(BatchTiles, AreReadAndWritten) {
  const auto read = [](const char* text) {
    TileShape tile;
    EXPECT_TRUE(from_text(text, tile)) << text;
    EXPECT_EQ(to_text(tile), text);
    return tile;
  };
  EXPECT_EQ(read("4x4x72x2").along(3), 2);
  EXPECT_EQ(read("4x4x72").along(3), 1);
  EXPECT_EQ(read("4x4x72xall").along(3), 0);
  EXPECT_EQ(read("all").along(3), 0);
  EXPECT_EQ(read("allxallxallx1").along(3), 1);
  EXPECT_EQ(read("allxallxallx1").along(4), 1);
  TileShape tile;
  EXPECT_FALSE(from_text("1x1x1x1x1x1x1", tile));
  EXPECT_FALSE(from_text("1x1x1x0", tile));
}

} // namespace
} // namespace ridge::chain
