// Boxes that say where bodies are: those of the device are those of the host.
#include <ridge/core/random.hpp>
#include <ridge/pairs/essential_boxes.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace ridge::pairs {
namespace {

/// Boxes along a line that turns, some of them points, some at one place.
template <class S>
std::vector<S> boxes_of_runs(Index runs, std::uint64_t seed) {
  std::vector<S> boxes;
  double at[3] = {0, 0, 0};
  for (Index r = 0; r < runs; ++r) {
    const double stride = random_value(seed, 7 * r) > 0.8 ? 10 : 0.1;
    S low[4] = {};
    S high[4] = {};
    for (int c = 0; c < 3; ++c) {
      if (r % 5 != 0) at[c] += stride * random_value(seed + 1, 3 * r + c);
      const double width = r % 3 == 0 ? 0 : random_value(seed + 2, 3 * r + c) + 1;
      low[c] = static_cast<S>(at[c]);
      high[c] = static_cast<S>(at[c] + width);
    }
    high[3] = static_cast<S>(random_value(seed + 3, r) + 1);
    boxes.insert(boxes.end(), low, low + 4);
    boxes.insert(boxes.end(), high, high + 4);
  }
  return boxes;
}

class EssentialBoxes : public testing::TestWithParam<std::string> {
protected:
  template <class S>
  std::vector<S> chosen(const std::vector<S>& of_runs, Index most) {
    BoxChooser<S> chooser(queue);
    return chosen(chooser, of_runs, most);
  }
  template <class S>
  std::vector<S> chosen(BoxChooser<S>& chooser, const std::vector<S>& of_runs, Index most) {
    constexpr S large = std::numeric_limits<S>::max();
    const Index runs = static_cast<Index>(of_runs.size()) / box_values;
    const Span<S> room = chooser.take_runs(runs);
    std::vector<S> values = of_runs;
    while (static_cast<Index>(values.size()) < room.size) {
      for (const S x : {large, large, large, S(0), -large, -large, -large, S(0)})
        values.push_back(x);
    }
    EXPECT_EQ(static_cast<Index>(values.size()), room.size);
    copy_to_device(queue, room.data, values.data(), room.size);
    Field<S> block(queue.device(), Extents{2 * block_values}, "blocks");
    std::vector<S> poisoned(static_cast<std::size_t>(2 * block_values), S(-3));
    copy_to_device(queue, block.data(), poisoned.data(), 2 * block_values);
    queue.wait();
    chooser.choose(most, {block.data() + block_values, block_values});
    copy_to_host(queue, poisoned.data(), block.data(), 2 * block_values);
    queue.wait();
    const auto count = static_cast<std::ptrdiff_t>(poisoned[block_values]);
    EXPECT_EQ(std::count(poisoned.begin(), poisoned.begin() + block_values, S(-3)), block_values);
    const auto first = poisoned.begin() + block_values + box_values;
    const auto end = first + count * box_values;
    EXPECT_EQ(std::count(end, poisoned.end(), S(-3)), poisoned.end() - end);
    return {first, end};
  }

  Queue queue{Device(GetParam())};
};

TEST_P(EssentialBoxes, OfTheDeviceAreThoseOfTheHost) {
  BoxChooser<float> floats(queue); // memory of one is used by the next
  for (const Index runs : {1, 2, 3, 5, 64, 100, 777, 2048, 2049, 1}) {
    for (const Index most : {1, 2, 3, 63, 100, 1000, 8192}) {
      const auto seed = static_cast<std::uint64_t>(runs * 10000 + most);
      const auto of_runs = boxes_of_runs<float>(runs, seed);
      const auto want = widest_divided(of_runs, most);
      EXPECT_LE(static_cast<Index>(want.size()), box_values * std::min(most, runs));
      if (most >= runs) {
        EXPECT_EQ(want, of_runs);
      }
      EXPECT_EQ(chosen(floats, of_runs, most), want) << runs << " runs, " << most;
      const auto doubles = boxes_of_runs<double>(runs, seed);
      EXPECT_EQ(chosen(doubles, most), widest_divided(doubles, most)) << runs << " runs, " << most;
    }
  }
}

TEST_P(EssentialBoxes, AtOnePlaceAndOfOneWidthAreThoseOfTheHost) {
  std::vector<float> places(300 * box_values, 2.0F);
  std::vector<float> row(300 * box_values, 0.0F);
  for (std::size_t r = 0; r < 300; ++r) {
    places[r * box_values + 3] = 0;
    row[r * box_values] = static_cast<float>(r);
    row[r * box_values + 4] = static_cast<float>(r) + 1;
  }
  for (const Index most : {1, 5, 64, 299, 300}) {
    EXPECT_EQ(chosen(places, most), widest_divided(places, most)) << most;
    EXPECT_EQ(chosen(row, most), widest_divided(row, most)) << most;
  }
}

TEST_P(EssentialBoxes, HoldAllRunsAndTheirNeeds) {
  const auto of_runs = boxes_of_runs<double>(500, 3);
  const auto boxes = chosen(of_runs, 40);
  ASSERT_EQ(boxes.size(), 40U * box_values);
  std::size_t box = 0;
  for (std::size_t r = 0; r < 500; ++r) { // each is in the box that it follows the run before into
    const auto is_in = [&](std::size_t b) {
      for (std::size_t c = 0; c < 3; ++c) {
        if (of_runs[8 * r + c] < boxes[8 * b + c] || of_runs[8 * r + 4 + c] > boxes[8 * b + 4 + c])
          return false;
      }
      return of_runs[8 * r + 7] <= boxes[8 * b + 7];
    };
    while (box < 40 && !is_in(box))
      ++box;
    ASSERT_LT(box, 40U) << "run " << r;
  }
}

TEST_P(EssentialBoxes, OfSeveralRanksAreWidenedTogether) {
  BoxChooser<float> chooser(queue);
  Field<float> blocks(queue.device(), Extents{2 * block_values}, "blocks");
  Field<float> wide(queue.device(), Extents{2 * most_wide_boxes * box_values}, "wide boxes");
  std::vector<float> values(static_cast<std::size_t>(2 * block_values), 1e9F);
  const auto of_runs = boxes_of_runs<float>(130, 9);
  values[0] = 130;
  std::copy(of_runs.begin(), of_runs.end(), values.begin() + box_values);
  values[block_values] = 1;
  std::copy_n(of_runs.begin(), box_values, values.begin() + block_values + box_values);
  copy_to_device(queue, blocks.data(), values.data(), 2 * block_values);
  chooser.widen(Span<const float>(blocks.data(), blocks.count()), wide.elements());
  std::vector<float> got(static_cast<std::size_t>(wide.count()));
  copy_to_host(queue, got.data(), wide.data(), wide.count());
  queue.wait();
  for (std::size_t w = 0; w < 3; ++w) {
    for (std::size_t c = 0; c < 8; ++c) {
      if (c == 3) continue;
      float want = of_runs[8 * 64 * w + c];
      for (std::size_t r = 64 * w; r < std::min<std::size_t>(130, 64 * w + 64); ++r)
        want = c < 3 ? std::min(want, of_runs[8 * r + c]) : std::max(want, of_runs[8 * r + c]);
      EXPECT_EQ(got[8 * w + c], want) << w << ", " << c;
    }
  }
  for (std::size_t c : {0U, 1U, 2U, 4U, 5U, 6U, 7U})
    EXPECT_EQ(got[static_cast<std::size_t>(most_wide_boxes * box_values) + c], of_runs[c]);
}

INSTANTIATE_TEST_SUITE_P(Devices, EssentialBoxes, testing::ValuesIn(test::devices_here()),
                         test::DeviceName());

} // namespace
} // namespace ridge::pairs
