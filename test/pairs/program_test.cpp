// Programs of sums over pairs: bound once, run often.
#include <ridge/device/graph.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

#include "allocations.hpp"
#include "devices.hpp"
#include "pairs_case.hpp"
#include "test_interactions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace ridge::pairs {
namespace {

class PairPrograms : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};

  template <class I, class P>
  static bool same_bits(test::Case<I, P>& c,
                        const std::vector<std::vector<typename P::Summed>>& one) {
    const auto other = c.sums();
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (std::memcmp(one[k].data(), other[k].data(), one[k].size() * sizeof(one[k][0])) != 0)
        return false;
    }
    return true;
  }

  /// Runs programs of all schedules in turn, several times, all bound before the first runs.
  template <class I, class P>
  void expect_the_same_again(test::Case<I, P>& c) {
    const auto named = named_schedules(device, traits_of<I, P>(), c.bodies());
    std::vector<Program> programs;
    std::vector<std::vector<std::vector<typename P::Summed>>> sums;
    for (const NamedSchedule& s : named) {
      programs.emplace_back(c.queue, c.call, s.schedule, "test");
      c.poison();
      programs.back().run();
      ASSERT_EQ(c.wrong(), "") << s.name;
      sums.push_back(c.sums());
    }
    for (int round = 0; round < 3; ++round) {
      for (std::size_t n = 0; n < programs.size(); ++n) {
        c.poison();
        programs[n].run();
        programs[n].run();
        EXPECT_TRUE(same_bits(c, sums[n])) << named[n].name << ", round " << round;
      }
    }
  }
};

TEST_P(PairPrograms, GiveTheSameBitsEachTime) {
  test::Case<Gravity<>, Fp32> single(device, {1e-4}, random_bodies<4>(400, 3));
  expect_the_same_again(single);
  test::Case<Gravity<>, Mixed> mixed(device, {1e-4}, random_bodies<4>(269, 5));
  expect_the_same_again(mixed);
}

TEST_P(PairPrograms, GoIntoGraphs) {
  test::Case<Gravity<>, Fp32> first(device, {1e-4}, random_bodies<4>(200, 3));
  test::Case<Coulomb, Fp64> second(device, {1e-4}, random_bodies<4>(150, 3));
  Queue& queue = first.queue;
  const Program gravity(queue, first.call);
  const Program coulomb(queue, second.call);
  queue.wait();
  Graph graph(queue, [&] {
    gravity.run();
    coulomb.run();
  });
  for (int round = 0; round < 2; ++round) {
    first.poison();
    second.poison();
    second.queue.wait();
    graph.launch();
    queue.wait();
    EXPECT_EQ(first.wrong(), "");
    EXPECT_EQ(second.wrong(), "");
  }
}

TEST_P(PairPrograms, LeaveARecord) {
  test::Case<Coulomb, Fp32> c(device, {1e-4}, random_bodies<4>(100, 3));
  const Program program(c.queue, c.call, "coulomb");
  const Record record = program.record();
  EXPECT_EQ(record.pattern, "pairs");
  EXPECT_EQ(record.kernel, "coulomb");
  EXPECT_EQ(record.precision, "fp32");
  EXPECT_EQ(to_text(record.device), GetParam());
  EXPECT_EQ(record.compiled, "ahead");
  EXPECT_EQ(record.work.items, 100 * 99);
  EXPECT_EQ(record.schedule,
            to_text(default_schedule(device, traits_of<Coulomb, Fp32>(), c.bodies())));
}

TEST_P(PairPrograms, TakeNoMemoryToRun) {
  if (device.kind() == DeviceKind::simt) return; // emulation does
  test::Case<Gravity<>, Fp32> single(device, {1e-4}, random_bodies<4>(400, 3));
  test::Case<Gravity<>, Mixed> mixed(device, {1e-4}, random_bodies<4>(700, 3));
  const Program programs[] = {{single.queue, single.call}, {mixed.queue, mixed.call}};
  for (const Program& program : programs) {
    program.run();
    const long before = ridge::test::allocations();
    program.run();
    EXPECT_EQ(ridge::test::allocations() - before, 0);
  }
}

TEST_P(PairPrograms, KnowTheStepsOfTheRoot) {
  EXPECT_EQ(rsqrt_steps(device, traits_of<test::Mixture, Fp32>()), 0); // declares no grade
  const int steps = rsqrt_steps(device, traits_of<Gravity<>, Fp64>());
  EXPECT_TRUE(steps == 0 || (steps >= 4 && steps <= 6)) << steps;
}

TEST_P(PairPrograms, TakeVariantsThatNoDefaultPicks) {
  test::Case<test::Odd, Fp32> c(device, {}, random_bodies<3>(700, 3));
  if (device.kind() == DeviceKind::cpu) {
    CpuSchedule s;
    s.tile = 3;
    EXPECT_EQ(c.wrong_under(s), "");
    return;
  }
  GpuSchedule direct;
  direct.stage = Stage::warp;
  direct.tile = 3;
  direct.block = 192;
  for (const Divide divide : {Divide::targets, Divide::sources}) {
    direct.divide = divide;
    direct.ways = 8;
    EXPECT_EQ(c.wrong_under(direct), "") << to_text(Schedule(direct));
  }
  GpuSchedule symmetric;
  symmetric.form = Form::symmetric;
  symmetric.tile = 2;
  symmetric.unroll = 16;
  for (const int block : {128, 256}) {
    symmetric.block = block;
    EXPECT_EQ(c.wrong_under(symmetric), "") << to_text(Schedule(symmetric));
  }
}

TEST(PairVariants, AreNamedInWhatIsCompiledOnDemand) {
  GpuSchedule s;
  s.stage = Stage::both;
  s.tile = 3;
  EXPECT_EQ(detail::variant_definition(s), "#define RIDGE_PAIRS_DIRECT Stage::both, 3, 4, 1\n");
  s.form = Form::symmetric;
  s.unroll = 8;
  EXPECT_EQ(detail::variant_definition(s), "#define RIDGE_PAIRS_SYMMETRIC 3, 8\n");
  EXPECT_EQ(detail::variant_definition(CpuSchedule{}), "#define RIDGE_PAIRS_CPU 2\n");
}

INSTANTIATE_TEST_SUITE_P(Here, PairPrograms, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(KernelSources, AreFilesOfThisBuild) {
  const SourceFile source = find_source(typeid(Call<test::Odd, Fp32>));
  EXPECT_THAT(source.file, ::testing::EndsWith("/test/pairs/odd_kernels.cpp"));
  EXPECT_TRUE(std::filesystem::exists(source.file)) << source.file;
  EXPECT_THAT(source.flags, ::testing::HasSubstr("/include"));
}

} // namespace
} // namespace ridge::pairs
