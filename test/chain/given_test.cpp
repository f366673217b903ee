// Chains between given ends have the bits of fission under every schedule, and its values are those
// of the reference.
#include <ridge/chain/held_rows.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>

#include "devices.hpp"
#include "given_chains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ridge::chain {
namespace {

using test::GivenEnds;
using test::GivenFaces;

/// The arrays of a chain with the points beyond their ends, packed.
template <class C>
struct Shapes {
  static constexpr int count = arrays_of<C>;
  Index3 n;

  [[nodiscard]] Index3 points(int i) const {
    const Array& a = C::arrays[static_cast<std::size_t>(i)];
    return {a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
  }
  [[nodiscard]] Index row(int i) const { return points(i).x + 2 * beyond_of<C>(i, 0); }
  [[nodiscard]] Index plane(int i) const { return row(i) * (points(i).y + 2 * beyond_of<C>(i, 1)); }
  [[nodiscard]] Index elements(int i) const {
    return plane(i) * (points(i).z + 2 * beyond_of<C>(i, 2));
  }
  [[nodiscard]] Index at(int i, Index x, Index y, Index z) const {
    return x + beyond_of<C>(i, 0) + (y + beyond_of<C>(i, 1)) * row(i) +
           (z + beyond_of<C>(i, 2)) * plane(i);
  }
  [[nodiscard]] static Role role(int i) { return C::arrays[static_cast<std::size_t>(i)].role; }
};

template <class C>
using Numbers = std::array<std::vector<double>, static_cast<std::size_t>(arrays_of<C>)>;

template <class C, class T>
std::vector<std::vector<T>> run_under(const Device& device, const Shapes<C>& shapes,
                                      const Numbers<C>& given, const Schedule& schedule) {
  Queue queue(device);
  std::vector<Field<T>> fields;
  Views<C, T> views;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    const auto one = [&]<int J>(std::integral_constant<int, J>) {
      const auto& field = fields.emplace_back(device, Extents{shapes.elements(J), 1, 1});
      fill_bytes(queue, field.data(), 0xff, Bytes{field.count() * static_cast<Index>(sizeof(T))});
      const std::vector<T> values(given[J].begin(), given[J].end());
      if (!values.empty()) copy_to_device(queue, field.data(), values.data(), field.count());
      queue.wait();
      views.set(Slot<J, C::arrays[J].profile>{},
                View<T>(field.data() + shapes.at(J, 0, 0, 0), shapes.points(J), shapes.row(J),
                        shapes.plane(J)));
    };
    (one(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, arrays_of<C>>{});
  Program(queue, Request<C, T>{C{}, shapes.n, views}, schedule).run();
  std::vector<std::vector<T>> got;
  for (const Field<T>& field : fields) {
    auto& values = got.emplace_back(static_cast<std::size_t>(field.count()));
    copy_to_host(queue, values.data(), field.data(), field.count());
  }
  queue.wait();
  return got;
}

template <class T>
bool same_bits(const std::vector<std::vector<T>>& a, const std::vector<std::vector<T>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(T)) != 0) return false;
  }
  return true;
}

template <class C, class T>
void expect_right(Index3 n) {
  const Shapes<C> shapes{n};
  Numbers<C> given;
  for (int i = 0; i < shapes.count; ++i) {
    for (Index j = 0; shapes.role(i) != Role::output && j < shapes.elements(i); ++j)
      given[static_cast<std::size_t>(i)].push_back(
          static_cast<T>(random_value(static_cast<std::uint64_t>(i) + 1, j)));
  }
  Numbers<C> right = given;
  apply_reference(C{}, n, right);
  const double allowed = sizeof(T) == 4 ? 1e-5 : 1e-13;
  const Description d = describe<C, T>();
  for (const std::string& name : ridge::test::devices_here()) {
    SCOPED_TRACE(name + " " + to_text(Extents{n.x, n.y, n.z}));
    const Device device(name);
    const auto parsed = [&](const char* text) {
      return parse_schedule(text, device, d, n).schedule;
    };
    const auto apart = run_under<C, T>(device, shapes, given, parsed("fission"));
    for (int i = 0; i < shapes.count; ++i) {
      const auto& values = apart[static_cast<std::size_t>(i)];
      std::vector<double> expected = given[static_cast<std::size_t>(i)];
      if (expected.empty()) expected.assign(values.size(), std::nan("")); // poisoned: stays so
      const Index3 points = shapes.points(i);
      for (Index z = 0; z < points.z; ++z) {
        for (Index y = 0; y < points.y; ++y) {
          for (Index x = 0; x < points.x; ++x) {
            const auto at = static_cast<std::size_t>(shapes.at(i, x, y, z));
            if (shapes.role(i) != Role::input)
              expected[at] = right[static_cast<std::size_t>(i)][at];
          }
        }
      }
      for (std::size_t j = 0; j < values.size(); ++j) {
        const bool alike = std::isnan(expected[j]) ? std::isnan(values[j])
                                                   : std::abs(values[j] - expected[j]) <= allowed;
        ASSERT_TRUE(alike) << C::arrays[static_cast<std::size_t>(i)].name << "[" << j << "] is "
                           << values[j] << " instead of " << expected[j];
      }
    }
    std::vector<Schedule> schedules = schedule_space(device, d, n);
    if (device.kind() != DeviceKind::cpu) {
      for (const char* text : {"steps=2 block=5x3x2", "fuse=all steps=100 block=32x1x1",
                               "steps=4 block=1x1x7", "auto"})
        schedules.push_back(parsed(text));
    }
    for (const Schedule& s : schedules)
      ASSERT_TRUE(same_bits(run_under<C, T>(device, shapes, given, s), apart)) << to_text(s);
  }
}

TEST(GivenEnds, HaveTheBitsOfFissionUnderEverySchedule) {
  expect_right<GivenEnds<2>, double>({37, 11, 1});
  expect_right<GivenEnds<2>, double>({1, 3, 1});
  expect_right<GivenEnds<3>, double>({19, 6, 5});
  expect_right<GivenEnds<3>, float>({7, 5, 9});
}

/// Rows of even extents are taken two items at a time.
TEST(GivenEnds, HandOnWhatTheNextItemTakes) {
  static_assert(hands_on<Operation<GivenFaces<2>, 0>, Pack<double, 2>>);
  static_assert(!hands_on<Operation<GivenEnds<2>, 0>, Pack<double, 2>>);
  expect_right<GivenFaces<2>, double>({36, 11, 1});
  expect_right<GivenFaces<2>, double>({37, 11, 1});
  expect_right<GivenFaces<3>, float>({8, 5, 9});
  expect_right<GivenFaces<3>, float>({7, 5, 9});
}

TEST(GivenEnds, MarchOnGpusByDefault) {
  EXPECT_TRUE((describe<GivenEnds<2>, double>().marches_alone()));
  EXPECT_TRUE((describe<GivenEnds<3>, double>().marches_alone()));
}

TEST(GivenEnds, OfManyArraysDoNotMarch) {
  static_assert(run_marches<GivenEnds<3>, 0, 0>());
  Description d = describe<GivenEnds<3>, double>();
  d.operations.resize(1);
  const auto used = [&] {
    int count = 0;
    for (int a = 0; a < static_cast<int>(d.arrays.size()); ++a)
      count += d.operations[0].reads(a) || d.operations[0].writes(a) ? 1 : 0;
    return count;
  };
  while (used() <= most_marched_arrays) {
    EXPECT_TRUE(d.marches_alone());
    d.arrays.push_back(input("more"));
    d.operations[0].accesses.push_back({static_cast<int>(d.arrays.size()) - 1, false, false, {}});
  }
  EXPECT_FALSE(d.marches_alone());
  EXPECT_TRUE(d.reads_rows_again()); // so on cpus rows are asked for ahead
}

} // namespace
} // namespace ridge::chain
