// Random chains equal the reference under every schedule, on every device here.
#include <ridge/chain/launch.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>

#include "devices.hpp"
#include "random_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace ridge::chain {
namespace {

using test::RandomChain;
using test::Shape;

/// A chain on a device, its arrays, and what the reference makes of them.
template <class C>
class Case {
public:
  static constexpr int count = arrays_of<C>;

  Case(const Device& device, Index3 n) : queue_(device), n_(n) {
    for (int i = 0; i < count; ++i) {
      const Array& a = C::arrays[static_cast<std::size_t>(i)];
      const Index3 e{a.profile ? 1 : n.x, n.y, n.z};
      fields_.emplace_back(device, Extents{e.x, e.y, e.z});
      auto& given = given_.emplace_back(static_cast<std::size_t>(e.x * e.y * e.z));
      for (std::size_t j = 0; j < given.size(); ++j)
        given[j] = random_value(static_cast<std::uint64_t>(i) + 3, static_cast<Index>(j));
      const bool holds = a.role == Role::input || a.role == Role::update;
      if (holds) expected_[static_cast<std::size_t>(i)] = given;
    }
    apply_reference(C{}, n, expected_);
  }

  /// What is wrong under `schedule`; empty when nothing is.
  std::string wrong_under(const Schedule& schedule) {
    Views<C, double> views;
    for_each_array([&](auto slot) {
      const auto i = static_cast<std::size_t>(slot.number);
      const auto bytes = static_cast<Index>(given_[i].size() * sizeof(double));
      fill_bytes(queue_, fields_[i].data(), 0xff, Bytes{bytes});
      if (C::arrays[i].role == Role::input || C::arrays[i].role == Role::update)
        copy_to_device(queue_, fields_[i].data(), given_[i].data(), fields_[i].count());
      views.set(slot, fields_[i].view());
    });
    Program program(queue_, Request<C, double>{C{}, n_, views}, schedule);
    program.run();
    note = make_plan(describe<C, double>(), n_, request_of(schedule)).note;
    for (int i = 0; i < count; ++i) {
      if (C::arrays[static_cast<std::size_t>(i)].role == Role::temporary) continue;
      const std::string wrong = compare(static_cast<std::size_t>(i));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::string note; ///< of the last plan

private:
  template <class F>
  static void for_each_array(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      const auto one = [&]<int J>(std::integral_constant<int, J>) {
        if constexpr (C::arrays[J].role != Role::temporary) f(Slot<J, C::arrays[J].profile>{});
      };
      (one(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
  }

  std::string compare(std::size_t i) {
    std::vector<double> got(given_[i].size());
    copy_to_host(queue_, got.data(), fields_[i].data(), fields_[i].count());
    queue_.wait();
    for (std::size_t j = 0; j < got.size(); ++j) {
      const double right = C::arrays[i].role == Role::input ? given_[i][j] : expected_[i][j];
      if (!(std::abs(got[j] - right) <= 1e-12)) {
        return std::string(C::arrays[i].name) + "[" + std::to_string(j) + "] is " +
               std::to_string(got[j]) + " instead of " + std::to_string(right);
      }
    }
    return {};
  }

  Queue queue_;
  Index3 n_;
  std::vector<Field<double>> fields_;
  std::vector<std::vector<double>> given_;
  std::array<std::vector<double>, static_cast<std::size_t>(count)> expected_;
};

/// Sizes by rank: primes, shorter than a tile, just long enough for the reach.
std::vector<Index3> sizes(int rank, bool emulated) {
  if (rank == 1)
    return emulated ? std::vector<Index3>{{3, 1, 1}, {131, 1, 1}}
                    : std::vector<Index3>{{3, 1, 1}, {8, 1, 1}, {1021, 1, 1}};
  if (rank == 2)
    return emulated ? std::vector<Index3>{{3, 4, 1}, {37, 11, 1}}
                    : std::vector<Index3>{{3, 3, 1}, {64, 5, 1}, {67, 29, 1}};
  return emulated ? std::vector<Index3>{{5, 3, 4}, {19, 6, 5}, {71, 3, 3}}
                  : std::vector<Index3>{{3, 3, 3}, {16, 4, 9}, {37, 11, 13}};
}

/// The space, and as many schedules with random tiles.
std::vector<Schedule> schedules(const Device& device, const Description& d, Index3 n,
                                unsigned seed) {
  std::vector<Schedule> all = schedule_space(device, d, n);
  std::mt19937 random(seed);
  const auto up_to = [&](Index most) {
    return std::uniform_int_distribution<Index>(1, most)(random);
  };
  const std::size_t listed = all.size();
  for (std::size_t i = 0; i < listed; ++i) {
    Schedule s = all[i];
    const TileShape tile{up_to(n.x), up_to(n.y), up_to(n.z)};
    std::visit([&](auto& it) { it.tile = tile; }, s);
    if (auto* const cpu = std::get_if<CpuSchedule>(&s)) cpu->threads = 1 + static_cast<int>(i % 3);
    all.push_back(s);
  }
  all.push_back(default_schedule(device, d, n));
  return all;
}

/// What a block needs of shared memory.
Bytes needed_by(const Description& d, Index3 n, const Schedule& s) {
  return {make_plan(d, n, request_of(s)).tile_elements * d.element_bytes};
}

/// The schedule with a tile that the device's shared memory holds: halved until it does.
Schedule with_tile_that_fits(const Device& device, const Description& d, Index3 n, Schedule s) {
  while (needed_by(d, n, s) > device.facts().shared_per_block) {
    TileShape& tile = std::get<GpuSchedule>(s).tile;
    Index& longest = tile.x >= tile.y && tile.x >= tile.z ? tile.x
                     : tile.y >= tile.z                   ? tile.y
                                                          : tile.z;
    longest = (longest + 1) / 2;
  }
  return s;
}

template <unsigned Seed>
void expect_right(const Device& device, bool& fell_back) {
  using C = RandomChain<Seed>;
  const Description d = describe<C, double>();
  const bool emulated = device.kind() == DeviceKind::simt;
  for (const Index3& n : sizes(Shape<Seed>::rank, emulated)) {
    Case<C> c(device, n);
    const auto all = schedules(device, d, n, Seed);
    for (const Schedule& asked : all) {
      Schedule s = asked;
      if (!std::holds_alternative<CpuSchedule>(s) &&
          needed_by(d, n, s) > device.facts().shared_per_block) {
        EXPECT_THROW(c.wrong_under(s), UsageError) << to_text(s);
        s = with_tile_that_fits(device, d, n, s);
      }
      ASSERT_EQ(c.wrong_under(s), "")
          << "chain " << Seed << " on " << to_text(device.id()) << " at " << n.x << "x" << n.y
          << "x" << n.z << " " << to_text(s);
      fell_back = fell_back || !c.note.empty();
    }
  }
}

class RandomChains : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomChains, EqualTheReferenceUnderEverySchedule) {
  const Device device(GetParam());
  bool fell_back = false;
  [&]<unsigned... Seed>(std::integer_sequence<unsigned, Seed...>) {
    (expect_right<Seed>(device, fell_back), ...);
  }
  (std::make_integer_sequence<unsigned, static_cast<unsigned>(test::random_chains)>{});
  EXPECT_TRUE(fell_back) << "no chain needed a fallback: the test has become too easy";
}

INSTANTIATE_TEST_SUITE_P(Chain, RandomChains, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

} // namespace
} // namespace ridge::chain
