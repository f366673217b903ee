// Bodies that change ranks on their devices go where those on hosts go, in the same order. Ranks
// are threads here.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "../src/moved_bodies.hpp"
#include "devices.hpp"
#include "thread_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace ridge::nbody {
namespace {

/// Random places, some of them of several bodies, which have one key then.
template <class T>
std::vector<double> values_of(int column, Index bodies, std::uint64_t step) {
  std::vector<double> values;
  for (Index i = 0; i < bodies; ++i) {
    const Index at = column < 3 && i % 3 == 0 ? i % 2 : i;
    values.push_back(
        static_cast<T>(random_value(step + 17 * static_cast<std::uint64_t>(column), at) *
                       std::pow(10.0, column - 3)));
  }
  return values;
}

class MovedBodies : public testing::TestWithParam<std::string> {
protected:
  /// Bodies that all ranks have, divided on hosts and on devices twice.
  template <class T>
  void divide(int ranks, Index bodies) {
    test::on_ranks(ranks, [&](comm::Communicator& rank) { divide_on<T>(rank, bodies); });
  }

private:
  template <class T>
  void divide_on(comm::Communicator& ranks, Index bodies) {
    const int rank = ranks.rank();
    Domains on_hosts(ranks, bodies);
    Domains on_devices(ranks, bodies);
    Queue queue{Device(GetParam())};
    BodyExchange<T> exchange(queue, ranks, on_devices);
    for (const std::uint64_t step : {1, 2}) {
      Columns columns;
      for (int c = 0; c < moved_columns; ++c)
        columns.push_back(on_hosts.take(values_of<T>(c, bodies, step)));
      std::array<Field<T>, moved_columns> fields;
      typename BodyExchange<T>::Columns pointers{};
      std::array<T, 3> low{};
      std::array<T, 3> high{};
      for (std::size_t c = 0; c < fields.size(); ++c) {
        const std::vector<T> values(columns[c].begin(), columns[c].end());
        const auto count = static_cast<Index>(values.size());
        fields[c] = Field<T>(queue.device(), Extents{count}, "values");
        copy_to_device(queue, fields[c].data(), values.data(), count);
        queue.wait();
        pointers[c] = &fields[c];
        if (c >= 3) continue;
        low[c] = *std::min_element(values.begin(), values.end());
        high[c] = *std::max_element(values.begin(), values.end());
      }
      on_hosts.divide(columns);
      exchange.divide(pointers, low, high);
      EXPECT_EQ(on_devices.bodies(), on_hosts.bodies()) << "rank " << rank;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        std::vector<T> values(static_cast<std::size_t>(fields[c].count()));
        copy_to_host(queue, values.data(), fields[c].data(), fields[c].count());
        queue.wait();
        EXPECT_EQ(std::vector<double>(values.begin(), values.end()), columns[c])
            << "rank " << rank << ", column " << c;
      }
    }
  }
};

TEST_P(MovedBodies, GoWhereThoseOnHostsGo) {
  divide<float>(2, 301);
  divide<double>(3, 500);
  divide<double>(4, 64);
}

TEST_P(MovedBodies, AreAtLeastOneOfEachRank) {
  divide<float>(5, 5);
  divide<double>(3, 4);
}

INSTANTIATE_TEST_SUITE_P(Devices, MovedBodies, testing::ValuesIn(test::devices_here()),
                         test::DeviceName());

} // namespace
} // namespace ridge::nbody
