// Stencils over ranks against one rank, bit for bit. Alone this tests one rank, periodic axes
// included; `mpirun -n N test_comm` tests N (ctest does).
#include <ridge/stencil/over_ranks.hpp>

#include "on_device.hpp"
#include "ranks_support.hpp"
#include "test_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace ridge::comm {

namespace {

using stencil::inputs_of;
using stencil::reach_of;
using test::be_late;
using test::for_each_point;
using test::grids;
using test::whole;
using test::wrapped;

/// Copies a packed box to a rank's memory; queues of these devices run at once.
template <class T>
void set(Queue& queue, const RankField<T>& field, const std::vector<T>& values) {
  field.copy_from_host(queue, values.data());
  queue.wait();
}
template <class T>
std::vector<T> get(Queue& queue, const RankField<T>& field) {
  std::vector<T> values(static_cast<std::size_t>(field.held().count()));
  field.copy_to_host(queue, values.data());
  queue.wait();
  return values;
}

/// NaN wherever nobody writes.
template <class T>
std::vector<T> poison(const Box& held) {
  std::vector<T> values(static_cast<std::size_t>(held.count()));
  std::memset(static_cast<void*>(values.data()), 0xff, values.size() * sizeof(T));
  return values;
}

template <class T>
std::size_t local(const RankField<T>& field, Index x, Index y, Index z) {
  const Index3 n = field.held().extents();
  const Index3 b = field.held().begin;
  return static_cast<std::size_t>((x - b.x) + n.x * ((y - b.y) + n.y * (z - b.z)));
}

/// Owned points of the input, poisoned halos.
template <class T>
std::vector<T> owned_values(const RankField<T>& field, Index3 n, const std::vector<T>& values) {
  auto mine = poison<T>(field.held());
  for_each_point(field.owned(), [&](Index x, Index y, Index z) {
    mine[local(field, x, y, z)] = values[wrapped(n, x, y, z)];
  });
  return mine;
}

/// What one rank makes of the whole field: along periodic axes with its own wrapped padding, so
/// that no exchange takes part in it.
template <class K, class T>
std::vector<T> expected(Queue& queue, const K& kernel, Index3 n, Periodic periodic) {
  constexpr stencil::Offset r = stencil::radius_of<K>();
  const Index3 pad{periodic.x ? r.x : 0, periodic.y ? r.y : 0, periodic.z ? r.z : 0};
  const Index3 m{n.x + 2 * pad.x, n.y + 2 * pad.y, n.z + 2 * pad.z};
  const Box padded{{-pad.x, -pad.y, -pad.z}, {n.x + pad.x, n.y + pad.y, n.z + pad.z}};
  std::vector<Field<T>> in;
  stencil::Call<K, T> call{kernel, {}, {}};
  for (int i = 0; i < inputs_of<K>; ++i) {
    const auto values = whole<T>(n, i);
    std::vector<T> all;
    for_each_point(padded,
                   [&](Index x, Index y, Index z) { all.push_back(values[wrapped(n, x, y, z)]); });
    in.emplace_back(queue.device(), Extents{m.x, m.y, m.z});
    copy_to_device(queue, in.back().data(), all.data(), in.back().count());
    queue.wait();
    call.in[static_cast<std::size_t>(i)] = View<const T>(in.back().view());
  }
  Field<T> out(queue.device(), {m.x, m.y, m.z});
  const auto nothing = poison<T>(padded);
  copy_to_device(queue, out.data(), nothing.data(), out.count());
  call.out = out.view();
  Program(queue, call).run();
  queue.wait();
  std::vector<T> all(nothing.size());
  copy_to_host(queue, all.data(), out.data(), out.count());
  queue.wait();
  std::vector<T> result;
  std::size_t at = 0;
  for_each_point(padded, [&](Index x, Index y, Index z) {
    if (x >= 0 && x < n.x && y >= 0 && y < n.y && z >= 0 && z < n.z) result.push_back(all[at]);
    ++at;
  });
  return result;
}

template <class K, class T>
void compare(const std::string& device, const K& kernel, Index3 n) {
  Communicator& ranks = world();
  Queue queue{Device(device)};
  const Reach reach = reach_of<K>();
  const auto shapes = grids(ranks.ranks(), n, reach);
  ASSERT_FALSE(shapes.empty());
  for (const Periodic periodic :
       {Periodic{}, Periodic{true, true, true}, Periodic{false, true, false}}) {
    const auto right = expected<K, T>(queue, kernel, n, periodic);
    for (const Index3& shape : shapes) {
      const Grid grid(n, shape, reach, periodic);
      std::vector<RankField<T>> in;
      for (int i = 0; i < inputs_of<K>; ++i) {
        in.emplace_back(queue.device(), grid, ranks.rank());
        set(queue, in.back(), owned_values(in.back(), n, whole<T>(n, i)));
      }
      const RankField<T> out(queue.device(), grid, ranks.rank());
      stencil::RankCall<K, T> call{kernel, {}, &out};
      for (int i = 0; i < inputs_of<K>; ++i)
        call.in[static_cast<std::size_t>(i)] = &in[static_cast<std::size_t>(i)];
      stencil::RankProgram<K, T> program(ranks, queue, grid, call);
      for (int step = 0; step < 2; ++step) {
        set(queue, out, poison<T>(out.held()));
        be_late(ranks.rank(), step);
        program.run();
        queue.wait();
        const auto mine = get(queue, out);
        Index wrong = 0;
        for_each_point(out.owned(), [&](Index x, Index y, Index z) {
          const T got = mine[local(out, x, y, z)];
          wrong += std::memcmp(&got, &right[wrapped(n, x, y, z)], sizeof(T)) != 0 ? 1 : 0;
        });
        // All ranks agree on the verdict, so that none waits for one that gave up.
        ASSERT_EQ(ranks.sum(static_cast<double>(wrong)), 0)
            << to_text(shape) << " of " << n.x << "x" << n.y << "x" << n.z << ", periodic "
            << periodic.x << periodic.y << periodic.z << ", step " << step;
      }
    }
  }
}

class OverRanks : public test::OnDevice {
protected:
  /// Emulated GPUs take long.
  [[nodiscard]] Index3 points(Index3 n) const {
    return !GetParam().starts_with("simt")
               ? n
               : Index3{ceil_div(n.x, 4), ceil_div(n.y, 2), ceil_div(n.z, 2)};
  }
};

TEST_P(OverRanks, AStarIsThatOfOneRank) {
  compare<stencil::Laplacian<2, 3>, double>(GetParam(), stencil::Laplacian<2, 3>({0.5, 0.75, 1.25}),
                                            points({101, 37, 29}));
}
TEST_P(OverRanks, AnArrowStarIsThatOfOneRank) {
  compare<stencil::Laplacian<8, 3>, float>(GetParam(), stencil::Laplacian<8, 3>({0.5, 0.75, 1.25}),
                                           points({133, 41, 37}));
}
TEST_P(OverRanks, ABoxIsThatOfOneRank) {
  compare<stencil::Box27, double>(GetParam(), stencil::Box27(0.5), points({67, 33, 31}));
}
TEST_P(OverRanks, ALopsidedFootprintIsThatOfOneRank) {
  compare<test::Lopsided, double>(GetParam(), {}, points({73, 35, 37}));
}
TEST_P(OverRanks, TwoInputsAreThoseOfOneRank) {
  compare<test::Advection, float>(GetParam(), {}, points({69, 34, 33}));
}

INSTANTIATE_TEST_SUITE_P(Devices, OverRanks, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

/// Deep halos, as several steps at once need them.
TEST(Exchange, FillsDeepHalosOfTheWholeFootprint) {
  Communicator& ranks = world();
  Queue queue{Device("cpu")};
  const Index3 n{40, 40, 40};
  for (const int steps : {2, 3}) {
    const Reach reach = reach_of<stencil::Laplacian<2, 3>>(steps);
    for (const Index3& shape : grids(ranks.ranks(), n, reach)) {
      const Grid grid(n, shape, reach, {true, true, true});
      const RankField<double> field(queue.device(), grid, ranks.rank());
      const auto values = whole<double>(n, 0);
      set(queue, field, owned_values(field, n, values));
      Exchange exchange(ranks, queue, grid, {field.padded(reach)});
      exchange.begin();
      exchange.finish();
      queue.wait();
      const auto mine = get(queue, field);
      Index wrong = 0;
      for_each_point(field.held(), [&](Index x, Index y, Index z) {
        const Box& o = field.owned();
        const auto away = [](Index i, Index begin, Index end) {
          return i < begin ? begin - i : i >= end ? i - end + 1 : 0;
        };
        const Index distance =
            away(x, o.begin.x, o.end.x) + away(y, o.begin.y, o.end.y) + away(z, o.begin.z, o.end.z);
        if (distance > steps) return; // several steps of a star do not reach it
        wrong += mine[local(field, x, y, z)] == values[wrapped(n, x, y, z)] ? 0 : 1;
      });
      ASSERT_EQ(ranks.sum(static_cast<double>(wrong)), 0) << to_text(shape) << " steps " << steps;
    }
  }
}

TEST(Exchange, RefusesFieldsWithoutRoom) {
  Communicator& ranks = world();
  Queue queue{Device("cpu")};
  const Reach reach = reach_of<stencil::Laplacian<2, 3>>();
  const Grid grid({40, 40, 40}, {1, 1, ranks.ranks()}, Reach(), {true, false, false});
  const RankField<double> field(queue.device(), grid, ranks.rank());
  EXPECT_THROW(Exchange(ranks, queue, grid, {field.padded(reach)}), UsageError);
}

} // namespace

} // namespace ridge::comm
