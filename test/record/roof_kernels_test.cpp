// The kernels that find the ceilings do what they are timed for, on every kind of device there is
// without a GPU and on a GPU where there is one, at sizes that fit nothing.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/record/roof_kernels.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace ridge {
namespace {

constexpr double poison = -777;
/// Elements behind the end that kernels must leave alone.
constexpr Index behind = 40;

template <class T>
std::vector<T> random_values(Index count, std::uint64_t seed, double lowest, double highest) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const double unit = (random_value(seed, i) + 1) / 2;
    values[static_cast<std::size_t>(i)] = static_cast<T>(lowest + unit * (highest - lowest));
  }
  return values;
}

class RoofKernelsOn : public testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
  Queue queue{device};
  const RoofKernels& kernels = roof_kernels(device);

  template <class T>
  Field<T> upload(const std::vector<T>& values) {
    Field<T> field(device, {static_cast<Index>(values.size())});
    copy_to_device(queue, field.data(), values.data(), field.count());
    queue.wait();
    return field;
  }
  template <class T>
  std::vector<T> download(const Field<T>& field) {
    std::vector<T> values(static_cast<std::size_t>(field.count()));
    copy_to_host(queue, values.data(), field.data(), field.count());
    queue.wait();
    return values;
  }

  /// What `launch(to)` leaves in `count` poisoned elements; fails if it touches those behind.
  template <class T, class Launch>
  std::vector<T> result_of(Index count, Launch launch) {
    const Field<T> to = upload(std::vector<T>(static_cast<std::size_t>(count + behind), T(poison)));
    launch(Span<T>{to.data(), count});
    std::vector<T> values = download(to);
    for (auto i = static_cast<std::size_t>(count); i < values.size(); ++i)
      EXPECT_EQ(values[i], T(poison)) << "element " << i << " behind " << count;
    values.resize(static_cast<std::size_t>(count));
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, RoofKernelsOn, testing::ValuesIn(test::devices_here()),
                         test::DeviceName{});

const std::vector<Index> awkward_sizes = {1, 2, 7, 511, 4097, 100003};
const std::vector<RoofVariant> variants = {
    {false, 1, 0, 1}, {true, 1, 2, 1}, {false, 2, 4, 1},    {true, 2, 0, 1},
    {false, 4, 0, 1}, {true, 4, 3, 1}, {false, 8, 1, 1},    {true, 8, 0, 1},
    {false, 4, 2, 3}, {true, 1, 1, 5}, {false, 2, 1, 1, 4}, {true, 8, 1, 2, 8}};

std::string describe(Index count, const RoofVariant& v) {
  return std::to_string(count) + " elements, unroll " + std::to_string(v.unroll) + ", spread " +
         std::to_string(v.spread) + ", passes " + std::to_string(v.passes) + ", streams " +
         std::to_string(v.streams) + (v.nontemporal ? ", non-temporal" : "");
}

TEST_P(RoofKernelsOn, CopyCopies) {
  for (const Index count : awkward_sizes) {
    const auto values = random_values<double>(count, 1, -1, 1);
    const Field<double> from = upload(values);
    for (const RoofVariant& v : variants) {
      EXPECT_EQ(result_of<double>(count,
                                  [&](Span<double> to) {
                                    kernels.copy(queue, to, {from.data(), count}, v);
                                  }),
                values)
          << describe(count, v);
    }
  }
}

TEST_P(RoofKernelsOn, ChaseGoesAsManySteps) {
  const std::vector<Index> ring = {3, 0, 1, 4, 2}; // 0 3 4 2 1 0
  const Field<Index> next = upload(ring);
  for (const Index steps : {0, 1, 2, 4, 5, 1003}) {
    const Field<Index> at = upload(std::vector<Index>{4});
    kernels.chase(queue, at.elements(), {next.data(), next.count()}, steps);
    Index expected = 4;
    for (Index i = 0; i < steps; ++i)
      expected = ring[static_cast<std::size_t>(expected)];
    EXPECT_EQ(download(at).front(), expected) << steps;
  }
}

TEST_P(RoofKernelsOn, WriteWrites) {
  for (const Index count : awkward_sizes) {
    const std::vector<double> values(static_cast<std::size_t>(count), 2.5);
    for (const RoofVariant& v : variants) {
      EXPECT_EQ(
          result_of<double>(count, [&](Span<double> to) { kernels.write(queue, to, 2.5, v); }),
          values)
          << describe(count, v);
    }
  }
}

TEST_P(RoofKernelsOn, TriadAddsAMultiple) {
  for (const Index count : awkward_sizes) {
    const auto a = random_values<double>(count, 1, -1, 1),
               b = random_values<double>(count, 2, -1, 1);
    const Field<double> x = upload(a), y = upload(b);
    std::vector<double> expected = a;
    for (std::size_t i = 0; i < a.size(); ++i)
      expected[i] += 0.5 * b[i]; // exact: 24 bits a number
    for (const RoofVariant& v : variants) {
      EXPECT_EQ(result_of<double>(
                    count,
                    [&](Span<double> to) {
                      kernels.triad(queue, to, {x.data(), count}, {y.data(), count}, 0.5, v);
                    }),
                expected)
          << describe(count, v);
    }
  }
}

TEST_P(RoofKernelsOn, ReadAddsUp) {
  for (const Index count : awkward_sizes) {
    const auto values = random_values<double>(count, 3, -1, 1);
    const Field<double> from = upload(values);
    double expected = 0; // exact in any order: multiples of 2^-23
    for (const double value : values)
      expected += value;
    for (const RoofVariant& v : variants) {
      const auto sums = result_of<double>(kernels.sums(device, count, v), [&](Span<double> to) {
        kernels.read(queue, to, {from.data(), count}, v);
      });
      double sum = 0;
      for (const double part : sums)
        sum += part;
      EXPECT_EQ(sum, v.passes * expected) << describe(count, v);
    }
  }
}

TEST_P(RoofKernelsOn, CopyManyElements) {
  const Index count = 1000003;
  const auto values = random_values<double>(count, 4, -1, 1);
  const Field<double> from = upload(values);
  EXPECT_EQ(result_of<double>(count,
                              [&](Span<double> to) {
                                kernels.copy(queue, to, {from.data(), count}, {});
                              }),
            values);
}

template <class T>
void expect_iterated(const std::vector<T>& results, std::vector<T> from, T a, T b, int rounds,
                     double tolerance) {
  ASSERT_EQ(results.size(), from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    double x = static_cast<double>(from[i]);
    for (int r = 0; r < rounds; ++r)
      x = x * static_cast<double>(a) + static_cast<double>(b);
    ASSERT_NEAR(static_cast<double>(results[i]), x, tolerance) << i << " of " << from.size();
  }
}

TEST_P(RoofKernelsOn, FmaIteratesEveryValue) {
  for (const Index count : {Index{1}, Index{7}, Index{191}, Index{2049}, Index{10007}}) {
    const auto singles = random_values<float>(count, 5, 1, 2);
    const auto doubles = random_values<double>(count, 6, 1, 2);
    const Field<float> from32 = upload(singles);
    const Field<double> from64 = upload(doubles);
    for (const int rounds : {0, 1, 5, 75}) {
      expect_iterated(
          result_of<float>(
              count,
              [&](Span<float> to) {
                kernels.fma_fp32(queue, to, {from32.data(), count}, 0.75F, 0.5F, rounds);
              }),
          singles, 0.75F, 0.5F, rounds, 1e-5);
      expect_iterated(result_of<double>(
                          count,
                          [&](Span<double> to) {
                            kernels.fma_fp64(queue, to, {from64.data(), count}, 0.75, 0.5, rounds);
                          }),
                      doubles, 0.75, 0.5, rounds, 1e-14);
    }
  }
}

TEST_P(RoofKernelsOn, RsqrtIsApproximatelyTheReciprocalSquareRoot) {
  for (const Index count : {Index{1}, Index{7}, Index{10007}}) {
    const auto values = random_values<float>(count, 7, 1e-3, 1e3);
    const Field<float> from = upload(values);
    for (const int rounds : {0, 1, 3, 40}) {
      const auto results = result_of<float>(count, [&](Span<float> to) {
        kernels.rsqrt_fp32(queue, to, {from.data(), count}, rounds);
      });
      for (std::size_t i = 0; i < results.size(); ++i) {
        const double exact = std::pow(static_cast<double>(values[i]), std::pow(-0.5, rounds));
        // Each step halves the relative error it is given and adds its own.
        ASSERT_NEAR(results[i] / exact, 1, 2 * 1.5 / 4096) << values[i] << ", " << rounds;
      }
    }
  }
}

TEST_P(RoofKernelsOn, HasEnoughValuesForAllUnits) {
  EXPECT_GE(kernels.values_at_once(device), device.facts().units);
  EXPECT_NO_THROW({
    kernels.empty(queue);
    queue.wait();
  });
}

TEST_P(RoofKernelsOn, RefusesAnUnrollThatIsNotCompiledIn) {
  const Field<double> field(device, {64});
  RoofVariant three;
  three.unroll = 3;
  EXPECT_THROW(kernels.write(queue, field.elements(), 1, three), UsageError);
}

} // namespace
} // namespace ridge
