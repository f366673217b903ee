// Lists of near pairs against a search of all pairs, and sums over them against the reference.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include "devices.hpp"
#include "pairs_case.hpp"
#include "test_interactions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ridge::pairs {
namespace {

using ::testing::HasSubstr;

using Where = std::array<std::vector<double>, 3>;

/// Multiples of 1/64 in float and double alike, so that distances are exact.
Where scattered(Index count, std::array<double, 3> length, unsigned seed) {
  std::mt19937 random(seed);
  Where at;
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index i = 0; i < count; ++i)
      at[a].push_back(std::floor(length[a] * 64 * (random() / 4294967296.0)) / 64);
  }
  return at;
}

double squared_distance(const Where& at, const Box& box, std::size_t i, std::size_t j) {
  double squared = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    double d = at[a][i] - at[a][j];
    if (box.periodic[a]) d -= box.length[a] * std::round(d / box.length[a]);
    squared += d * d;
  }
  return squared;
}

using Ends = std::vector<std::pair<Index, Index>>;
Ends all_near(const Where& at, const ListOptions& o) {
  Ends near;
  for (std::size_t i = 0; i < at[0].size(); ++i) {
    for (std::size_t j = i + 1; j < at[0].size(); ++j) {
      if (squared_distance(at, o.box, i, j) < o.cutoff * o.cutoff)
        near.emplace_back(static_cast<Index>(i), static_cast<Index>(j));
    }
  }
  return near;
}
template <class T>
Ends ends_of(const Lists<T>& lists) {
  Ends found;
  for (const NearPair& pair : lists.pairs())
    found.emplace_back(pair.first, pair.second);
  return found;
}

/// Positions on a device.
template <class T>
class Bodies3 {
public:
  Bodies3(Queue& queue, const Where& at) : queue_(queue) {
    for (std::size_t a = 0; a < 3; ++a)
      fields_[a] = Field<T>(queue.device(), Extents{static_cast<Index>(at[a].size())});
    put(at);
  }
  void put(const Where& at) {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::vector<T> values(at[a].begin(), at[a].end());
      copy_to_device(queue_, fields_[a].data(), values.data(), fields_[a].count());
      queue_.wait();
    }
  }
  [[nodiscard]] Positions<T> spans() const {
    return {fields_[0].elements(), fields_[1].elements(), fields_[2].elements()};
  }

private:
  Queue& queue_;
  std::array<Field<T>, 3> fields_;
};

class NearPairs : public ::testing::TestWithParam<std::string> {
protected:
  Queue queue{Device(GetParam())};
  bool is_gpu = GetParam() != "cpu";

  /// Turn by turn with lists of a few and of more bodies.
  template <class T>
  void expect_all(const Where& at, ListOptions options) {
    const bool is_wide = std::exchange(is_wide_, !is_wide_);
    options.share = is_gpu ? (is_wide ? 2 : 1) : is_wide ? 16 : 4;
    const Bodies3<T> bodies(queue, at);
    const Lists<T> lists(queue, bodies.spans(), options);
    ASSERT_EQ(ends_of(lists), all_near(at, options))
        << GetParam() << " " << at[0].size() << " bodies, share " << options.share;
  }

private:
  bool is_wide_ = true;
};

TEST_P(NearPairs, AreThoseOfASearchOfAllInAnyBox) {
  for (int axes = 0; axes < 8; ++axes) {
    Box box{{-1, 0.5, 0}, {8, 6, 7}, {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}};
    Where at = scattered(100, box.length, 3);
    for (std::size_t a = 0; a < 3; ++a) {
      for (double& x : at[a])
        x += box.low[a];
    }
    expect_all<float>(at, {1.25, 0.25, box});
    if (axes == 7) expect_all<float>(at, {1.25, 0.25, box});
    for (std::size_t a = 0; a < 3; ++a) { // open where not periodic, and beyond the box where it is
      if (!box.periodic[a]) box.length[a] = 0;
      for (double& x : at[a])
        x += 24 * static_cast<double>(a);
    }
    expect_all<double>(at, {1.25, 0, box});
  }
}

TEST_P(NearPairs, AreFoundOfAnyNumberOfBodies) {
  for (const Index count : {1, 2, 3, 64, 65, 129, 257})
    expect_all<float>(scattered(count, {6, 6, 6}, 5), {1.5, 0, Box::cube(6)});
}

TEST_P(NearPairs, AreFoundOnFacesAndAtOnePlace) {
  Where at{
      {{0, 8, 8, 0, 4, 4, 4, 0, -8}, {0, 8, 0, 0, 4, 4, 4, 4, 16}, {0, 8, 8, 8, 4, 4, 4, 0, 0}}};
  expect_all<float>(at, {1, 0, Box::cube(8)});
  expect_all<double>(at, {3.75, 0.25, Box::cube(8)}); // half of the box
  at = scattered(40, {0.25, 8, 0.25}, 7);             // a line
  expect_all<float>(at, {1, 0.5, {}});
  for (auto& values : at)
    values.assign(70, 3.0);
  expect_all<float>(at, {1, 0.5, {}});
  expect_all<float>(at, {1, 0.5, Box::cube(3)});
}

TEST_P(NearPairs, OfPartsAreThoseOfAll) {
  const Where at = scattered(300, {8, 8, 8}, 9);
  const Bodies3<float> bodies(queue, at);
  ListOptions options{1.25, 0.25, Box::cube(8)};
  options.parts = 5;
  Ends found;
  Index slots = 0;
  for (options.part = 0; options.part < 5; ++options.part) { // some without bodies, on GPUs
    const Lists lists(queue, bodies.spans(), options);
    EXPECT_EQ(lists.data().first_slot, slots);
    slots = lists.data().end_slot;
    for (const auto& pair : ends_of(lists))
      found.push_back(pair);
  }
  EXPECT_EQ(slots, 300);
  std::sort(found.begin(), found.end()); // pairs() gives a pair where its first body has a list
  EXPECT_EQ(found, all_near(at, options));
}

TEST_P(NearPairs, AreFoundInDistantClusters) {
  Where at = scattered(150, {2, 2, 2}, 11);
  const Where other = scattered(50, {1, 1, 1}, 12);
  for (std::size_t a = 0; a < 3; ++a) {
    for (const double x : other[a])
      at[a].push_back(x + 4096 * (a == 0 ? 1.0 : 0.0));
  }
  expect_all<double>(at, {0.5, 0.125, {}});
}

TEST_P(NearPairs, ServeUntilABodyMovedHalfOfTheSkin) {
  Where at = scattered(100, {8, 8, 8}, 3);
  Bodies3<float> bodies(queue, at);
  const ListOptions options{1.5, 0.5, Box::cube(8)};
  Lists lists(queue, bodies.spans(), options);
  EXPECT_FALSE(lists.update());
  const auto move = [&](std::size_t i, double by) {
    at[1][i] += by;
    bodies.put(at);
  };
  for (std::size_t i = 0; i < 100; ++i)
    move(i, i % 2 == 0 ? 0.234375 : -0.234375);
  EXPECT_FALSE(lists.update());
  EXPECT_EQ(ends_of(lists), all_near(at, options));
  move(77, -0.03125);
  EXPECT_TRUE(lists.update());
  EXPECT_FALSE(lists.update());
  EXPECT_EQ(lists.data().builds, 2);
  EXPECT_EQ(ends_of(lists), all_near(at, options));
}

TEST_P(NearPairs, AreFoundWhereBodiesCrowdAndSpreadAgain) {
  const Where wide = scattered(200, {8, 8, 8}, 3);
  Where crowded = scattered(200, {2, 2, 2}, 4); // more images, longer lists
  Bodies3<float> bodies(queue, wide);
  const ListOptions options{1.25, 0.25, Box::cube(8)};
  Lists lists(queue, bodies.spans(), options);
  const auto expect_built_of = [&](const Where& at) {
    bodies.put(at);
    lists.rebuild();
    ASSERT_EQ(ends_of(lists), all_near(at, options)) << lists.data().builds;
  };
  for (int times = 0; times < 3; ++times) // the second time with the memory that was enough before
    expect_built_of(wide);
  expect_built_of(crowded);
  expect_built_of(crowded);
  expect_built_of(wide);
  crowded[2][77] = NAN;
  bodies.put(crowded);
  EXPECT_THROW(lists.rebuild(), UsageError);
  expect_built_of(wide);
}

TEST_P(NearPairs, NameWhatIsWrongWithBodies) {
  const auto refusal = [&](double x, const Box& box) -> std::string {
    Where at = scattered(50, {2, 2, 2}, 3);
    at[2][17] = x;
    const Bodies3<double> bodies(queue, at);
    try {
      const Lists lists(queue, bodies.spans(), {0.5, 0, box});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  const Box walls{{}, {2, 2, 2}, {}};
  EXPECT_THAT(refusal(NAN, Box::cube(2)), HasSubstr("z of body 17 is NaN"));
  EXPECT_THAT(refusal(-INFINITY, {}), HasSubstr("z of body 17 is infinite"));
  EXPECT_THAT(refusal(NAN, {}), HasSubstr("z of body 17 is NaN"));
  EXPECT_THAT(refusal(2.5, walls),
              HasSubstr("z of body 17 is 2.5, outside of the box from 0 to 2"));
  EXPECT_THAT(refusal(1e4, Box::cube(2)), HasSubstr("hundreds of periods"));
  EXPECT_EQ(refusal(2, walls), "taken");
}

TEST_P(NearPairs, NameWhatIsWrongWithOptions) {
  const Bodies3<float> bodies(queue, scattered(5, {2, 2, 2}, 3));
  const auto refusal = [&](const ListOptions& options) -> std::string {
    try {
      const Lists lists(queue, bodies.spans(), options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(refusal({0, 0, {}}), HasSubstr("cutoff 0: it must be positive"));
  EXPECT_THAT(refusal({-1, 0, {}}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal({NAN, 0, {}}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal({1, -1, {}}), HasSubstr("skin -1"));
  EXPECT_THAT(refusal({0.9, 0.2, Box::cube(2)}),
              HasSubstr("more than half of the period 2 along x: a body would meet two images of "
                        "another; 1 together is possible"));
  EXPECT_THAT(refusal({0.5, 0, Box{{}, {0, 2, 2}, {true, true, true}}}),
              HasSubstr("the period along x is 0"));
  EXPECT_THAT(refusal({0.5, 0, {}, 3}), HasSubstr("share"));
}

INSTANTIATE_TEST_SUITE_P(Here, NearPairs, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

/// Sums over near pairs of a device and of the host.
template <class I, class P>
class NearSums {
public:
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;

  NearSums(Queue& queue, const I& interaction, const HostBodies<I::sources>& bodies,
           const ListOptions& options)
      : queue_(queue), bodies_(bodies), on_device_(queue, bodies_), options_(options) {
    std::array<Span<Summed>, I::sums> sums;
    for (int c = 0; c < I::sums; ++c) {
      sums_.emplace_back(queue.device(), Extents{count()});
      fill_bytes(queue, sums_.back().data(), 0xff,
                 Bytes{count() * static_cast<Index>(sizeof(Summed))});
      sums[c] = sums_.back().elements();
    }
    call = among_themselves<I, P>(interaction, on_device_.spans(), sums);
    const auto spans = on_device_.spans();
    lists.emplace(queue, Positions<Stored>{spans[0], spans[1], spans[2]}, options);
  }

  [[nodiscard]] std::vector<std::vector<Summed>> run(const ListSchedule& schedule) {
    const Program program(queue_, within(*lists, call), schedule);
    program.run();
    std::vector<std::vector<Summed>> all;
    for (const auto& sum : sums_) {
      all.emplace_back(static_cast<std::size_t>(count()));
      copy_to_host(queue_, all.back().data(), static_cast<const Summed*>(sum.data()), count());
    }
    queue_.wait();
    return all;
  }

  /// The largest error, relative to the sum of the terms' absolute values.
  [[nodiscard]] double error(const ListSchedule& schedule) {
    const auto got = run(schedule);
    const Where at{bodies_[0], bodies_[1], bodies_[2]};
    using V = Pack<double, 1, abi::Array>;
    double worst = 0;
    for (std::size_t i = 0; i < at[0].size(); ++i) {
      std::array<double, I::sums> sum{}, scale{};
      for (std::size_t j = 0; j < at[0].size(); ++j) {
        if (i == j ||
            !(squared_distance(at, options_.box, i, j) < options_.cutoff * options_.cutoff))
          continue;
        V target[I::targets], source[I::sources], term[I::sums];
        for (int c = 0; c < I::targets; ++c)
          target[c] = V(bodies_[c][i]);
        for (int c = 0; c < I::sources; ++c) {
          double value = bodies_[c][j];
          const auto a = static_cast<std::size_t>(c);
          if (c < 3 && options_.box.periodic[a]) {
            const double length = options_.box.length[a];
            value += length * std::round((bodies_[c][i] - value) / length);
          }
          source[c] = V(value);
        }
        for (V& t : term)
          t = V(0);
        call.interaction(target, source, term);
        for (int c = 0; c < I::sums; ++c) {
          sum[c] += term[c][0];
          scale[c] += std::abs(term[c][0]);
        }
      }
      for (int c = 0; c < I::sums; ++c) {
        const double off = std::abs(static_cast<double>(got[c][i]) - sum[c]);
        if (off != 0) worst = std::max(worst, off / scale[c]);
        if (!(off >= 0)) worst = INFINITY;
      }
    }
    return worst;
  }

  [[nodiscard]] Index count() const { return static_cast<Index>(bodies_[0].size()); }

  Call<I, P> call;
  std::optional<Lists<Stored>> lists;

private:
  Queue& queue_;
  HostBodies<I::sources> bodies_;
  test::OnDevice<I::sources, P> on_device_;
  ListOptions options_;
  std::vector<Field<Summed>> sums_;
};

class NearSumsOn : public ::testing::TestWithParam<std::string> {
protected:
  Queue queue{Device(GetParam())};

  /// Under all schedules.
  template <class I, class P>
  void expect_right(const I& interaction, const HostBodies<I::sources>& bodies, ListOptions options,
                    double tolerance) {
    const int half = simd_bytes_here() / static_cast<int>(sizeof(typename P::Computed)) / 2;
    for (const ListSchedule& s : list_schedule_space(queue.device())) {
      options.share = share_of(s);
      // A block of one warp of 64, and one of several.
      if (const auto* const gpu = std::get_if<GpuListSchedule>(&s);
          gpu != nullptr && (gpu->block != 64 * gpu->share || gpu->ways == 2 - gpu->share % 2))
        continue;
      if (options.share != 0 && GetParam() == "cpu" && options.share != half &&
          options.share != 2 * half)
        continue;
      NearSums<I, P> sums(queue, interaction, bodies, options);
      ASSERT_LT(sums.error(s), tolerance) << GetParam() << " " << to_text(s);
    }
  }
  static int simd_bytes_here() {
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
  }
};

TEST_P(NearSumsOn, AreThoseOfThePotentialOfLennardJones) {
  HostBodies<3> atoms = lab::random_atoms(343, 3); // within 7.875
  const ListOptions options{2.5, 0.25, Box::cube(7.875)};
  expect_right<LennardJones, Fp32>({}, atoms, options, 2e-5);
  for (Index i = 0; i < 343; i += 7) // elsewhere, but the same
    atoms[0][static_cast<std::size_t>(i)] -= 15.75;
  expect_right<LennardJones, Fp64>({}, atoms, options, 1e-13);
}

TEST_P(NearSumsOn, EndAtTheCutoffOfInteractionsThatDoNot) {
  HostBodies<5> bodies = lab::random_bodies<5>(301, 3);
  for (int c = 0; c < 3; ++c) {
    for (double& x : bodies[c])
      x = std::floor(x * 64) / 64;
  }
  expect_right<test::Charges, Fp32>({}, bodies, {0.5, 0.25, {}}, 1e-5);
  expect_right<test::Charges, Mixed>(
      {}, bodies, {0.5, 0, {{-1, -1, -1}, {2, 2, 2}, {true, true, false}}}, 1e-5);
}

TEST_P(NearSumsOn, AreTheSameInEveryRun) {
  const HostBodies<3> atoms = lab::random_atoms(1000, 5);
  std::vector<std::vector<std::vector<float>>> all;
  for (int run = 0; run < 2; ++run) {
    NearSums<LennardJones, Fp32> sums(queue, {}, atoms, {2.5, 0.3, Box::cube(11.25)});
    ListSchedule schedule = default_list_schedule(queue.device());
    if (auto* const cpu = std::get_if<CpuListSchedule>(&schedule)) cpu->threads = 1 + run;
    all.push_back(sums.run(schedule));
  }
  EXPECT_EQ(all[0], all[1]);
}

TEST_P(NearSumsOn, RefuseListsOfOthers) {
  const HostBodies<3> atoms = lab::random_atoms(100, 5);
  NearSums<LennardJones, Fp32> sums(queue, {}, atoms, {2, 0.3, {}});
  EXPECT_THROW((void)within(*sums.lists, sums.call), UsageError); // the interaction reaches to 2.5
  sums.call.interaction.cutoff_squared = 4;
  EXPECT_NO_THROW((void)within(*sums.lists, sums.call));
  std::swap(sums.call.sources[0], sums.call.sources[1]);
  EXPECT_THROW((void)within(*sums.lists, sums.call), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, NearSumsOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::pairs
