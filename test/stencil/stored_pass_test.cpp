// Several sweeps of fields in 16 bits in one pass on GPUs: the bits of single sweeps, which round
// each.
#include <ridge/core/stored.hpp>
#include <ridge/stencil/stored.hpp>

#include "../devices.hpp"
#include "sweeps_support.hpp"
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ridge::stencil {
namespace {

using test::Fields;
using test::read;

std::vector<std::string> emulated_here() {
  std::vector<std::string> names = ridge::test::devices_here();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("simt"); });
  return names;
}

class StoredPasses : public ::testing::TestWithParam<std::string> {
protected:
#if defined(RIDGE_SANITIZED)
  void SetUp() override { GTEST_SKIP() << "compiled in builds without sanitizers"; }
#endif
  Device device{GetParam()};

  template <class S, class K>
  void expect_same_bits(Index3 n, const Boundaries& b, int together, Index steps, const K& kernel) {
    SCOPED_TRACE(test::text_of(n) + " " + to_text(b) + " sweeps=" + std::to_string(together) +
                 ", " + std::to_string(steps) + " steps");
    Queue queue(device);
    const Stored<K> stored{kernel};
    const Fields<S> fields(queue, n, inputs_of<K>);
    const launch::AheadOnly no_compiling;
    Sweeps singles(queue, stored, fields.views(), b, SweepsSchedule{GpuSchedule{}});
    Sweeps passes(queue, stored, fields.views(), b,
                  SweepsSchedule{GpuSchedule{}, GpuPassSchedule{together}});
    EXPECT_LT(passes.passes(steps), steps);
    singles.run(steps);
    passes.run(steps);
    Index changed = 0;
    for (int level = 0; level < levels_of<K>(); ++level) {
      const std::vector<S> got = read<S>(queue, passes, level, n);
      const std::vector<S> expected = read<S>(queue, singles, level, n);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = static_cast<Index>(i);
        changed += widened(got[i]) != static_cast<float>(fields.host()[0][i]) ? 1 : 0;
        ASSERT_EQ(got[i], expected[i]) << "level " << level << " (" << at % n.x << ", "
                                       << at / n.x % n.y << ", " << at / n.x / n.y << ") is "
                                       << widened(got[i]) << " instead of " << widened(expected[i]);
      }
    }
    EXPECT_GT(changed, 0);
  }

  template <class S, class K>
  void expect_same_bits_at_random(const K& kernel, unsigned seed) {
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return static_cast<Index>(random() % (most + 1)); };
    for (int i = 0; i < 6 && !HasFailure(); ++i) {
      const Index3 n{5 + up_to(140), 5 + up_to(40), 5 + up_to(20)};
      Boundaries b = test::random_boundaries(random, n);
      for (auto& axis : b.faces) {
        for (Condition& c : axis) // slopes other than 0 are refused: they would be rounded twice
          if (c.kind == Boundary::neumann) c.value = 0;
      }
      const int together = 2 + static_cast<int>(up_to(2));
      expect_same_bits<S>(n, b, together, together + up_to(5), kernel);
    }
  }
};

TEST_P(StoredPasses, RoundEachSweep) {
  const test::Slanted kernel{0.02};
  expect_same_bits<Fp16>({301, 37, 29}, parse_boundaries("x-=dirichlet:0.3,z+=dirichlet:1"), 4, 8,
                         kernel);
  for (const int together : {2, 3, 4}) {
    expect_same_bits<Fp16>({133, 39, 15}, parse_boundaries("x=periodic,y=periodic,z=periodic"),
                           together, 5, kernel);
    expect_same_bits<Fp16>({70, 21, 13}, parse_boundaries("x=mirror,y=mirror,z=mirror"), together,
                           7, kernel);
    expect_same_bits<Fp16>({5, 5, 5}, parse_boundaries("x=mirror,y=neumann:0"), together, 4,
                           kernel);
  }
  expect_same_bits_at_random<Fp16>(kernel, 5);
}

TEST_P(StoredPasses, RoundBothTimeLevels) {
  const test::Ripple<1> kernel{0.02};
  for (const int together : {2, 3, 4}) {
    expect_same_bits<Bf16>({131, 37, 15}, parse_boundaries("x=mirror,y=periodic,z=dirichlet:0"),
                           together, 9, kernel);
    expect_same_bits<Bf16>({67, 20, 15}, parse_boundaries("x=periodic,z=mirror"), together, 6,
                           kernel);
  }
  expect_same_bits_at_random<Bf16>(kernel, 6);
}

INSTANTIATE_TEST_SUITE_P(Here, StoredPasses, ::testing::ValuesIn(emulated_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::stencil
