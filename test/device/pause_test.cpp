// Launches of the host that are given up.
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/pause.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ridge::cpu {
namespace {

std::atomic<int> questions{0};
std::atomic<bool> is_wanted{true};
std::thread::id asked_on;

void answer() {
  ++questions;
  asked_on = std::this_thread::get_id();
  if (!is_wanted) throw Failure("no more");
}

class Pause : public testing::Test {
protected:
  Pause() {
    questions = 0;
    is_wanted = true;
    ask_between_pieces(answer);
  }
  ~Pause() override { ask_between_pieces(nullptr); }
};

/// Work that is given up before its time.
void wait_to_be_given_up() {
  const auto begin = std::chrono::steady_clock::now();
  while (goes_on())
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(2));
}

TEST_F(Pause, EndsAllThreadsOfALaunch) {
  is_wanted = false;
  for (const int team : {1, 3}) {
    std::atomic<int> ended{0};
    EXPECT_THROW(run(team,
                     [&](int, int) {
                       wait_to_be_given_up();
                       ++ended;
                     }),
                 Failure);
    EXPECT_EQ(ended, team);
    EXPECT_EQ(asked_on, std::this_thread::get_id());
  }
  EXPECT_EQ(questions, 2);
  is_wanted = true;
  EXPECT_NO_THROW(run(2, [](int, int) { EXPECT_TRUE(goes_on()); })); // the next is another
}

TEST_F(Pause, EndsLaunchesAroundOne) {
  is_wanted = false;
  EXPECT_THROW(run(2,
                   [](int thread, int) {
                     if (thread == 0) run(1, [](int, int) { wait_to_be_given_up(); });
                   }),
               Failure);
}

TEST_F(Pause, AsksNobodyWhileALaunchIsShort) {
  for (int launch = 0; launch < 1000; ++launch)
    run(1, [](int, int) { EXPECT_TRUE(goes_on()); });
  EXPECT_EQ(questions, 0);
  ask_between_pieces(nullptr);
  run(1, [](int, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_TRUE(goes_on());
  });
  EXPECT_TRUE(goes_on()) << "outside of launches";
  EXPECT_EQ(questions, 0);
}

TEST_F(Pause, RunsToTheEndWhereThatIsWanted) {
  is_wanted = false;
  const auto long_work = [](int, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_TRUE(goes_on());
  };
  {
    const ToTheEnd here;
    EXPECT_NO_THROW(run(2, long_work));
  }
  EXPECT_EQ(questions, 0);
  EXPECT_THROW(run(2, [](int, int) { wait_to_be_given_up(); }), Failure);
}

TEST_F(Pause, PiecesAreTheWhole) {
  for (const Range all : {Range{0, 0}, Range{3, 20}, Range{5, 15}}) {
    Index next = all.begin;
    in_pieces(all, 5, [&](const Range& piece) {
      EXPECT_EQ(piece.begin, next);
      EXPECT_LE(piece.end - piece.begin, 5);
      next = piece.end;
    });
    EXPECT_EQ(next, all.end);
  }
}

} // namespace
} // namespace ridge::cpu
