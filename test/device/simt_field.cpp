// Access to fields on the emulated GPU: what arrives, and which accesses are refused.
#include "simt_support.hpp"

#include <numeric>

namespace ridge::simt_test {
namespace {

using simt::FaultKind;

class SimtField : public EachWidth {
protected:
  SimtField() { std::iota(from.data(), from.data() + n, 0.0); }

  static constexpr int n = 100;
  Field<double> from{device, {n}};
  Field<double> to{device, {n}};
  LaunchShape two_blocks{{2, 1, 1}, {50, 1, 1}, 0};
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtField, both_widths);

/// Doubles element i + shift of `from`: in bounds only for shift 0.
template <class Store>
auto doubler(const Field<double>& from, int shift, Store store) {
  return [in = input(from), shift, store](const auto& lane) {
    const int i = lane.block().x * 50 + lane.rank();
    store(lane, i, 2 * lane.load(in, i + shift));
  };
}

TEST_P(SimtField, LoadsAndStoresInBounds) {
  run(width, two_blocks, doubler(from, 0, [out = to.elements()](const auto& lane, int i, double v) {
        lane.store(out, i, v);
      }));
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(to.data()[i], 2.0 * i);
  run(width, two_blocks, [in = input(from), out = to.elements()](const auto& lane) {
    const int i = lane.block().x * 50 + lane.rank();
    lane.store_nontemporal(out, i, 3 * lane.load_nontemporal(in, i));
  });
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(to.data()[i], 3.0 * i);
}

TEST_P(SimtField, ReportsALoadPastTheEnd) {
  const auto ignore = [](const auto&, int, double) {};
  expect_fault(fault_of(width, two_blocks, doubler(from, 1, ignore)), FaultKind::field_bounds,
               {1, 0, 0}, {49, 0, 0}, 49 % width, 100, "load of index 100 of a field of 100");
}

TEST_P(SimtField, ReportsALoadBeforeTheBegin) {
  const auto ignore = [](const auto&, int, double) {};
  expect_fault(fault_of(width, two_blocks, doubler(from, -1, ignore)), FaultKind::field_bounds,
               {0, 0, 0}, {0, 0, 0}, 0, -1, "0 to 99 are right");
}

TEST_P(SimtField, ReportsEveryKindOfAccessOutOfBounds) {
  const Span<double> out = to.elements();
  const Span<const double> in = input(from);
  const auto expect = [&](const char* words, Index index, const auto& f) {
    expect_fault(fault_of(width, {{}, {}, 0}, f), FaultKind::field_bounds, {0, 0, 0}, {0, 0, 0}, 0,
                 index, words);
  };
  expect("store of index 100", 100, [=](const auto& l) { l.store(out, 100, 1.0); });
  expect("store of index -1", -1, [=](const auto& l) { l.store_nontemporal(out, -1, 1.0); });
  expect("load of index 100", 100, [=](const auto& l) { (void)l.load_nontemporal(in, 100); });
  expect("atomic_add of index 100", 100, [=](const auto& l) { l.atomic_add(out, 100, 1.0); });
  expect("indices 98 to 101", 98, [=](const auto& l) { (void)l.template load_pack<4>(in, 98); });
  expect("indices 98 to 101", 98, [=](const auto& l) { l.store(out, 98, Pack<double, 4>(1)); });
  expect("indices -4 to -1", -4,
         [=](const auto& l) { l.store_nontemporal(out, -4, Pack<double, 4>(1)); });
  expect("none are right", 0, [=](const auto& l) {
    (void)l.load(Span<const double>{in.data, 0}, 0);
  });
  expect("none are right", 0, [=](const auto& l) {
    (void)l.load(Span<const double>{in.data, -5}, 0);
  });
  expect("load of index 4000000000", 4'000'000'000,
         [=](const auto& l) { (void)l.load(in, 4'000'000'000); });
}

TEST_P(SimtField, MovesAlignedPacks) {
  run(width, {{1, 1, 1}, {25, 1, 1}, 0}, [in = input(from), out = to.elements()](const auto& lane) {
    const Index i = 4 * lane.rank();
    const auto v = lane.template load_pack<4>(in, i);
    lane.store(out, i, v + v);
  });
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(to.data()[i], 2.0 * i);
}

TEST_P(SimtField, ReportsMisalignedPacks) {
  const LaunchShape shape{{1, 1, 1}, {40, 1, 1}, 0};
  const Span<double> out = to.elements();
  const auto load = [in = input(from)](const auto& lane) {
    (void)lane.template load_pack<2>(in, lane.rank() == 35 ? 3 : 2);
  };
  expect_fault(fault_of(width, shape, load), FaultKind::field_alignment, {0, 0, 0}, {35, 0, 0},
               35 % width, 3, "index 3 is not a multiple of 2");
  const auto store = [=](const auto& lane) { lane.store(out, 2, Pack<double, 4>(lane.rank())); };
  expect_fault(fault_of(width, shape, store), FaultKind::field_alignment, {0, 0, 0}, {0, 0, 0}, 0,
               2, "index 2 is not a multiple of 4");
  const auto shifted = [=](const auto& lane) {
    lane.store(Span<double>{out.data + 1, n - 1}, 2, Pack<double, 2>(1));
  };
  expect_fault(fault_of(width, shape, shifted), FaultKind::field_alignment, {0, 0, 0}, {0, 0, 0}, 0,
               2, "begins 8 bytes past a multiple of 16");
  const auto both = [=](const auto& lane) {
    lane.store(Span<double>{out.data + 1, n - 1}, 3, Pack<double, 2>(lane.rank()));
  };
  EXPECT_FALSE(fault_of(width, shape, both).has_value());
}

template <class T>
void expect_histogram(int width) {
  const int bins = 7, threads = 100, blocks = 200;
  Field<T> counts(open(width), {bins});
  std::fill_n(counts.data(), bins, T{0});
  run(width, {{blocks, 1, 1}, {threads, 1, 1}, 0}, [to = counts.elements()](const auto& lane) {
    lane.atomic_add(to, (lane.block().x * threads + lane.rank()) % bins, T{1});
  });
  std::vector<T> right(bins, T{0});
  for (int i = 0; i < blocks * threads; ++i)
    right[static_cast<std::size_t>(i % bins)] += T{1};
  EXPECT_EQ(values(counts), right);
}

TEST_P(SimtField, CountsWithAtomicsOfAllTypes) {
  expect_histogram<int>(width);
  expect_histogram<unsigned>(width);
  expect_histogram<float>(width);
  expect_histogram<double>(width);
}

TEST_P(SimtField, AtomicsReturnTheValueBefore) {
  const int threads = 64, blocks = 50;
  Field<int> counter(device, {1}), seen(device, {threads * blocks});
  counter.data()[0] = 0;
  std::fill_n(seen.data(), seen.count(), 0);
  run(width, {{blocks, 1, 1}, {threads, 1, 1}, 0},
      [c = counter.elements(), s = seen.elements()](const auto& lane) {
        const int before = lane.atomic_add(c, 0, 1);
        lane.fence();
        lane.atomic_add(s, before, 1);
      });
  EXPECT_EQ(values(seen), std::vector<int>(threads * blocks, 1));
}

TEST_P(SimtField, ReportsAnUndeclaredAccess) {
  const auto body = [](int z) {
    return [=](const auto& lane) {
      if (lane.rank() == 5 && z > 1) lane.undeclared_access(0, -1, z);
    };
  };
  EXPECT_FALSE(fault_of(width, LaunchShape{{1, 1, 1}, {70, 1, 1}, 0}, body(1)).has_value());
  expect_fault(fault_of(width, LaunchShape{{1, 1, 1}, {70, 1, 1}, 0}, body(2)),
               FaultKind::undeclared_access, {0, 0, 0}, {5, 0, 0}, 5, -1,
               "reads neighbour (0, -1, 2), which its footprint does not declare; add it to the "
               "footprint");
}

} // namespace
} // namespace ridge::simt_test
