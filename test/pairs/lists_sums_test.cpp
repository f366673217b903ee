// Sums over lists of near pairs against the reference.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pairs/lists/launch.hpp>

#include "devices.hpp"
#include "kernel_width.hpp"
#include "near_places.hpp"
#include "pairs_case.hpp"
#include "test_interactions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace ridge::pairs {
namespace {

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
    const int half = test::bytes_of_packs() / static_cast<int>(sizeof(typename P::Computed)) / 2;
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
};

TEST_P(NearSumsOn, AreThoseOfThePotentialOfLennardJones) {
  HostBodies<3> atoms = random_atoms(343, 3); // within 7.875
  const ListOptions options{2.5, 0.25, Box::cube(7.875)};
  expect_right<LennardJones, Fp32>({}, atoms, options, 2e-5);
  for (Index i = 0; i < 343; i += 7) // elsewhere, but the same
    atoms[0][static_cast<std::size_t>(i)] -= 15.75;
  expect_right<LennardJones, Fp64>({}, atoms, options, 1e-13);
}

TEST_P(NearSumsOn, AreRightInAnyBoxAndOfAnyNumber) {
  for (int axes = 0; axes < 8; ++axes) {
    const Box box{{-1, 0.5, 0}, {8, 6, 7}, {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}};
    const Index count = axes < 3 ? axes + 1 : 20 * axes;
    HostBodies<5> bodies = random_bodies<5>(count, static_cast<unsigned>(axes));
    const Where at = scattered(count, box.length, 23);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < at[a].size(); ++i)
        bodies[a][i] = at[a][i] + box.low[a];
    }
    NearSums<test::Charges, Fp32> sums(queue, {}, bodies, {2.5, 0.25, box});
    ASSERT_LT(sums.error(default_list_schedule(queue.device())), 1e-5) << GetParam() << " " << axes;
  }
}

TEST_P(NearSumsOn, AreRightFarFromTheOrigin) {
  HostBodies<3> atoms = random_atoms(100, 3);
  for (auto& values : atoms) {
    for (double& x : values) // exact
      x = std::floor(x * 64) / 64 + 1e9;
  }
  NearSums<LennardJones, Fp64> sums(queue, {}, atoms, {2.5, 0.25, {}});
  EXPECT_LT(sums.error(default_list_schedule(queue.device())), 1e-13);
}

TEST_P(NearSumsOn, KeepDigitsOfMixedPrecisionInAGas) {
  HostBodies<5> bodies = random_bodies<5>(90, 3);
  const Where at = scattered(45, {4096, 4096, 4096}, 29);
  const Where off = scattered(45, {1, 1, 1}, 31);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t i = 0; i < 90; ++i) // pairs, far from each other
      bodies[a][i] = at[a][i / 2] + (i % 2 == 0 ? 0 : 0.1 + off[a][i / 2]);
  }
  NearSums<test::Charges, Mixed> sums(queue, {}, bodies, {2.5, 0.25, Box::cube(4096)});
  EXPECT_LT(sums.error(default_list_schedule(queue.device())), 1e-6);
}

TEST_P(NearSumsOn, EndAtTheCutoffOfInteractionsThatDoNot) {
  HostBodies<5> bodies = random_bodies<5>(301, 3);
  for (int c = 0; c < 3; ++c) {
    for (double& x : bodies[c])
      x = std::floor(x * 64) / 64;
  }
  expect_right<test::Charges, Fp32>({}, bodies, {0.5, 0.25, {}}, 1e-5);
  expect_right<test::Charges, Mixed>(
      {}, bodies, {0.5, 0, {{-1, -1, -1}, {2, 2, 2}, {true, true, false}}}, 1e-5);
}

TEST_P(NearSumsOn, AreTheSameInEveryRun) {
  const HostBodies<3> atoms = random_atoms(1000, 5);
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
  const HostBodies<3> atoms = random_atoms(100, 5);
  NearSums<LennardJones, Fp32> sums(queue, {}, atoms, {2, 0.3, {}});
  EXPECT_THROW((void)within(*sums.lists, sums.call), UsageError); // the interaction reaches to 2.5
  sums.call.interaction.cutoff_squared = 4;
  EXPECT_NO_THROW((void)within(*sums.lists, sums.call));
  for (const std::string& other :
       ridge::test::devices_here()) { // their lists are laid out otherwise
    if ((other == "cpu") == (GetParam() == "cpu")) continue;
    Queue elsewhere{Device(other)};
    EXPECT_THROW(Program(elsewhere, within(*sums.lists, sums.call)), UsageError);
  }
  std::swap(sums.call.sources[0], sums.call.sources[1]);
  EXPECT_THROW((void)within(*sums.lists, sums.call), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, NearSumsOn, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

} // namespace
} // namespace ridge::pairs
