// What changes of single fields did, and what is expected of them elsewhere.
#include "tune/experience.hpp"

#include <gtest/gtest.h>

namespace ridge::tune {
namespace {

TEST(Experience, ExpectsOfAChangeWhatItDidElsewhere) {
  Experience e;
  e.learn("a=1 b=1", 4);
  EXPECT_FALSE(e.change("a=1 b=1", "a=2 b=1"));
  e.learn("a=2 b=1", 2);
  EXPECT_DOUBLE_EQ(e.change("a=1 b=7", "a=2 b=7").value(), 0.5);
  EXPECT_DOUBLE_EQ(e.change("a=2 b=7", "a=1 b=7").value(), 2);
}

TEST(Experience, TakesTheMeanOfFactors) {
  Experience e;
  e.learn("a=1 b=1", 1);
  e.learn("a=2 b=1", 2);
  e.learn("a=1 b=2", 1);
  e.learn("a=2 b=2", 8);
  EXPECT_NEAR(e.change("a=1 b=3", "a=2 b=3").value(), 4, 1e-12);
}

TEST(Experience, LearnsNothingOfTwoChangesAtOnce) {
  Experience e;
  e.learn("a=1 b=1", 1);
  e.learn("a=2 b=2", 8);
  EXPECT_FALSE(e.change("a=1 b=1", "a=2 b=1"));
  EXPECT_FALSE(e.change("a=1 b=1", "a=2 b=2"));
  EXPECT_EQ(fields_apart("a=1 b=1 c=3", "a=2 b=2 c=3"), 2);
  EXPECT_EQ(fields_apart("a=1 b=1", "a=1 b=1"), 0);
}

} // namespace
} // namespace ridge::tune
