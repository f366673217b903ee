// Trees over all kinds of bodies: keys, nodes, moments.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/spatial/octree.hpp>

#include "devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace ridge::spatial {
namespace {

using Places = std::array<std::vector<double>, 4>;

double value(std::uint64_t seed, Index i) {
  return random_value(seed, i);
}

Places evenly(Index n) {
  Places p;
  for (auto& component : p)
    component.resize(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < p[0].size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      p[c][i] = value(c + 1, static_cast<Index>(i));
    p[3][i] = value(9, static_cast<Index>(i)) + 1.5;
  }
  return p;
}

struct Shape {
  const char* name;
  Places places;
};

std::vector<Shape> shapes(Index n) {
  std::vector<Shape> all{{"evenly", evenly(n)}, {"line", evenly(n)}, {"plane", evenly(n)},
                         {"apart", evenly(n)},  {"heap", evenly(n)}, {"one place", evenly(n)},
                         {"steep", evenly(n)}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    all[1].places[1][i] = all[1].places[2][i] = 0.25;
    all[2].places[2][i] = -3;
    all[3].places[0][i] = 1e-3 * all[3].places[0][i] + (i % 3 == 0 ? 100 : 0);
    if (i % 4 != 0) { // most of them at one place, which more than fill a leaf
      for (std::size_t c = 0; c < 3; ++c)
        all[4].places[c][i] = 0.5;
    }
    for (std::size_t c = 0; c < 3; ++c) {
      all[5].places[c][i] = 7.25;
      all[6].places[c][i] = std::pow(2.0, 30 * (all[6].places[c][i] - 1));
    }
  }
  return all;
}

/// A tree on a device, and copies of all it holds.
template <class S, class T>
struct Grown {
  Queue queue;
  std::array<Field<S>, 4> fields;
  std::optional<Octree<S, T>> tree;
  std::vector<std::uint32_t> order, links;
  std::vector<S> bodies, centres, origin;
  std::vector<T> moments, higher;

  Grown(const Device& device, const Places& places, const OctreeOptions& options) : queue(device) {
    std::array<Span<const S>, 4> spans;
    for (std::size_t c = 0; c < 4; ++c) {
      const std::vector<S> values(places[c].begin(), places[c].end());
      fields[c] = Field<S>(device, Extents{static_cast<Index>(values.size())});
      copy_to_device(queue, fields[c].data(), values.data(), fields[c].count());
      queue.wait();
      spans[c] = fields[c].elements();
    }
    tree.emplace(queue, spans, options);
    tree->keep_moments(5);
    build();
  }
  void build() {
    tree->build();
    look();
  }
  void look() {
    const Build<S, T>& parts = tree->parts();
    take(order, tree->order(), tree->count());
    take(bodies, tree->bodies(), 4 * tree->count());
    take(origin, Span<const S>(parts.cube.data + 4, 4), 4);
    take(links, Span<const std::uint32_t>(parts.links), 2 * tree->nodes());
    take(centres, Span<const S>(parts.centres), 4 * tree->nodes());
    take(moments, Span<const T>(parts.moments), 8 * tree->nodes());
    take(higher, Span<const T>(parts.higher), higher_numbers(5) * tree->nodes());
  }
  template <class V>
  void take(std::vector<V>& to, Span<const V> from, Index count) {
    to.resize(static_cast<std::size_t>(count));
    copy_to_host(queue, to.data(), from.data, count);
    queue.wait();
  }

  /// Bodies [first, last) of a node, whose nodes below are gone through: each has its moments, its
  /// children are in the order of the curve and leave none out.
  std::pair<std::size_t, std::size_t> check(std::size_t node, int level, double tolerance) {
    const std::size_t first_part = links[2 * node];
    const std::uint32_t link = links[2 * node + 1];
    const std::size_t parts = link & ~leaf_bit;
    std::pair<std::size_t, std::size_t> range{first_part, first_part + parts};
    EXPECT_GE(parts, 1u);
    if ((link & leaf_bit) == 0) {
      EXPECT_LE(parts, 8u);
      for (std::size_t k = 0; k < parts; ++k) {
        const auto below = check(first_part + k, level + 1, tolerance);
        if (k == 0) range = {below.first, below.first};
        EXPECT_EQ(below.first, range.second) << node;
        range.second = below.second;
      }
      EXPECT_GT(range.second - range.first, static_cast<std::size_t>(tree->parts().leaf));
    } else if (level < tree->parts().levels) {
      EXPECT_LE(parts, static_cast<std::size_t>(tree->parts().leaf));
    }
    check_moments(node, range, tolerance);
    return range;
  }

  void check_moments(std::size_t node, std::pair<std::size_t, std::size_t> range,
                     double tolerance) {
    double mass = 0, centre[3] = {}, second[3][3] = {}, farthest = 0;
    std::array<double, 10> third{}; // seven without trace, and of the square
    for (std::size_t i = range.first; i < range.second; ++i) {
      mass += bodies[4 * i + 3];
      for (std::size_t c = 0; c < 3; ++c)
        centre[c] += static_cast<double>(bodies[4 * i + 3]) * bodies[4 * i + c];
    }
    for (double& c : centre)
      c /= mass;
    for (std::size_t i = range.first; i < range.second; ++i) {
      double d[3], squared = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        d[c] = bodies[4 * i + c] - centre[c];
        squared += d[c] * d[c];
      }
      farthest = std::max(farthest, std::sqrt(squared));
      constexpr std::size_t axes[7][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1},
                                          {0, 1, 2}, {1, 1, 1}, {1, 1, 2}};
      for (std::size_t k = 0; k < 7; ++k) {
        const auto [a, b, c] = axes[k];
        const double traces =
            squared * ((a == b ? d[c] : 0) + (a == c ? d[b] : 0) + (b == c ? d[a] : 0));
        third[k] += bodies[4 * i + 3] * (5 * d[a] * d[b] * d[c] - traces);
      }
      for (std::size_t c = 0; c < 3; ++c)
        third[7 + c] += bodies[4 * i + 3] * squared * d[c];
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b)
          second[a][b] += static_cast<double>(bodies[4 * i + 3]) * d[a] * d[b];
      }
    }
    const double scale = std::abs(centre[0]) + std::abs(centre[1]) + std::abs(centre[2]) + farthest;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(centres[4 * node + c], centre[c], tolerance * scale) << node;
    EXPECT_NEAR(centres[4 * node + 3], mass, tolerance * mass) << node;
    const double trace = second[0][0] + second[1][1] + second[2][2];
    const double right[6] = {3 * second[0][0] - trace, 3 * second[0][1], 3 * second[0][2],
                             3 * second[1][1] - trace, 3 * second[1][2], trace};
    const double about = tolerance * mass * scale * (farthest + tolerance * scale);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(moments[8 * node + k], right[k], 10 * about) << node << " moment " << k;
    for (std::size_t k = 0; k < 10; ++k)
      EXPECT_NEAR(higher[48 * node + k], third[k], 50 * about * (farthest + tolerance * scale))
          << node << " third moment " << k;
    // No less than the farthest body is off, nor much more.
    const double radius = std::sqrt(moments[8 * node + 6]);
    EXPECT_GE(radius, farthest - 4 * tolerance * scale) << node;
    EXPECT_LE(radius, 2 * farthest + 4 * tolerance * scale) << node;
  }
};

class Octrees : public ::testing::TestWithParam<std::string> {
protected:
  Device device{GetParam()};
};

template <class S, class T>
void expect_a_tree(const Device& device, const Places& places, const OctreeOptions& options,
                   double tolerance) {
  Grown<S, T> grown(device, places, options);
  std::vector<std::uint32_t> all(grown.order);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], i);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t c = 0; c < 4; ++c)
      ASSERT_EQ(grown.bodies[4 * i + c] + grown.origin[c],
                static_cast<S>(places[c][grown.order[i]]));
  }
  const auto whole = grown.check(0, 0, tolerance);
  EXPECT_EQ(whole.first, 0u);
  EXPECT_EQ(whole.second, all.size());
  EXPECT_LE(grown.tree->depth(), options.levels + 1);
}

TEST_P(Octrees, HoldEveryBodyOnceAndItsMoments) {
  for (const Index n : {1, 2, 7, 63, 64, 65, 700}) {
    for (const Shape& shape : shapes(n)) {
      SCOPED_TRACE(std::string(shape.name) + " " + std::to_string(n));
      expect_a_tree<float, float>(device, shape.places, {16, 21}, 1e-5);
      if (n != 65) continue;
      expect_a_tree<double, double>(device, shape.places, {1, 21}, 1e-13);
      expect_a_tree<double, float>(device, shape.places, {5, 3}, 1e-5);
    }
  }
}

/// Far from the origin moments are those of the same bodies at the origin, to the last bit.
TEST_P(Octrees, AreAsGoodFarFromTheOrigin) {
  Places places = evenly(300);
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& x : places[c])
      x = std::round(64 * x) / 64;
    places[c][c] = -1; // their box goes from -1 to 1, with its middle at 0
    places[c][3 + c] = 1;
  }
  Grown<float, float> near(device, places, {8, 21});
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& x : places[c])
      x += c == 0 ? 65536 : -131072;
  }
  Grown<float, float> far(device, places, {8, 21});
  EXPECT_EQ(far.bodies, near.bodies);
  EXPECT_EQ(far.centres, near.centres);
  EXPECT_EQ(far.moments, near.moments);
  EXPECT_EQ(far.higher, near.higher);
}

TEST_P(Octrees, HaveTheSameBitsEachTime) {
  Grown<float, float> one(device, evenly(1000), {8, 21});
  const auto moments = one.moments;
  const auto links = one.links;
  one.build();
  EXPECT_EQ(one.moments, moments);
  EXPECT_EQ(one.links, links);
}

/// Later trees sort by leading bits first, as far as the tree before tells that this is enough:
/// where many bodies have drawn together since, it is not.
TEST_P(Octrees, HaveTheBitsOfTheFirstTreeOfTheseBodies) {
  constexpr Index n = 700;
  std::vector<Shape> all = shapes(n);
  for (const Index close : {3, 90, 127, 128, 129, 130, 131, 132, 133, 300}) {
    Shape& shape = all.emplace_back("close", evenly(n));
    for (Index i = n / 2 - close; i < n / 2 + close; i += 2) {
      for (std::size_t c = 0; c < 3; ++c) {
        double& x = shape.places[c][static_cast<std::size_t>(i)];
        x = 0.5 + 1e-4 * x;
      }
    }
  }
  for (const Shape& shape : all) {
    SCOPED_TRACE(shape.name);
    const Grown<float, float> first(device, shape.places, {8, 21});
    Grown<float, float> later(device, evenly(n), {8, 21});
    for (std::size_t c = 0; c < 4; ++c) {
      const std::vector<float> values(shape.places[c].begin(), shape.places[c].end());
      copy_to_device(later.queue, later.fields[c].data(), values.data(), n);
      later.queue.wait();
    }
    for (int time = 0; time < 3; ++time) {
      later.build();
      ASSERT_EQ(later.order, first.order);
      ASSERT_EQ(later.bodies, first.bodies);
      ASSERT_EQ(later.links, first.links);
      ASSERT_EQ(later.moments, first.moments);
    }
  }
}

TEST_P(Octrees, FollowBodiesThatMove) {
  Places places = evenly(300);
  Grown<double, double> grown(device, places, {4, 21});
  const Index before = grown.tree->nodes();
  for (std::size_t i = 0; i < 300; ++i)
    places[0][i] *= i % 2 == 0 ? 1e-4 : 1; // half of them draw together: a deeper tree
  copy_to_device(grown.queue, grown.fields[0].data(), places[0].data(), 300);
  grown.build();
  EXPECT_NE(grown.tree->nodes(), before);
  EXPECT_EQ(grown.check(0, 0, 1e-13).second, 300u);
}

TEST_P(Octrees, KeepTheNodesOfBodiesThatTheyFollow) {
  Places places = evenly(300);
  Grown<double, float> grown(device, places, {4, 21});
  const auto links = grown.links;
  const auto order = grown.order;
  const auto moments = grown.moments;
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      places[c][i] += 0.5 * value(20 + c, static_cast<Index>(i)); // far beyond their cells
    places[3][i] *= 2;
  }
  for (std::size_t c = 0; c < 4; ++c)
    copy_to_device(grown.queue, grown.fields[c].data(), places[c].data(), 300);
  grown.queue.wait();
  grown.tree->follow();
  grown.look();
  EXPECT_EQ(grown.links, links);
  EXPECT_EQ(grown.order, order);
  EXPECT_NE(grown.moments, moments);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t c = 0; c < 4; ++c)
      ASSERT_EQ(grown.bodies[4 * i + c], places[c][order[i]]);
  }
  EXPECT_EQ(grown.check(0, 0, 1e-5).second, 300u);
}

TEST_P(Octrees, FollowOnlyOnceTheyAreBuiltAndNameABodyThatIsNowhere) {
  Queue queue(device);
  std::array<Field<float>, 4> fields;
  for (auto& field : fields)
    field = Field<float>(device, Extents{70});
  const std::vector<float> ones(70, 1);
  for (const auto& field : fields)
    copy_to_device(queue, field.data(), ones.data(), 70);
  queue.wait();
  Octree<float, float> tree(
      queue,
      {std::as_const(fields[0]).elements(), std::as_const(fields[1]).elements(),
       std::as_const(fields[2]).elements(), std::as_const(fields[3]).elements()},
      {});
  EXPECT_THROW(tree.follow(), UsageError);
  tree.build();
  std::vector<float> odd(ones);
  odd[66] = std::numeric_limits<float>::quiet_NaN();
  copy_to_device(queue, fields[2].data(), odd.data(), 70);
  queue.wait();
  try {
    tree.follow();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the position of body 66 is not finite"));
  }
}

TEST_P(Octrees, NameTheFirstBodyThatIsNowhere) {
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Places places = evenly(700);
    places[1][613] = places[2][40] = odd;
    try {
      Grown<double, float> grown(device, places, {});
      FAIL() << "no error";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("the position of body 40 is not finite"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Octrees, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(Octree, RefusesOptionsThatAreNotPossible) {
  const Places places = evenly(3);
  for (const OctreeOptions& options :
       {OctreeOptions{0, 21}, OctreeOptions{64, 0}, OctreeOptions{64, 22}, OctreeOptions{-1, 21}})
    EXPECT_THROW((Grown<float, float>(Device("cpu"), places, options)), UsageError);
}

TEST(Hilbert, KeysOfNeighbouringCellsFollowEachOther) {
  constexpr int levels = 3, edge = 8;
  std::vector<std::array<int, 3>> path(edge * edge * edge);
  std::set<std::uint64_t> keys;
  for (int x = 0; x < edge; ++x) {
    for (int y = 0; y < edge; ++y) {
      for (int z = 0; z < edge; ++z) {
        const std::uint64_t key =
            hilbert_key(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                        static_cast<std::uint32_t>(z), levels);
        ASSERT_LT(key, path.size());
        keys.insert(key);
        path[key] = {x, y, z};
      }
    }
  }
  EXPECT_EQ(keys.size(), path.size());
  for (std::size_t k = 1; k < path.size(); ++k) {
    int steps = 0;
    for (std::size_t c = 0; c < 3; ++c)
      steps += std::abs(path[k][c] - path[k - 1][c]);
    EXPECT_EQ(steps, 1) << k;
  }
}

/// Trees of other releases have them.
TEST(Hilbert, KeysAreThoseOfSkilling) {
  EXPECT_EQ(hilbert_key(1234567, 7654, 1999999, 21), 7741845016915181422u);
  EXPECT_EQ(hilbert_key(1234, 65535, 40001, 16), 86469998652244u);
  EXPECT_EQ(hilbert_key(1, 0, 1, 1), 6u);
}

TEST(Hilbert, CountsLevelsThatKeysHaveInCommon) {
  const std::uint64_t key = hilbert_key(1234567, 7654, 1999999, 21);
  EXPECT_EQ(common_levels(key, key, 21), 21);
  EXPECT_EQ(common_levels(key, key ^ 1, 21), 20);
  EXPECT_EQ(common_levels(key, key ^ 8, 21), 19);
  EXPECT_EQ(common_levels(key, key ^ (std::uint64_t{1} << 62), 21), 0);
}

class Sorting : public Octrees {};
INSTANTIATE_TEST_SUITE_P(Devices, Sorting, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST_P(Sorting, KeepsTheOrderOfEqualKeysAndLeavesOtherBitsOut) {
  for (const std::size_t n : {1, 2, 1000, 40000}) {
    Queue queue(device);
    std::vector<std::uint64_t> keys(n);
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = mix_bits(i);
    std::iota(values.begin(), values.end(), 0u);
    const auto count = static_cast<Index>(n);
    std::array<Field<std::uint64_t>, 2> key{Field<std::uint64_t>(device, Extents{count}),
                                            Field<std::uint64_t>(device, Extents{count})};
    std::array<Field<std::uint32_t>, 2> index{Field<std::uint32_t>(device, Extents{count}),
                                              Field<std::uint32_t>(device, Extents{count})};
    copy_to_device(queue, key[0].data(), keys.data(), count);
    copy_to_device(queue, index[0].data(), values.data(), count);
    SortBuffers buffers{
        {key[0].data(), key[1].data()}, {index[0].data(), index[1].data()}, 0, count};
    Sorter(queue).sort(buffers, 8, 14);
    std::vector<std::uint32_t> got(n);
    copy_to_host(queue, got.data(), index[static_cast<std::size_t>(buffers.current)].data(), count);
    queue.wait();
    std::sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t of_a = keys[a] >> 8 & 63;
      const std::uint64_t of_b = keys[b] >> 8 & 63;
      return of_a != of_b ? of_a < of_b : a < b;
    });
    EXPECT_EQ(got, values) << n;
  }
}

TEST_P(Sorting, AddsUpWhatIsBefore) {
  Queue queue(device);
  const std::vector<std::uint32_t> counts{3, 0, 5, 1};
  const Field<std::uint32_t> field(device, Extents{5});
  copy_to_device(queue, field.data(), counts.data(), 4);
  Sorter(queue).scan(field.data(), 4);
  std::vector<std::uint32_t> got(5);
  copy_to_host(queue, got.data(), field.data(), 5);
  queue.wait();
  EXPECT_EQ(got, (std::vector<std::uint32_t>{0, 3, 3, 8, 9}));
}

} // namespace
} // namespace ridge::spatial
