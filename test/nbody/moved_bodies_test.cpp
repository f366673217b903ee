// Bodies that change ranks on their devices go where those on hosts go, in the same order. Ranks
// are threads here.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>
#include <nbody/moved_bodies.hpp>

#include <barrier>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

namespace ridge::nbody {
namespace {

/// Where threads meet.
struct Hub {
  explicit Hub(int ranks)
      : barrier(ranks), gathered(static_cast<std::size_t>(ranks)),
        sends(static_cast<std::size_t>(ranks)) {}
  std::barrier<> barrier;
  std::vector<const void*> gathered;
  std::vector<const std::vector<comm::Message>*> sends;
};

class ThreadTransfer final : public comm::Transfer {
public:
  ThreadTransfer(Hub& hub, int rank, std::vector<comm::Message> sends,
                 std::vector<comm::Message> receives)
      : hub_(hub), rank_(rank), sends_(std::move(sends)), receives_(std::move(receives)) {}
  void begin() override {}
  void finish() override {
    hub_.sends[static_cast<std::size_t>(rank_)] = &sends_;
    hub_.barrier.arrive_and_wait();
    for (const comm::Message& to : receives_) {
      int found = 0;
      for (const comm::Message& from : *hub_.sends[static_cast<std::size_t>(to.peer)]) {
        if (from.peer != rank_ || from.tag != to.tag) continue;
        EXPECT_EQ(from.size.value, to.size.value);
        std::memcpy(to.data, from.data, static_cast<std::size_t>(to.size.value));
        ++found;
      }
      EXPECT_EQ(found, 1);
    }
    hub_.barrier.arrive_and_wait();
  }

private:
  Hub& hub_;
  int rank_;
  std::vector<comm::Message> sends_, receives_;
};

class ThreadRank final : public comm::Communicator {
public:
  ThreadRank(Hub& hub, int rank) : hub_(hub) {
    rank_ = local_rank_ = rank;
    ranks_ = local_ranks_ = static_cast<int>(hub.gathered.size());
  }
  void barrier() override { hub_.barrier.arrive_and_wait(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    hub_.gathered[static_cast<std::size_t>(rank_)] = mine;
    barrier();
    for (std::size_t r = 0; r < hub_.gathered.size(); ++r)
      std::memcpy(static_cast<char*>(all) + r * bytes, hub_.gathered[r], bytes);
    barrier();
  }
  std::unique_ptr<comm::Transfer> bind(std::vector<comm::Message> sends,
                                       std::vector<comm::Message> receives) override {
    return std::make_unique<ThreadTransfer>(hub_, rank_, std::move(sends), std::move(receives));
  }
  bool claim_last_words() override { return true; }
  [[noreturn]] void end_all(int code) override { std::exit(code); }

private:
  Hub& hub_;
};

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
    Hub hub(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { divide_on<T>(hub, rank, bodies); });
    for (std::thread& thread : threads)
      thread.join();
  }

private:
  template <class T>
  void divide_on(Hub& hub, int rank, Index bodies) {
    ThreadRank ranks(hub, rank);
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
