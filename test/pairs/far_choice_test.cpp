// Degree and theta of a far field for an error: from the table, and from one trial to the next.
#include <ridge/core/error.hpp>
#include <ridge/pairs/far/field.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ridge::pairs {
namespace {

using ::testing::HasSubstr;

std::string refusal_of_choice(double error, int degree, const char* precision) {
  try {
    (void)far_choice(error, degree, precision);
  } catch (const UsageError& refused) {
    return refused.what();
  }
  return "nothing";
}

TEST(FarChoice, IsSoundForEachError) {
  for (double error = 1e-10; error <= 0.1; error *= 1.7) {
    for (int degree = 0; degree <= most_degree; ++degree) {
      const FarOptions chosen = far_choice(error, degree, "fp64");
      EXPECT_NO_THROW(require_sound(chosen));
      EXPECT_TRUE(degree == 0 || chosen.degree == degree);
      EXPECT_GT(chosen.theta, 0) << error << " degree " << degree;
      EXPECT_LE(chosen.theta, most_chosen_theta);
    }
  }
}

TEST(FarChoice, TakesSmallerThetaAndNoSmallerDegreeForSmallerErrors) {
  int degree_before = 0;
  for (double error = 0.1; error >= 1e-10; error /= 1.3) {
    const FarOptions any = far_choice(error, 0, "fp64");
    EXPECT_GE(any.degree, degree_before);
    degree_before = any.degree;
    for (int degree = 1; degree <= most_degree; ++degree)
      EXPECT_LE(far_choice(error / 1.3 < 1e-10 ? 1e-10 : error / 1.3, degree, "fp64").theta,
                far_choice(error, degree, "fp64").theta);
  }
  EXPECT_GE(degree_before, 6);
}

TEST(FarChoice, RefusesErrorsThatAreNotReached) {
  EXPECT_THAT(refusal_of_choice(9e-6, 0, "fp32"), HasSubstr("in fp32 it can be from 1e-05 to 0.1"));
  EXPECT_THAT(refusal_of_choice(9e-6, 0, "fp32"), HasSubstr("fp64 takes 1e-10"));
  EXPECT_THAT(refusal_of_choice(9e-11, 0, "fp64"), HasSubstr("in fp64 it can be from 1e-10"));
  EXPECT_THAT(refusal_of_choice(0.11, 0, "fp64"), HasSubstr("error 0.11"));
  EXPECT_THAT(refusal_of_choice(0, 0, "fp64"), HasSubstr("error 0"));
  EXPECT_THAT(refusal_of_choice(-1, 0, "fp64"), HasSubstr("error -1"));
  EXPECT_THAT(refusal_of_choice(std::numeric_limits<double>::quiet_NaN(), 0, "fp64"),
              HasSubstr("error nan"));
  EXPECT_THAT(refusal_of_choice(1e-3, 9, "fp64"), HasSubstr("degree 9"));
  EXPECT_THAT(refusal_of_choice(1e-3, -1, "fp64"), HasSubstr("degree -1"));
  EXPECT_EQ(refusal_of_choice(1e-5, 0, "fp32"), "nothing");
  EXPECT_EQ(refusal_of_choice(1e-10, 0, "fp64"), "nothing");
  EXPECT_EQ(refusal_of_choice(0.1, 0, "fp64"), "nothing");
}

TEST(FarChoice, GoesOnWithASmallerThetaOrALargerOne) {
  const FarOptions now{0.6, 3, 0};
  // As the fourth power of theta: 0.8 of the error is aimed at.
  EXPECT_NEAR(next_far_theta(now, 1e-4, 1.6e-3), 0.6 * std::pow(0.05, 0.25), 1e-12);
  EXPECT_NEAR(next_far_theta(now, 1e-4, 2.5e-5), 0.6 * std::pow(3.2, 0.25), 1e-12);
  EXPECT_NEAR(next_far_theta(now, 1e-4, 1.01e-4), 0.6 * 0.943, 1e-3);
  EXPECT_NEAR(next_far_theta(now, 1e-4, 1e3), 0.6 * 0.4, 1e-12);       // no smaller at once
  EXPECT_NEAR(next_far_theta(now, 1e-4, 0), most_chosen_theta, 1e-12); // half again, or the largest
  EXPECT_NEAR(next_far_theta({0.2, 3, 0}, 1e-4, 0), 0.3, 1e-12);
  EXPECT_EQ(next_far_theta({0.11, 3, 0}, 1e-4, 1), 0); // all pairs
  EXPECT_LT(next_far_theta(now, 1e-4, std::numeric_limits<double>::infinity()), 0.6);
}

/// The table's own points, errors of charges at random.
TEST(FarChoice, TakesThetaFromItsTable) {
  EXPECT_NEAR(far_choice(6.75e-4, 1, "fp64").theta, 0.3, 1e-9);
  EXPECT_NEAR(far_choice(4.21e-4, 2, "fp64").theta, 0.5, 1e-9);
  EXPECT_NEAR(far_choice(7.97e-5, 4, "fp64").theta, 0.7, 1e-9);
  EXPECT_NEAR(far_choice(std::sqrt(5.31e-6 * 6.59e-5), 3, "fp64").theta, std::sqrt(0.3 * 0.5),
              1e-9);
  EXPECT_EQ(far_choice(0.1, 8, "fp64").theta, most_chosen_theta);
}

/// A check by an error of 1 finds nothing: sums that are all 0 are off by no more.
TEST(FarChoice, BoundsErrorsOfLargeThetaByLessThanAllThereIs) {
  for (int degree = 3; degree <= most_degree; ++degree) {
    double before = 0;
    for (const double theta : {0.2, 0.5, 0.7, 0.8, 0.81, 0.9, 1.0}) {
      const double error = far_error_at({theta, degree, 0});
      EXPECT_LT(error, 0.25) << theta << " degree " << degree;
      EXPECT_GT(error, before) << theta << " degree " << degree;
      before = error;
    }
  }
}

TEST(FarChoice, BoundsTheRmsWhereSingleBodiesMayBeOffByAll) {
  for (int degree = 1; degree <= most_degree; ++degree) {
    for (const double theta : {0.2, 0.5, 0.6, 0.8, 0.9, 1.0}) {
      const FarOptions options{theta, degree, 0};
      const std::optional<double> most = far_rms_at(options);
      EXPECT_EQ(most.has_value(), far_error_at(options) > 0.25) << theta << " degree " << degree;
      EXPECT_LT(most.value_or(0), 0.51) << theta << " degree " << degree;
    }
  }
  EXPECT_TRUE(far_rms_at({1, 1, 0}) && far_rms_at({1, 2, 0}));
}

} // namespace
} // namespace ridge::pairs
