// Programs of the lattice pattern: bound once, run often, a record of every launch.
#include <ridge/device/generate.hpp>
#include <ridge/lattice/check.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/shift.hpp>

#include "allocations.hpp"
#include "dispatch.hpp"
#include "program_kernels.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::lattice {
namespace {

using test::random_field;
using Vectors = Field<ColourVector<double>>;

class LatticePrograms : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  Lattice lattice{{4, 6, 2, 5}};
  Field<ColourMatrix<double>> u = random_field<ColourMatrix<double>>(queue, lattice, 1);
  Vectors x = random_field<ColourVector<double>>(queue, lattice, 2);
  Vectors y = random_field<ColourVector<double>>(queue, lattice, 3);
  Vectors z{device, lattice, "z"};
  DeviceResult<double> number{device};
  test::Operands operands{&u, &x, &z};

  /// One of each type of call, all into z or `number`.
  std::vector<Program> programs() {
    std::vector<Program> all;
    all.emplace_back(queue, reduce_call(Norm2{}, x, number));
    all.emplace_back(queue, reduce_call(Norm2{}, x, number, true));
    all.emplace_back(queue, axpy_norm_call(z, 0.5, x, y, number));
    all.emplace_back(queue, map_call(Axpy<double>{0.5}, z, x, y));
    all.emplace_back(queue, map_call(test::Squares{}, z, x));
    all.emplace_back(queue, shift_call(z, x, 1, 2));
    all.emplace_back(queue, assign_call(z, test::turned(operands)));
    all.emplace_back(queue, reduce_call(Norm2{}, test::turned(operands), number));
    all.emplace_back(queue, SiteLoopCall<ColourVector<double>, test::Doubled>{
                                z.view(), test::doubled(operands)});
    return all;
  }
  void poison() {
    fill_bytes(queue, z.reals().data, 0xff, z.bytes());
    fill_bytes(queue, number.doubles().data, 0xff, Bytes{8});
  }
  /// The bits of what a launch has written.
  std::vector<double> written() {
    std::vector<double> all = number.get(queue);
    for (const auto& site : z.get(queue)) {
      for (const double v : test::reals(site))
        all.push_back(v);
    }
    return all;
  }
  static std::string bits(const std::vector<double>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
  }
};

TEST_P(LatticePrograms, RunAgainAndAgainWithTheSameResult) {
  for (const Program& program : programs()) {
    poison();
    const std::string untouched = bits(written());
    program.run();
    const std::string first = bits(written());
    EXPECT_NE(first, untouched) << program.record().kernel;
    for (int i = 0; i < 3; ++i) {
      poison();
      program.run();
      EXPECT_EQ(bits(written()), first) << program.record().kernel;
    }
  }
}

TEST_P(LatticePrograms, AllocateNothingWhenTheyRun) {
  if (device.kind() != DeviceKind::cpu) GTEST_SKIP() << "the emulation of lanes allocates";
  for (const Program& program : programs()) {
    program.run(); // the team of threads is made
    const long before = ridge::test::allocations();
    for (int i = 0; i < 5; ++i)
      program.run();
    EXPECT_EQ(ridge::test::allocations() - before, 0) << program.record().kernel;
  }
}

TEST_P(LatticePrograms, SeeFieldsAsTheyAreWhenTheyRun) {
  const Program program(queue, reduce_call(Norm2{}, x, number));
  program.run();
  EXPECT_EQ(number.get(queue)[0], norm2(queue, x));
  scale(queue, x, 2.0, x);
  program.run();
  EXPECT_EQ(number.get(queue)[0], norm2(queue, x));
}

TEST_P(LatticePrograms, FollowEachOtherAsAGraph) {
  Vectors shifted(device, lattice, "shifted");
  const Program graph[] = {{queue, map_call(Scale<double>{3}, z, x)},
                           {queue, shift_call(shifted, z, 0, 1)},
                           {queue, map_call(Axpy<double>{-3}, z, x, z)}, // nothing is left
                           {queue, assign_call(z, test::turned(operands))},
                           {queue, reduce_call(Norm2{}, z, number)}};
  for (int i = 0; i < 2; ++i) {
    for (const Program& program : graph)
      program.run();
    const double expected = norm2(queue, z);
    EXPECT_EQ(number.get(queue)[0], expected);
    EXPECT_NEAR(norm2(queue, shifted), 9 * norm2(queue, x), 1e-10);
  }
}

TEST_P(LatticePrograms, LeaveARecord) {
  const Index sites = lattice.sites();
  const Index bytes = x.bytes().value;
  const auto all = programs();
  struct Expected {
    const char *kernel, *site;
    Index read, written;
    double flops;
  };
  const Expected expected[] = {
      {"norm2", "vector", bytes, 0, 12.0},
      {"norm2", "vector", bytes, 0, 12.0},
      {"axpy_norm", "vector", 2 * bytes, bytes, 24.0},
      {"axpy", "vector", 2 * bytes, bytes, 12.0},
      {"squares", "vector", bytes, bytes, 6.0},
      {"cshift", "vector", bytes, bytes, 0.0},
      {"assign", "vector", 4 * bytes, bytes, 72.0},
      {"norm2", "vector", 4 * bytes, 0, 84.0},
      {"doubled", "vector", bytes, bytes, 6.0},
  };
  ASSERT_EQ(all.size(), std::size(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Record r = all[i].record();
    const Expected& e = expected[i];
    EXPECT_EQ(r.pattern, "lattice") << i;
    EXPECT_EQ(r.kernel, e.kernel) << i;
    EXPECT_EQ(r.site, e.site) << i;
    EXPECT_EQ(r.precision, "fp64") << i;
    EXPECT_EQ(r.size, lattice.extents()) << i;
    EXPECT_EQ(r.device, device.id()) << i;
    EXPECT_EQ(r.work.items, sites) << i;
    EXPECT_EQ(r.work.read.value, e.read) << i;
    EXPECT_EQ(r.work.written.value, e.written) << i;
    EXPECT_EQ(r.work.flops, e.flops * static_cast<double>(sites)) << i;
    EXPECT_FALSE(r.work.convention.empty()) << i;
    EXPECT_EQ(r.in_cache, e.read + e.written <= device.facts().last_level_cache.value) << i;
    EXPECT_EQ(r.compiled, "ahead") << i;
    // As text, the schedule is one again.
    EXPECT_EQ(
        to_text(
            parse_schedule(r.schedule, device, Task::expression, x.shape(), x.geometry()).schedule),
        r.schedule)
        << i;
  }
}

TEST_P(LatticePrograms, CountAFieldOnceAndOnlyTheSitesOfASubset) {
  DeviceResult<double> result(device);
  const auto all = on_kind_of(device, [&]<class Target>(Target) {
    return test::Bound<Target>::programs(queue, operands, result);
  });
  EXPECT_EQ(all[0].record().kernel, "turned");
  EXPECT_EQ(all[1].record().work.items, lattice.sites() / 2);
  EXPECT_EQ(all[1].record().work.read.value, z.bytes().value / 2);
  EXPECT_EQ(all[2].record().work.items, lattice.sites() / 2);
  for (int i = 0; i < 2; ++i) {
    for (const Program& program : all)
      program.run();
    EXPECT_GT(result.get(queue)[0], 0);
  }
  FieldsWork twice(10);
  twice.read(x.view());
  twice.read(x.view());
  EXPECT_EQ(twice.work(0, "").read.value, 10 * 6 * 8);
  EXPECT_EQ(sites_of(Lattice({3, 5, 8}).geometry(8), Subset::odd), 60);
  Geometry odd;
  odd.rank = 2;
  odd.local[0] = 3, odd.local[1] = 5, odd.groups = 15;
  EXPECT_EQ(sites_of(odd, Subset::even), 8);
  EXPECT_EQ(sites_of(odd, Subset::odd), 7);
}

TEST_P(LatticePrograms, RunReductionsOfTheUsersOwnUnderEverySchedule) {
  const auto check = [&](const auto& call, const Schedule& s, const Span<double>& result) {
    fill_bytes(queue, result.data, 0xff, Bytes{result.size * 8});
    const Program program(queue, call, s);
    program.run();
    std::vector<double> got(static_cast<std::size_t>(result.size));
    copy_to_host(queue, got.data(), static_cast<const double*>(result.data), result.size);
    queue.wait();
    const auto right = check_results(expected_results(queue, call), got, 1e-13);
    EXPECT_TRUE(right.ok) << right.message << " " << program.record().kernel << " " << to_text(s);
  };
  const DeviceResult<ColourVector<double>> tensor(device);
  const auto fourth = reduce_call(test::FourthPowers{}, x, number);
  const auto distance = reduce_call(test::Distance{{}, 0.5}, x, y, tensor);
  const auto largest = reduce_call(test::LargestProduct{}, x, y, number);
  unsigned n = 0;
  for (const Schedule& s : schedule_space(device, Task::reduce_number, x.geometry())) {
    const auto* const gpu = std::get_if<GpuSchedule>(&s);
    if (gpu != nullptr && n++ % 7 != 0) continue;
    check(fourth, s, number.doubles());
    check(largest, s, number.doubles());
    if (gpu == nullptr || gpu->reduce != Passes::staged) check(distance, s, tensor.doubles());
  }
  auto slices = fourth;
  const DeviceResult<double> several(device, 5);
  slices.dimension = 3;
  slices.result = several.doubles();
  slices.reproducible = true;
  check(slices, Pattern<decltype(slices)>::default_schedule(device, slices), several.doubles());
}

TEST_P(LatticePrograms, RefuseWhatDoesNotFit) {
  auto small = reduce_call(Sum{}, x, number);
  EXPECT_THROW(Program(queue, small), UsageError) << "six doubles into one";
  EXPECT_THROW(Program(queue, shift_call(x, x, 0, 1)), UsageError);
  const Schedule other =
      device.kind() == DeviceKind::cpu ? Schedule(GpuSchedule{}) : Schedule(CpuSchedule{});
  EXPECT_THROW(Program(queue, map_call(test::Squares{}, z, x), other), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, LatticePrograms, ::testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

TEST(LatticeDemands, NameTheOneVariantThatIsWanted) {
  const Device device("simt:32");
  Queue queue(device);
  const Lattice lattice({8, 4, 4});
  const Field<ColourVector<float>> x(device, lattice);
  const DeviceResult<double> result(device);
  GpuSchedule s;
  s.items = 3;
  const auto call = reduce_call(Norm2{}, x, result);
  const launch::Demand demand = Pattern<ReduceCall<Norm2, float>>(queue, call, s).demand(device, s);
  EXPECT_EQ(demand.executor, "ridge/lattice/executor.hpp");
  EXPECT_THAT(demand.source, ::testing::EndsWith("test/lattice/reduction_kernels.cpp"));
  EXPECT_EQ(demand.definitions, "#define RIDGE_LATTICE_REDUCE 3, Passes::fused, false, false\n");
  EXPECT_THAT(demand.instantiation,
              ::testing::HasSubstr(
                  "ridge::lattice::Reducer<ridge::lattice::Norm2, float, ridge::Here>::offered"));
}

} // namespace
} // namespace ridge::lattice
