// Shared memory of the emulated GPU: bounds, layout, and what is read before it is written.
#include "simt_support.hpp"

#include <cmath>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtShared : public EachWidth {};
INSTANTIATE_TEST_SUITE_P(Widths, SimtShared, both_widths);

TEST_P(SimtShared, HoldsWhatIsWritten) {
  struct Item {
    float x;
    int n;
  };
  Field<double> to(device, {70});
  run(width, {{1, 1, 1}, {70, 1, 1}, 8 * 70 + 8 * 70}, [out = to.elements()](const auto& lane) {
    const int t = lane.rank();
    auto items = lane.template shared<Item>(0, 70);
    auto numbers = lane.template shared<double>(8 * 70, 70);
    items[t] = Item{0.5F * static_cast<float>(t), t};
    numbers[t] = 1.0;
    numbers[t] += 3.0;
    numbers[t] -= 1.0;
    numbers[t] *= 4.0;
    numbers[t] /= 2.0;
    lane.barrier();
    const Item other = items[69 - t];
    const double sum = numbers[69 - t] + other.x + other.n;
    lane.barrier();
    numbers[t] = sum;
    numbers[t] = numbers[t];
    lane.store(out, t, numbers[t]);
  });
  for (int t = 0; t < 70; ++t)
    EXPECT_EQ(to.data()[t], 6.0 + 1.5 * (69 - t));
}

TEST_P(SimtShared, ReportsAnIndexOutOfBounds) {
  const auto body = [](int shift) {
    return [=](const auto& lane) {
      auto s = lane.template shared<int>(16, 50);
      s[lane.rank() + shift] = 1;
    };
  };
  const LaunchShape shape{{2, 1, 1}, {50, 1, 1}, 1024};
  EXPECT_FALSE(fault_of(width, shape, body(0)).has_value());
  expect_fault(fault_of(width, shape, body(1)), FaultKind::shared_bounds, {0, 0, 0}, {49, 0, 0},
               49 % width, 50, "index 50 of a shared array of 50");
  expect_fault(fault_of(width, shape, body(-1)), FaultKind::shared_bounds, {0, 0, 0}, {0, 0, 0}, 0,
               -1, "0 to 49 are right");
}

TEST_P(SimtShared, ReportsAnArrayThatDoesNotFitOrIsMisaligned) {
  const LaunchShape shape{{1, 1, 1}, {1, 1, 1}, 96};
  const auto body = [](int offset, int count) {
    return [=](const auto& lane) { (void)lane.template shared<double>(offset, count); };
  };
  const auto expect = [&](int offset, int count, const char* words) {
    expect_fault(fault_of(width, shape, body(offset, count)), FaultKind::shared_layout, {0, 0, 0},
                 {0, 0, 0}, 0, offset, words);
  };
  EXPECT_FALSE(fault_of(width, shape, body(16, 10)).has_value());
  EXPECT_FALSE(fault_of(width, shape, body(96, 0)).has_value());
  expect(16, 11, "ends at byte 104; the launch has shared_bytes = 96");
  expect(0, 1 << 30, "ends at byte 8589934592");
  expect(12, 2, "begins at no multiple of 8");
  expect(-8, 2, "neither may be negative");
  expect(8, -2, "neither may be negative");
}

TEST_P(SimtShared, ReportsAReadOfWhatThisBlockHasNotWritten) {
  const auto body = [](int unwritten) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(0, 40);
      // The first block writes everything: what it left must not count in the second.
      if (lane.rank() != unwritten || lane.block().x == 0) s[lane.rank()] = 1.0;
      lane.barrier();
      const double neighbour = s[(lane.rank() + 1) % 40];
      (void)neighbour;
    };
  };
  const LaunchShape shape{{2, 1, 1}, {40, 1, 1}, 320};
  EXPECT_FALSE(fault_of(width, shape, body(-1)).has_value());
  expect_fault(fault_of(width, shape, body(10)), FaultKind::shared_uninitialised, {1, 0, 0},
               {9, 0, 0}, 9, 10, "reads index 10 (bytes 80 to 87 of shared memory)");
}

TEST_P(SimtShared, ReportsAnAtomicOnWhatIsNotWritten) {
  expect_fault(
      fault_of(width, {{}, {}, 64},
               [](const auto& lane) { lane.atomic_add(lane.template shared<int>(0, 16), 3, 1); }),
      FaultKind::shared_uninitialised, {0, 0, 0}, {0, 0, 0}, 0, 3, "adds atomically");
}

TEST_P(SimtShared, CountsWithAtomics) {
  const int bins = 13, threads = 500;
  Field<int> to(device, {bins});
  run(width, {{1, 1, 1}, {threads, 1, 1}, 4 * bins}, [out = to.elements()](const auto& lane) {
    auto counts = lane.template shared<int>(0, bins);
    if (lane.rank() < bins) counts[lane.rank()] = 0;
    lane.barrier();
    lane.atomic_add(counts, lane.rank() % bins, 1);
    lane.barrier();
    if (lane.rank() < bins) lane.store(out, lane.rank(), counts[lane.rank()]);
  });
  for (int b = 0; b < bins; ++b)
    EXPECT_EQ(to.data()[b], (threads - b + bins - 1) / bins);
}

TEST_P(SimtShared, KeepsBytesApart) {
  const int threads = 37;
  Field<int> to(device, {threads});
  const auto body = [out = to.elements()](int reach) {
    return [=](const auto& lane) {
      auto s = lane.template shared<unsigned char>(0, threads + 1);
      s[lane.rank()] = static_cast<unsigned char>(lane.rank() + 1);
      if (lane.rank() == reach) s[reach + 1] = 0; // the neighbour's
      lane.barrier();
      lane.store(out, lane.rank(), s[threads - 1 - lane.rank()]);
    };
  };
  const LaunchShape shape{{1, 1, 1}, {threads, 1, 1}, 64};
  ASSERT_FALSE(fault_of(width, shape, body(-1)).has_value());
  for (int t = 0; t < threads; ++t)
    EXPECT_EQ(to.data()[t], threads - t);
  expect_fault(fault_of(width, shape, body(5)), FaultKind::shared_race, {0, 0, 0}, {6, 0, 0}, 6, 6,
               "which thread (5,0,0) wrote");
}

TEST_P(SimtShared, SeesAccessesOfOtherSizesToTheSameBytes) {
  const auto body = [](bool ordered) {
    return [=](const auto& lane) {
      auto words = lane.template shared<int>(0, 4);
      auto bytes = lane.template shared<unsigned char>(0, 16);
      if (lane.rank() == 0) bytes[6] = 1;
      lane.barrier();
      if (lane.rank() == 1) words[1] = 0x05050505;
      if (ordered) lane.barrier();
      if (lane.rank() == 0) bytes[6] = 2;
    };
  };
  const LaunchShape shape{{1, 1, 1}, {2, 1, 1}, 16};
  EXPECT_FALSE(fault_of(width, shape, body(true)).has_value());
  expect_fault(fault_of(width, shape, body(false)), FaultKind::shared_race, {0, 0, 0}, {0, 0, 0}, 0,
               6, "writes index 6 (bytes 6 to 6 of shared memory), which thread (1,0,0) wrote");
}

TEST_P(SimtShared, LoadsPacksFromSharedMemory) {
  Field<double> to(device, {64});
  const auto body = [out = to.elements()](int shift, bool barrier) {
    return [=](const auto& lane) {
      auto s = lane.template shared<double>(32, 64);
      if (lane.rank() < 62) s[lane.rank()] = lane.rank();
      if (barrier) lane.barrier();
      if (lane.rank() >= 16) return;
      const int at = 4 * (15 - lane.rank());
      const Pack<double, 4> p = lane.template load_shared_pack<4>(s, at + shift);
      lane.store(out, at, p);
    };
  };
  const LaunchShape shape{{1, 1, 1}, {64, 1, 1}, 32 + 512};
  run(width, shape, body(0, true));
  for (int i = 0; i < 62; ++i)
    EXPECT_EQ(to.data()[i], i);
  for (int i = 62; i < 64; ++i)
    EXPECT_TRUE(std::isnan(to.data()[i])) << "nobody has written it";
  // The block's last lane goes on first from the barrier, then the others in their order.
  const auto expect = [&](int shift, bool barrier, FaultKind kind, int t, Index index,
                          const char* words) {
    expect_fault(fault_of(width, shape, body(shift, barrier)), kind, {0, 0, 0}, {t, 0, 0}, t, index,
                 words);
  };
  expect(-2, true, FaultKind::shared_alignment, 0, 58,
         "a pack of 4 at index 58 begins at byte 496 of shared memory, which is no multiple of 32");
  expect(4, true, FaultKind::shared_bounds, 0, 67, "index 67 of a shared array of 64");
  expect(-4, true, FaultKind::shared_bounds, 15, -4, "index -4");
  expect(0, false, FaultKind::shared_race, 13, 8, "which thread (8,0,0) wrote");
}

} // namespace
} // namespace ridge::simt_test
