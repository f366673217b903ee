// Several sweeps in one pass on GPUs give the bits of single sweeps.
#include "../devices.hpp"
#include "sweeps_support.hpp"
#include "test_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ridge::stencil {
namespace {

using test::Fields;
using test::read;

/// Under the sanitizers one kernel in one precision is compiled (gpu_pass_kernels.cpp), which says
/// what it skips, and fewer cases run.
#if defined(RIDGE_SANITIZED)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
constexpr const char* not_compiled =
    "compiles for minutes and takes gigabytes under the sanitizers; runs in builds without them";

std::vector<std::string> gpus_here() {
  std::vector<std::string> names = ridge::test::devices_here();
  std::erase(names, "cpu");
  return names;
}

class GpuPasses : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};

  /// Steps under the schedule and one by one.
  template <class T, class K = test::Slanted>
  void expect_same_bits(Index3 n, const Boundaries& b, const GpuPassSchedule& pass, Index steps,
                        const K& kernel = {0.02}) {
    SCOPED_TRACE(test::text_of(n) + " " + to_text(b) + " " + text::print(pass) + " " +
                 std::to_string(steps) + " steps");
    Queue queue(device);
    const Fields<T> fields(queue, n, inputs_of<K>);
    const launch::AheadOnly no_compiling;
    Sweeps singles(queue, kernel, fields.views(), b, SweepsSchedule{GpuSchedule{}});
    Sweeps passes(queue, kernel, fields.views(), b, SweepsSchedule{GpuSchedule{}, pass});
    singles.run(steps);
    passes.run(steps);
    EXPECT_EQ(passes.steps(), steps);
    for (int level = 0; level < levels_of<K>(); ++level) {
      const std::vector<T> got = read<T>(queue, passes, level, n);
      const std::vector<T> expected = read<T>(queue, singles, level, n);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = static_cast<Index>(i);
        ASSERT_EQ(std::memcmp(&got[i], &expected[i], sizeof(T)), 0)
            << "level " << level << " (" << at % n.x << ", " << at / n.x % n.y << ", "
            << at / n.x / n.y << ") is " << got[i] << " instead of " << expected[i];
      }
    }
  }

  /// Fields, faces, passes and steps by chance.
  template <class T, class K>
  void expect_same_bits_at_random(const K& kernel, int most_sweeps, int cases, unsigned seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return static_cast<Index>(random() % (most + 1)); };
    const int least = 4 * radius_of<K>().z + 1; // enough however much of it is fixed
    for (int i = 0; i < (sanitized ? cases / 3 : cases) && !HasFailure(); ++i) {
      const Index3 n{least + up_to(140), least + up_to(50), least + up_to(20)};
      const Boundaries b = test::random_boundaries(random, n);
      const int sweeps = 2 + static_cast<int>(up_to(most_sweeps - 2));
      expect_same_bits<T>(n, b, {sweeps}, up_to(9), kernel);
    }
  }

  template <class T>
  void expect_same_bits_from_the_smallest_on(unsigned seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return static_cast<Index>(random() % (most + 1)); };
    for (int i = 0; i < 6; ++i) {
      const int sweeps = 2 + static_cast<int>(up_to(2));
      const Index3 n{5 + up_to(140), 5 + up_to(40), 5 + up_to(12)};
      expect_same_bits<T>(n, {}, {sweeps}, up_to(6));
    }
  }
};

class GpuPassesInFp32 : public GpuPasses {
protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << not_compiled;
  }
};

TEST_P(GpuPasses, GiveTheBitsOfSingleSweeps) {
  const Boundaries fixed = parse_boundaries("x-=dirichlet:0.5,y+=dirichlet:1,z-=dirichlet:-1");
  for (const int sweeps : {2, 3, 4}) {
    if (sanitized && sweeps != 3) continue;
    expect_same_bits<double>({sanitized ? Index{131} : 301, 37, 29}, fixed, {sweeps}, 4);
  }
}

TEST_P(GpuPassesInFp32, GiveTheBitsOfSingleSweeps) {
  for (const int sweeps : {2, 3, 4}) {
    expect_same_bits<float>({130, 59, 41}, {}, {sweeps}, 5);
  }
}

TEST_P(GpuPasses, FollowPointsBeyondFaces) {
  Boundaries reflecting =
      parse_boundaries("x-=mirror,x+=neumann:0.5,y-=neumann:-1,y+=mirror,z-=neumann:2,z+=mirror");
  reflecting.spacing = {0.5, 0.75, 1.25};
  for (const int sweeps : {2, 3, 4}) {
    if (sanitized && sweeps != 3) continue;
    expect_same_bits<double>({131, 37, 29}, reflecting, {sweeps}, 5);
  }
  expect_same_bits_at_random<double>(test::Slanted{0.02}, 4, 12, 5);
}

TEST_P(GpuPassesInFp32, FollowPointsBeyondFaces) {
  const Boundaries around = parse_boundaries("x=periodic,y=periodic,z=periodic");
  for (const int sweeps : {2, 3, 4}) {
    expect_same_bits<float>({133, 59, 21}, around, {sweeps}, 5);
  }
  const Boundaries mixed = parse_boundaries("x=mirror,y-=neumann:-1,y+=mirror,z=periodic");
  expect_same_bits<float>({270, 59, 21}, mixed, {4}, 5);
  expect_same_bits_at_random<float>(test::Slanted{0.02}, 4, 12, 6);
}

TEST_P(GpuPasses, TakeTwoTimeLevels) {
  if (sanitized) GTEST_SKIP() << not_compiled;
  expect_same_bits<double>({131, 37, 29}, parse_boundaries("x=dirichlet:1"), {4}, 8,
                           test::Ripple<1>{0.02});
  expect_same_bits_at_random<double>(test::Ripple<1>{0.02}, 4, 10, 7);
}

TEST_P(GpuPasses, ReadTwoPointsAway) {
  if (sanitized) GTEST_SKIP() << not_compiled;
  const test::Steep<2> kernel{0.02};
  const GpuPassSchedule pass{2};
  const Boundaries fixed = parse_boundaries("x=dirichlet:1,y=dirichlet:2,z=dirichlet:3");
  expect_same_bits<double>({131, 37, 29}, {}, pass, 4, kernel);
  expect_same_bits<double>({67, 37, 29}, fixed, pass, 4, kernel);
  expect_same_bits_at_random<double>(kernel, 2, 16, 9);
}

TEST_P(GpuPasses, TakeFacesWhoseValuesAreFields) {
  const Index3 n{67, 31, 13};
  Boundaries b;
  Condition& c = b.faces[0][1];
  c.kind = Boundary::dirichlet;
  c.field = "f.h5:/f";
  for (Index i = 0; i < face_points(n, 0); ++i)
    c.values.push_back(0.125 * static_cast<double>(i % 8));
  expect_same_bits<double>(n, b, {3}, 7);
}

TEST_P(GpuPasses, TakeExtentsFromTheSmallestOn) {
  expect_same_bits<double>({5, 5, 5}, {}, {4}, 4);
  expect_same_bits_from_the_smallest_on<double>(9);
}

TEST_P(GpuPassesInFp32, TakeExtentsFromTheSmallestOn) {
  expect_same_bits_from_the_smallest_on<float>(10);
}

/// What is said of fields of zeros.
template <class K>
std::string refusal(const Device& device, const K& kernel, std::string_view boundaries) {
  Queue queue(device);
  const Index3 n{20, 20, 20};
  const Fields<double> fields(queue, n, inputs_of<K>);
  const Boundaries b = parse_boundaries(boundaries);
  const SweepsSchedule s{GpuSchedule{}, GpuPassSchedule{3}};
  const launch::AheadOnly no_compiling;
  try {
    const Sweeps sweeps(queue, kernel, fields.views(), b, s);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST_P(GpuPasses, RefuseWhatTheyCannotDo) {
  using ::testing::HasSubstr;
  EXPECT_EQ(refusal(device, test::Slanted{0.02}, "x=dirichlet:1"), "");
  EXPECT_EQ(refusal(device, test::Slanted{0.02}, "x=mirror,y=periodic,z+=neumann:1"), "");
  EXPECT_THAT(refusal(device, test::Lopsided{0.02}, "untouched"),
              HasSubstr("on all three axes, one point away or"));
}

TEST_P(GpuPasses, RefuseMoreSweepsOfWhatReadsTwoPointsAway) {
  if (sanitized) GTEST_SKIP() << not_compiled;
  EXPECT_THAT(refusal(device, test::Steep<2>{0.02}, "untouched"),
              ::testing::HasSubstr("take sweeps=2"));
}

TEST_P(GpuPasses, AreComparedWhereTheyAreThere) {
  const Traits traits = traits_of<test::Slanted, double>();
  const auto passes = [&](const char* boundaries) {
    int count = 0;
    for (const auto& named :
         compared_sweeps(device, traits, 1, parse_boundaries(boundaries), {40, 40, 40}))
      count += named.schedule.pass ? 1 : 0;
    return count;
  };
  EXPECT_EQ(passes("x=dirichlet:0"), 3);
  EXPECT_EQ(passes("x=periodic,z=mirror"), 3);
}

TEST_P(GpuPasses, PrintAndParse) {
  const Traits traits = traits_of<test::Slanted, double>();
  const auto parsed = [&](std::string_view text) {
    return to_text(parse_sweeps(text, device, traits, {}, {301, 83, 57}));
  };
  EXPECT_EQ(parsed("sweeps=3 rows=4 warps=12 store=nontemporal"),
            "sweeps=3 rows=4 warps=12 store=nontemporal");
  EXPECT_EQ(parsed("sweeps=2"), device.facts().warp_width == 64
                                    ? "sweeps=2 rows=3 warps=6 store=plain"
                                    : "sweeps=2 rows=3 warps=12 store=plain");
  EXPECT_EQ(parsed("sweeps=4"), device.facts().warp_width == 64
                                    ? "sweeps=4 rows=2 warps=8 store=plain"
                                    : "sweeps=4 rows=2 warps=16 store=plain");
  EXPECT_EQ(parsed("sweeps=4 rows=4"), device.facts().warp_width == 64
                                           ? "sweeps=4 rows=4 warps=4 store=plain"
                                           : "sweeps=4 rows=4 warps=8 store=plain");
  EXPECT_THROW((void)parsed("sweeps=5"), UsageError);
  EXPECT_THROW((void)parsed("sweeps=4 rows=1 warps=8"), UsageError);
  EXPECT_THROW((void)parsed("sweeps=4 planes=3"), UsageError);
}

TEST_P(GpuPasses, AreShortenedToWhatIsUsualOfFewerSweeps) {
  const Traits traits = traits_of<test::Slanted, double>();
  const auto shorter = [&](std::string_view text) {
    const SweepsSchedule s = parse_sweeps(text, device, traits, {}, {301, 83, 57});
    return to_text(shortened(*s.pass, 3, device, traits, {301, 83, 57}));
  };
  const SweepsSchedule three = parse_sweeps("sweeps=3", device, traits, {}, {301, 83, 57});
  EXPECT_EQ(shorter("sweeps=4"), to_text(three));
  EXPECT_EQ(shorter("sweeps=4 rows=4 warps=8"), "sweeps=3 rows=4 warps=8 store=plain");
  EXPECT_EQ(shorter("sweeps=4 store=nontemporal"),
            to_text(parse_sweeps("sweeps=3 store=nontemporal", device, traits, {}, {301, 83, 57})));
}

/// Ends of z that others compute stay what they are; what others need of the planes that follow is
/// stored a second time, and nothing else.
void expect_needed_is_stored(const Device& device, const Boundaries& b) {
  SCOPED_TRACE(to_text(b));
  Queue queue(device);
  const Traits traits = traits_of<test::Slanted, double>();
  const Index3 n{131, 43, 29};
  const ShellLayout layout = shell_layout(device, traits, b, n, false);
  const auto count = layout.elements();
  constexpr double poison = -777;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = random_value(5, static_cast<std::int64_t>(i));
  // Two fields in one piece of memory: here, and where another rank would have them.
  const Field<double> from(device, Extents{count, 1, 1});
  const Field<double> results(device, Extents{2 * count, 1, 1});
  copy_to_device(queue, from.data(), numbers.data(), count);
  const auto run = [&](const PassNeighbours& neighbours) {
    const std::vector<double> poisoned(static_cast<std::size_t>(2 * count), poison);
    copy_to_device(queue, results.data(), poisoned.data(), 2 * count);
    const Shell<double> in =
        make_shell<double>(b, traits.radius, n, layout, from.data(), {}, false);
    const Shell<double> out =
        make_shell<double>(b, traits.radius, n, layout, results.data(), {}, false);
    Pass<test::Slanted, double> pass{{0.02}, {in.field}, {out.field}, in, {}, 3, neighbours};
    for (std::size_t axis = 0; axis < 3; ++axis)
      pass.periodic[axis] = b.faces[axis][0].kind == Boundary::periodic;
    const launch::AheadOnly no_compiling;
    Program(queue, pass, GpuPassSchedule{3, 3, device.facts().warp_width == 64 ? 6 : 12}).run();
    std::vector<double> got(poisoned.size());
    copy_to_host(queue, got.data(), results.data(), 2 * count);
    queue.wait();
    return std::pair(got, out.field);
  };
  PassNeighbours neighbours;
  neighbours.low = {3, 4, {count}};
  neighbours.high = {5, 2, {count}};
  const auto [expected, field] = run({});
  const auto [got, same_field] = run(neighbours);
  const auto first = field.data - results.data();
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < field.extents.y; ++y) {
      for (Index x = 0; x < field.extents.x; ++x) {
        const auto at = static_cast<std::size_t>(first + field.at(x, y, z));
        const bool computed = z >= 3 && z < n.z - 5;
        const bool needed = computed && (z < 3 + 4 || z >= n.z - 5 - 2);
        ASSERT_EQ(got[at], computed ? expected[at] : poison) << x << " " << y << " " << z;
        ASSERT_EQ(got[at + static_cast<std::size_t>(count)], needed ? expected[at] : poison)
            << x << " " << y << " " << z;
      }
    }
  }
}

TEST_P(GpuPasses, StoreWhatOtherRanksNeed) {
  expect_needed_is_stored(device, {});
  expect_needed_is_stored(device, parse_boundaries("x=mirror,y=mirror"));
  expect_needed_is_stored(device, parse_boundaries("x=periodic,y=neumann:0.5"));
}

TEST_P(GpuPasses, EndWithThoseThatAreCompiledAhead) {
  if (sanitized) GTEST_SKIP() << not_compiled;
  Queue queue(device);
  const Index3 n{40, 40, 40};
  const Traits traits = traits_of<test::Slanted, double>();
  const auto passes = [&](const char* text, Index steps) {
    const Fields<double> fields(queue, n, 1);
    const launch::AheadOnly no_compiling;
    const Boundaries b = parse_boundaries("x=mirror");
    const Sweeps sweeps(queue, test::Slanted{0.02}, fields.views(), b,
                        parse_sweeps(text, device, traits, b, n));
    return sweeps.passes(steps);
  };
  EXPECT_EQ(passes("sweeps=1", 7), 7);
  EXPECT_EQ(passes("sweeps=4", 8), 2);
  EXPECT_EQ(passes("sweeps=4", 11), 3); // 4 + 4 + 3
  EXPECT_EQ(passes("sweeps=4", 9), 3);  // 4 + 4 + 1
  EXPECT_EQ(passes("sweeps=2", 1), 1);
}

INSTANTIATE_TEST_SUITE_P(Here, GpuPasses, ::testing::ValuesIn(gpus_here()),
                         ridge::test::DeviceName{});
INSTANTIATE_TEST_SUITE_P(Here, GpuPassesInFp32, ::testing::ValuesIn(gpus_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
