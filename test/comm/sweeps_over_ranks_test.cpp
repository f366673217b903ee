// Many sweeps over ranks against one rank, bit for bit, for every grid of the ranks there are.
#include <ridge/comm/communicator.hpp>
#include <ridge/device/field.hpp>
#include <ridge/stencil/sweeps.hpp>

#include "on_device.hpp"
#include "ranks_support.hpp"
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace ridge::comm {

namespace {

using stencil::Boundaries;
using stencil::RankPart;
using stencil::Sweeps;

/// A box of the whole field, packed on the device.
template <class T>
Field<T> part_of(Queue& queue, Index3 n, const Box& box, int input) {
  const std::vector<T> all = test::whole<T>(n, input);
  std::vector<T> mine;
  test::for_each_point(
      box, [&](Index x, Index y, Index z) { mine.push_back(all[test::wrapped(n, x, y, z)]); });
  const Index3 size = box.extents();
  Field<T> field(queue.device(), {size.x, size.y, size.z});
  copy_to_device(queue, field.data(), mine.data(), field.count());
  queue.wait();
  return field;
}

template <class T>
std::vector<T> read(Queue& queue, Sweeps& sweeps, int input, const Box& box) {
  const Index3 size = box.extents();
  Field<T> field(queue.device(), {size.x, size.y, size.z});
  sweeps.read(input, field.view());
  std::vector<T> values(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, values.data(), field.data(), field.count());
  queue.wait();
  return values;
}

/// What every boundary is compared under.
const std::vector<std::string> boundaries_of_tests{
    "untouched", "x=periodic,y=periodic,z=periodic", "x=dirichlet:0.5,y=neumann:1,z=mirror",
    "x-=mirror,x+=dirichlet:1,y=periodic,z-=neumann:-1"};

struct Steps {
  int first = 3, then = 2;
  std::string schedule = {};
};

template <class K, class T>
void compare(const std::string& device, const K& kernel, Index3 n, const std::string& walls,
             const Steps& steps = {}) {
  Communicator& ranks = world();
  Queue queue{Device(device)};
  constexpr int inputs = stencil::inputs_of<K>;
  const auto traits = stencil::traits_of<K, T>();
  Boundaries boundaries = stencil::parse_boundaries(walls);
  boundaries.spacing = {0.5, 0.75, 1.25};
  const auto fields_of = [&](const Box& box) {
    std::vector<Field<T>> fields;
    for (int i = 0; i < inputs; ++i)
      fields.push_back(part_of<T>(queue, n, box, i));
    return fields;
  };
  const auto views_of = [](const std::vector<Field<T>>& fields) {
    std::vector<View<const T>> views;
    for (const auto& field : fields)
      views.emplace_back(field.view());
    return views;
  };
  const Box all{{0, 0, 0}, n};
  const auto start = fields_of(all);
  Sweeps alone(queue, kernel, views_of(start), boundaries);
  alone.run(steps.first + steps.then);
  const auto right = read<T>(queue, alone, 0, all);

  const auto schedule = [&](const RankPart* part) {
    return stencil::parse_sweeps(steps.schedule, queue.device(), traits,
                                 part != nullptr ? part->boundaries() : boundaries,
                                 part != nullptr ? part->held().extents() : n);
  };
  const auto whole = schedule(nullptr);
  const int deep = whole.pass ? stencil::sweeps_of(*whole.pass) : 1;
  const auto part_for = [&](const Index3& shape) {
    return RankPart(ranks, n, traits, boundaries, deep, shape);
  };
  const auto shapes =
      test::grids(ranks.ranks(), [&](const Index3& shape) { (void)part_for(shape); });
  ASSERT_FALSE(shapes.empty());
  for (const Index3& shape : shapes) {
    const RankPart part = part_for(shape);
    const auto mine = fields_of(part.owned());
    Sweeps sweeps(queue, kernel, views_of(mine), part, schedule(&part));
    test::be_late(ranks.rank(), 0);
    sweeps.run(steps.first);
    test::be_late(ranks.rank(), 1);
    sweeps.run(steps.then);
    const auto got = read<T>(queue, sweeps, 0, part.owned());
    Index wrong = 0;
    std::size_t at = 0;
    test::for_each_point(part.owned(), [&](Index x, Index y, Index z) {
      wrong += std::memcmp(&got[at++], &right[test::wrapped(n, x, y, z)], sizeof(T)) != 0 ? 1 : 0;
    });
    // All ranks agree on the verdict, so that none waits for one that gave up.
    ASSERT_EQ(ranks.sum(static_cast<double>(wrong)), 0)
        << to_text(shape) << " of " << n.x << "x" << n.y << "x" << n.z << ", " << walls;
    const Record record = sweeps.record();
    EXPECT_EQ(record.ranks, ranks.ranks());
    EXPECT_EQ(record.work.items, alone.record().work.items * (whole.pass ? deep : 1));
  }
}

class SweepsOverRanks : public test::OnDevice {
protected:
  /// Emulated GPUs take long.
  [[nodiscard]] Index3 points(Index3 n) const {
    return !GetParam().starts_with("simt") ? n : Index3{n.x / 2, n.y / 2, n.z / 2 + 1};
  }
};

TEST_P(SweepsOverRanks, AStarIsThatOfOneRank) {
  for (const std::string& walls : boundaries_of_tests)
    compare<test::Smooth, double>(GetParam(), {}, points({61, 37, 31}), walls);
}
TEST_P(SweepsOverRanks, ABoxIsThatOfOneRank) {
  for (const std::string& walls : boundaries_of_tests)
    compare<stencil::Box27, double>(GetParam(), stencil::Box27(0.5), points({41, 35, 31}), walls);
}
TEST_P(SweepsOverRanks, ALopsidedFootprintIsThatOfOneRank) {
  for (const std::string& walls : boundaries_of_tests)
    compare<test::Lopsided, double>(GetParam(), {}, points({43, 37, 41}), walls);
}
TEST_P(SweepsOverRanks, ACoefficientIsThatOfOneRank) {
  for (const std::string& walls : boundaries_of_tests)
    compare<test::Advection, float>(GetParam(), {}, points({39, 34, 33}), walls);
}
TEST_P(SweepsOverRanks, TwoTimeLevelsAreThoseOfOneRank) {
  for (const std::string& walls : boundaries_of_tests)
    compare<test::Waving, float>(GetParam(), {}, points({39, 34, 33}), walls);
}

INSTANTIATE_TEST_SUITE_P(Devices, SweepsOverRanks, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

/// Halos as deep as a pass has sweeps; 7 steps are two passes and a single sweep.
TEST(PassesOverRanks, AreThoseOfSingleSweepsOfOneRank) {
  const Index3 n{41, 37, 43};
  for (const std::string& walls : boundaries_of_tests) {
    compare<stencil::Box27, double>("cpu", stencil::Box27(0.5), n, walls, {3, 4, "sweeps=3"});
    compare<test::Lopsided, double>("cpu", {}, n, walls, {2, 3, "sweeps=2"});
    compare<test::Waving, float>("cpu", {}, n, walls, {3, 4, "sweeps=3"});
  }
}

TEST(RankPart, RefusesWhatDoesNotFit) {
  Communicator& ranks = world();
  const auto traits = stencil::traits_of<stencil::Box27, double>();
  const Boundaries walls;
  EXPECT_THROW(RankPart(ranks, {9, 9, 2}, traits, walls), UsageError); // nothing to compute
  if (ranks.ranks() == 1) return;
  const Index3 planes{1, 1, ranks.ranks()};
  EXPECT_NO_THROW(RankPart(ranks, {9, 9, 2 * ranks.ranks()}, traits, walls, 1, planes));
  EXPECT_THROW(RankPart(ranks, {9, 9, 2 * ranks.ranks() - 1}, traits, walls, 1, planes),
               UsageError);
  // Three sweeps need three planes of a neighbour.
  EXPECT_THROW(RankPart(ranks, {9, 9, 2 * ranks.ranks()}, traits, walls, 3, planes), UsageError);
}

} // namespace

} // namespace ridge::comm
