// Lists of near pairs against a search of all pairs.
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/lists/lists.hpp>

#include "devices.hpp"
#include "near_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace ridge::pairs {
namespace {

using ::testing::HasSubstr;

using Ends = std::vector<std::pair<Index, Index>>;
Ends all_near(const Where& at, const ListOptions& o) {
  Ends near;
  for (std::size_t i = 0; i < at[0].size(); ++i) {
    for (std::size_t j = i + 1; j < at[0].size(); ++j) {
      if (squared_distance(at, o.box, i, j) < o.cutoff * o.cutoff)
        near.emplace_back(static_cast<Index>(i), static_cast<Index>(j));
    }
  }
  return near;
}
template <class T>
Ends ends_of(const Lists<T>& lists) {
  Ends found;
  for (const NearPair& pair : lists.pairs())
    found.emplace_back(pair.first, pair.second);
  return found;
}

/// Positions on a device.
template <class T>
class Bodies3 {
public:
  Bodies3(Queue& queue, const Where& at) : queue_(queue) {
    for (std::size_t a = 0; a < 3; ++a)
      fields_[a] = Field<T>(queue.device(), Extents{static_cast<Index>(at[a].size())});
    put(at);
  }
  void put(const Where& at) {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::vector<T> values(at[a].begin(), at[a].end());
      copy_to_device(queue_, fields_[a].data(), values.data(), fields_[a].count());
      queue_.wait();
    }
  }
  [[nodiscard]] Positions<T> spans() const {
    return {fields_[0].elements(), fields_[1].elements(), fields_[2].elements()};
  }

private:
  Queue& queue_;
  std::array<Field<T>, 3> fields_;
};

class NearPairs : public ::testing::TestWithParam<std::string> {
protected:
  Queue queue{Device(GetParam())};
  bool is_gpu = GetParam() != "cpu";

  /// Turn by turn with lists of a few and of more bodies.
  template <class T>
  void expect_all(const Where& at, ListOptions options) {
    const bool is_wide = std::exchange(is_wide_, !is_wide_);
    options.share = is_gpu ? (is_wide ? 2 : 1) : is_wide ? 16 : 4;
    const Bodies3<T> bodies(queue, at);
    const Lists<T> lists(queue, bodies.spans(), options);
    ASSERT_EQ(ends_of(lists), all_near(at, options))
        << GetParam() << " " << at[0].size() << " bodies, share " << options.share;
  }

private:
  bool is_wide_ = true;
};

TEST_P(NearPairs, AreThoseOfASearchOfAllInAnyBox) {
  for (int axes = 0; axes < 8; ++axes) {
    Box box{{-1, 0.5, 0}, {8, 6, 7}, {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}};
    Where at = scattered(100, box.length, 3);
    for (std::size_t a = 0; a < 3; ++a) {
      for (double& x : at[a])
        x += box.low[a];
    }
    expect_all<float>(at, {1.25, 0.25, box});
    if (axes == 7) expect_all<float>(at, {1.25, 0.25, box});
    for (std::size_t a = 0; a < 3; ++a) { // open where not periodic, and beyond the box where it is
      if (!box.periodic[a]) box.length[a] = 0;
      for (double& x : at[a])
        x += 24 * static_cast<double>(a);
    }
    expect_all<double>(at, {1.25, 0, box});
  }
}

TEST_P(NearPairs, AreFoundOfAnyNumberOfBodies) {
  for (const Index count : {1, 2, 3, 64, 65, 129, 257})
    expect_all<float>(scattered(count, {6, 6, 6}, 5), {1.5, 0, Box::cube(6)});
}

TEST_P(NearPairs, AreFoundOnFacesAndAtOnePlace) {
  Where at{
      {{0, 8, 8, 0, 4, 4, 4, 0, -8}, {0, 8, 0, 0, 4, 4, 4, 4, 16}, {0, 8, 8, 8, 4, 4, 4, 0, 0}}};
  expect_all<float>(at, {1, 0, Box::cube(8)});
  expect_all<double>(at, {3.75, 0.25, Box::cube(8)}); // half of the box
  at = scattered(40, {0.25, 8, 0.25}, 7);             // a line
  expect_all<float>(at, {1, 0.5, {}});
  for (auto& values : at)
    values.assign(70, 3.0);
  expect_all<float>(at, {1, 0.5, {}});
  expect_all<float>(at, {1, 0.5, Box::cube(3)});
}

TEST_P(NearPairs, AreFoundWhereCellsAreOneAlongAnAxis) {
  const Where close = scattered(70, {0.25, 0.25, 0.25}, 17);
  expect_all<float>(close, {0.125, 0.5, {}}); // one cell of all
  expect_all<double>(close, {0.125, 0.5, {{}, {0.25, 0.25, 0.25}, {}}});
  // Cells are wider than the box is across: more of them would be too many.
  const Where row = scattered(90, {1, 1, 32}, 19);
  const Box box{{}, {1, 1, 512}, {true, true, true}};
  expect_all<float>(row, {0.375, 0.125, box});
  expect_all<double>(row, {0.5, 0, box});
}

TEST_P(NearPairs, MayLieOnWalls) {
  for (const auto& [low, length] : {std::pair{-1.2, 1.9}, {-1.4, 7.3}, {0.7, 0.2}, {-4.9, 0.3}}) {
    const Box box{{low, low, low}, {length, length, length}, {}};
    const std::vector<double> both{low, low + length};
    expect_all<float>({both, both, both}, {2 * length, 0, box});
    expect_all<double>({both, both, both}, {2 * length, 0, box});
  }
}

TEST_P(NearPairs, OfPartsAreThoseOfAll) {
  const Where at = scattered(300, {8, 8, 8}, 9);
  const Bodies3<float> bodies(queue, at);
  ListOptions options{1.25, 0.25, Box::cube(8)};
  options.parts = 5;
  Ends found;
  Index slots = 0;
  for (options.part = 0; options.part < 5; ++options.part) { // some without bodies, on GPUs
    const Lists lists(queue, bodies.spans(), options);
    EXPECT_EQ(lists.data().first_slot, slots);
    slots = lists.data().end_slot;
    for (const auto& pair : ends_of(lists))
      found.push_back(pair);
  }
  EXPECT_EQ(slots, 300);
  std::sort(found.begin(), found.end()); // pairs() gives a pair where its first body has a list
  EXPECT_EQ(found, all_near(at, options));
}

TEST_P(NearPairs, AreFoundInDistantClusters) {
  Where at = scattered(150, {2, 2, 2}, 11);
  const Where other = scattered(50, {1, 1, 1}, 12);
  for (std::size_t a = 0; a < 3; ++a) {
    for (const double x : other[a])
      at[a].push_back(x + 4096 * (a == 0 ? 1.0 : 0.0));
  }
  expect_all<double>(at, {0.5, 0.125, {}});
}

TEST_P(NearPairs, ServeUntilABodyMovedHalfOfTheSkin) {
  Where at = scattered(100, {8, 8, 8}, 3);
  Bodies3<float> bodies(queue, at);
  const ListOptions options{1.5, 0.5, Box::cube(8)};
  Lists lists(queue, bodies.spans(), options);
  EXPECT_FALSE(lists.update());
  const auto move = [&](std::size_t i, double by) {
    at[1][i] += by;
    bodies.put(at);
  };
  for (std::size_t i = 0; i < 100; ++i)
    move(i, i % 2 == 0 ? 0.234375 : -0.234375);
  EXPECT_FALSE(lists.update());
  EXPECT_EQ(ends_of(lists), all_near(at, options));
  move(77, -0.03125);
  EXPECT_TRUE(lists.update());
  EXPECT_FALSE(lists.update());
  EXPECT_EQ(lists.data().builds, 2);
  EXPECT_EQ(ends_of(lists), all_near(at, options));
}

TEST_P(NearPairs, AreFoundWhereBodiesCrowdAndSpreadAgain) {
  const Where wide = scattered(200, {8, 8, 8}, 3);
  Where crowded = scattered(200, {2, 2, 2}, 4); // more images, longer lists
  Bodies3<float> bodies(queue, wide);
  const ListOptions options{1.25, 0.25, Box::cube(8)};
  Lists lists(queue, bodies.spans(), options);
  const auto expect_built_of = [&](const Where& at) {
    bodies.put(at);
    lists.rebuild();
    ASSERT_EQ(ends_of(lists), all_near(at, options)) << lists.data().builds;
  };
  for (int times = 0; times < 3; ++times) // the second time with the memory that was enough before
    expect_built_of(wide);
  expect_built_of(crowded);
  expect_built_of(crowded);
  expect_built_of(wide);
  crowded[2][77] = NAN;
  bodies.put(crowded);
  EXPECT_THROW(lists.rebuild(), UsageError);
  expect_built_of(wide);
}

TEST_P(NearPairs, AreNotUsedAfterABuildThatFailed) {
  Where at = scattered(100, {8, 8, 8}, 3);
  Bodies3<float> bodies(queue, at);
  const ListOptions options{1.25, 0.25, {{}, {8, 8, 8}, {true, true, false}}};
  Lists lists(queue, bodies.spans(), options);
  at[2][40] += 16; // beyond a wall
  bodies.put(at);
  for (int times = 0; times < 2; ++times)
    EXPECT_THROW((void)lists.update(), UsageError);
  at[2][40] -= 16;
  bodies.put(at);
  EXPECT_TRUE(lists.update());
  EXPECT_EQ(ends_of(lists), all_near(at, options));
  EXPECT_FALSE(lists.update());
}

TEST(NearPairsOfManyBodies, AreLookedAtInPieces) {
  const Where at = scattered(2500, {1, 1, 1}, 8);
  Queue queue{Device("cpu")};
  const Bodies3<double> bodies(queue, at);
  const Lists lists(queue, bodies.spans(), {2, 0, {}}); // all with all
  std::size_t calls = 0;
  const std::size_t found = lists.pairs([&calls] { ++calls; }).size();
  EXPECT_EQ(found, 2500U * 2499 / 2);
  // Of each pass over them: they are counted, given room, put into rows, and these sorted.
  EXPECT_GE(calls, 4 * (found >> 20));
}

TEST_P(NearPairs, MayBeMoved) {
  const Where at = scattered(60, {3, 3, 3}, 8);
  const Bodies3<double> bodies(queue, at);
  const ListOptions options{1, 0.1, Box::cube(3)};
  Lists lists(queue, bodies.spans(), options);
  const ListData* const data = &lists.data(); // what launches are bound to
  Lists others(std::move(lists));
  EXPECT_EQ(&others.data(), data);
  EXPECT_EQ(ends_of(others), all_near(at, options));
  EXPECT_THROW((void)lists.update(), UsageError); // NOLINT(bugprone-use-after-move)
}

TEST_P(NearPairs, NameWhatIsWrongWithBodies) {
  const auto refusal = [&](double x, const Box& box) -> std::string {
    Where at = scattered(50, {2, 2, 2}, 3);
    at[2][17] = x;
    const Bodies3<double> bodies(queue, at);
    try {
      const Lists lists(queue, bodies.spans(), {0.5, 0, box});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  const Box walls{{}, {2, 2, 2}, {}};
  EXPECT_THAT(refusal(NAN, Box::cube(2)), HasSubstr("z of body 17 is NaN"));
  EXPECT_THAT(refusal(-INFINITY, {}), HasSubstr("z of body 17 is infinite"));
  EXPECT_THAT(refusal(NAN, {}), HasSubstr("z of body 17 is NaN"));
  EXPECT_THAT(refusal(2.5, walls),
              HasSubstr("z of body 17 is 2.5, outside of the box from 0 to 2"));
  EXPECT_THAT(refusal(1e4, Box::cube(2)), HasSubstr("hundreds of periods"));
  EXPECT_EQ(refusal(2, walls), "taken");
  EXPECT_EQ(refusal(1e20, {}), "taken");
  EXPECT_THAT(refusal(1e100, {}), HasSubstr("1e+100 long along z; lists take up to 1e30"));
}

TEST_P(NearPairs, RefuseOtherNumbersOfBodies) {
  const auto refusal = [&](Index x, Index y) -> std::string {
    try {
      const Positions<float> at{{{nullptr, x}, {nullptr, y}, {nullptr, x}}};
      const Lists<float> lists(queue, at, {1, 0, {}});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  constexpr Index most = Index{1} << 31;
  EXPECT_EQ(refusal(most, most), "2147483648 bodies; lists take fewer than 2^31");
  EXPECT_EQ(refusal(5, 4), "y has 4 values and x has 5; each body has one");
  EXPECT_EQ(refusal(0, 0), "there are no bodies");
}

TEST_P(NearPairs, NameWhatIsWrongWithOptions) {
  const Bodies3<float> bodies(queue, scattered(5, {2, 2, 2}, 3));
  const auto refusal = [&](const ListOptions& options) -> std::string {
    try {
      const Lists lists(queue, bodies.spans(), options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(refusal({0, 0, {}}), HasSubstr("cutoff 0: it must be positive"));
  EXPECT_THAT(refusal({-1, 0, {}}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal({NAN, 0, {}}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal({1, -1, {}}), HasSubstr("skin -1"));
  EXPECT_THAT(refusal({1e16, 0, {}}), HasSubstr("choose another unit of length"));
  EXPECT_THAT(refusal({0.9, 0.2, Box::cube(2)}),
              HasSubstr("more than half of the period 2 along x: a body would meet two images of "
                        "another; 1 together is possible"));
  for (const double period :
       {3.359194, 1 / 3.0, 8.4, 1e-9, 7.77777e6}) { // what is offered is taken
    const std::string said = refusal({period, 0, Box::cube(period)});
    const std::size_t end = said.find(" together is possible");
    ASSERT_NE(end, std::string::npos) << said;
    const double offered = std::stod(said.substr(said.rfind(' ', end - 1)));
    EXPECT_LE(2 * offered, period);
    EXPECT_GT(2 * offered, period * (1 - 2e-5));
  }
  EXPECT_THAT(refusal({0.5, 0, Box{{}, {0, 2, 2}, {true, true, true}}}),
              HasSubstr("the period along x is 0"));
  EXPECT_THAT(refusal({0.5, 0, {}, 3}), HasSubstr("share"));
  EXPECT_THAT(refusal({0.5, 0, Box{{}, {0, 1e9, 0}, {false, true, false}}}),
              HasSubstr("the period 1e+09 along y is too long for the cutoff 0.5: fp32 rounds"));
  EXPECT_EQ(refusal({0.5, 0, Box{{}, {0, 1e6, 0}, {false, true, false}}}), "taken");
}

INSTANTIATE_TEST_SUITE_P(Here, NearPairs, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::pairs
