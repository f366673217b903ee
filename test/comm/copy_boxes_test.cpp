// Boxes of fields that are packed and unpacked, of rows that allow one, two or four words at once.
#include <ridge/comm/copy_boxes.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>

#include "on_device.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ridge::comm {

namespace {

class CopyBoxes : public test::OnDevice {};

/// A padded field of random numbers, and the same on its device.
template <class T>
struct Padded {
  Padded(Queue& queue, Index3 extents, Index row, int seed)
      : on_device(queue.device(), Extents{row, extents.y, extents.z}),
        values(static_cast<std::size_t>(row * extents.y * extents.z)),
        memory{on_device.data(), extents, row, row * extents.y, static_cast<int>(sizeof(T))} {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(
          random_value(static_cast<std::uint64_t>(seed), static_cast<std::int64_t>(i)));
    copy_to_device(queue, on_device.data(), values.data(), on_device.count());
    queue.wait();
  }
  [[nodiscard]] std::vector<T> now(Queue& queue) const {
    std::vector<T> found(values.size());
    copy_to_host(queue, found.data(), on_device.data(), on_device.count());
    queue.wait();
    return found;
  }

  Field<T> on_device;
  std::vector<T> values;
  FieldMemory memory;
};

/// Places of a box's points in a field's memory, in the order in which they are packed.
std::vector<std::size_t> places(const FieldMemory& memory, const MemoryBox& box) {
  std::vector<std::size_t> all;
  for (Index z = 0; z < box.extents.z; ++z)
    for (Index y = 0; y < box.extents.y; ++y)
      for (Index x = 0; x < box.extents.x; ++x)
        all.push_back(static_cast<std::size_t>((box.begin.z + z) * memory.plane +
                                               (box.begin.y + y) * memory.row + box.begin.x + x));
  return all;
}

/// Packs the boxes of one field and unpacks them into another, where all else stays.
template <class T>
void expect_copied(const std::string& device, Index3 extents, Index row,
                   const std::vector<MemoryBox>& boxes) {
  Queue queue{Device(device)};
  const Padded<T> from(queue, extents, row, 1);
  const Padded<T> to(queue, extents, row, 2);
  Index count = 0;
  for (const MemoryBox& box : boxes)
    count += box.count();
  const Field<T> buffer(queue.device(), Extents{count});
  bind_copies(queue, from.memory, boxes, buffer.data(), false).run();
  bind_copies(queue, to.memory, boxes, buffer.data(), true).run();
  std::vector<T> expected = to.values;
  std::vector<T> packed_expected;
  for (const MemoryBox& box : boxes) {
    for (const std::size_t at : places(from.memory, box)) {
      expected[at] = from.values[at];
      packed_expected.push_back(from.values[at]);
    }
  }
  std::vector<T> packed(static_cast<std::size_t>(count));
  copy_to_host(queue, packed.data(), buffer.data(), count);
  queue.wait();
  EXPECT_EQ(packed, packed_expected);
  EXPECT_EQ(to.now(queue), expected);
}

template <class T>
void expect_all_widths(const std::string& device) {
  for (const Index width : {1, 2, 4}) {
    SCOPED_TRACE(std::to_string(width) + " words of " + std::to_string(sizeof(T)) + " bytes");
    // One box alone, several of one launch, and one whose rows do not allow what the others' do.
    const Index3 n{24 * width, 7, 5};
    const MemoryBox rows{{2 * width, 3, 0}, {3 * width, 1, 5}};
    const MemoryBox block{{4 * width, 1, 1}, {width, 5, 3}};
    const MemoryBox column{{width - 1, 0, 0}, {1, 7, 5}};
    expect_copied<T>(device, n, n.x + 4 * width, {rows});
    expect_copied<T>(device, n, n.x + 4 * width, {rows, block});
    expect_copied<T>(device, n, n.x + width, {block, column, rows});
  }
}

TEST_P(CopyBoxes, OfEveryWidthComeToTheirPlaces) {
  expect_all_widths<float>(GetParam());
  expect_all_widths<double>(GetParam());
}

TEST_P(CopyBoxes, OfAnyExtents) {
  std::minstd_rand random(3);
  const auto below = [&](Index end) { return static_cast<Index>(random()) % end; };
  for (int i = 0; i < 40; ++i) {
    const Index3 n{1 + below(40), 1 + below(9), 1 + below(6)};
    const Index3 begin{below(n.x), below(n.y), below(n.z)};
    const MemoryBox box{
        begin, {1 + below(n.x - begin.x), 1 + below(n.y - begin.y), 1 + below(n.z - begin.z)}};
    const Index row = n.x + below(5);
    SCOPED_TRACE("field " + std::to_string(i));
    expect_copied<float>(GetParam(), n, row, {box});
    expect_copied<double>(GetParam(), n, row, {box});
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CopyBoxes, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace

} // namespace ridge::comm
