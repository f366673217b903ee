// Ranks that are threads of one process, for tests of what is done over ranks on the host's memory.
#pragma once

#include <ridge/comm/communicator.hpp>

#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ridge::test {

/// Where threads meet.
struct Hub {
  explicit Hub(int ranks)
      : barrier(ranks), gathered(static_cast<std::size_t>(ranks)),
        sends(static_cast<std::size_t>(ranks)) {}
  std::barrier<> barrier;
  std::vector<const void*> gathered;
  std::vector<const std::vector<comm::Message>*> sends;
};

class ThreadMessages final : public comm::BoundMessages {
public:
  ThreadMessages(Hub& hub, int rank, std::vector<comm::Message> sends,
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

class ThreadRank : public comm::Communicator {
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
  std::unique_ptr<comm::BoundMessages> bind(std::vector<comm::Message> sends,
                                            std::vector<comm::Message> receives) override {
    return std::make_unique<ThreadMessages>(hub_, rank_, std::move(sends), std::move(receives));
  }
  bool claim_last_words() override { return true; }
  [[noreturn]] void end_all(int code) override { std::exit(code); }

private:
  Hub& hub_;
};

/// Calls `work(communicator)` on so many ranks at once. It must not throw: the others would wait.
template <class Rank = ThreadRank, class Work>
void on_ranks(int ranks, const Work& work) {
  Hub hub(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Rank communicator(hub, rank);
      work(communicator);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace ridge::test
