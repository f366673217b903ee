// The published table, and that it fails when any part of the model is broken.
#include <ridge/core/error.hpp>
#include <ridge/model/published.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace ridge::model {
namespace {

Description gcd() {
  return shipped_description("mi250x-gcd");
}

Compared one(const std::string& name, const Description& device, const Assumptions& assume = {}) {
  const auto all = compare_published(published_cases(), device, assume).cases;
  return *std::find_if(all.begin(), all.end(),
                       [&](const Compared& c) { return c.published->name == name; });
}

TEST(Published, HoldsTheLimits) {
  const Comparison c = compare_published(published_cases(), gcd());
  ASSERT_EQ(c.cases.size(), 20u);
  EXPECT_LE(c.mean, 3.5);
  EXPECT_LE(c.largest, 11);
  EXPECT_GE(c.within_five, 15);
  EXPECT_LE(c.mean_hit_rate, 2.5);
  for (const Compared& one : c.cases)
    EXPECT_TRUE(one.holds()) << one.published->name << " is off by " << one.error();
  EXPECT_TRUE(c.holds());
}

TEST(Published, BandsHoldTheFigures) {
  for (const Compared& c : compare_published(published_cases(), gcd()).cases) {
    EXPECT_LE(c.efficiency_low, c.efficiency + 1e-9) << c.published->name;
    EXPECT_GE(c.efficiency_high, c.efficiency - 1e-9) << c.published->name;
  }
}

TEST(Published, NamesWhatFails) {
  const auto fails = [](const char* name) { return one(name, gcd()).traffic.failing; };
  EXPECT_EQ(fails("kernel 1"), Failing::planes);
  EXPECT_EQ(fails("kernel 3, m = 8"), Failing::none);
  EXPECT_EQ(fails("kernel 5 at 1024^3"), Failing::planes);
  EXPECT_EQ(fails("kernel 5 in blocks of 128x1x8"), Failing::slab_halos);
  EXPECT_EQ(fails("kernel 6"), Failing::columns);
  EXPECT_EQ(fails("kernel 7"), Failing::none);
}

// Kernel 1 waits once, kernel 3 between planes: given the waits of the one, the other is lost.
TEST(Mutation, EqualWaitsBreakKernel3) {
  Assumptions equal;
  equal.wait_share = 0;
  EXPECT_LT(one("kernel 3, m = 8", gcd(), equal).efficiency, 60);
  EXPECT_FALSE(compare_published(published_cases(), gcd(), equal).holds());
}

TEST(Mutation, HalfTheWaysFailTheTable) {
  Description device = gcd();
  device.cache_ways /= 2;
  EXPECT_FALSE(compare_published(published_cases(), device).holds());
  device.cache_bytes /= 2;
  EXPECT_GT(compare_published(published_cases(), device).mean, 10);
}

TEST(Mutation, WithoutSectorsKernel6Fails) {
  Assumptions elements;
  elements.sectors = false;
  EXPECT_FALSE(one("kernel 6", gcd(), elements).holds());
  EXPECT_FALSE(compare_published(published_cases(), gcd(), elements).holds());
}

TEST(Mutation, WithoutHalosKernel7Fails) {
  Assumptions none;
  none.halos = false;
  EXPECT_FALSE(one("kernel 7", gcd(), none).holds());
  EXPECT_FALSE(compare_published(published_cases(), gcd(), none).holds());
}

TEST(Published, SpillsAreTold) {
  const auto spilling = compare_published(spilling_cases(), gcd()).cases;
  for (const Compared& c : spilling) {
    EXPECT_LT(c.efficiency, 45) << c.published->name;
    EXPECT_GT(c.traffic.written, 2.2e9) << "2.55 GB were written by kernel 3";
  }
  EXPECT_EQ(spilling[1].traffic.failing, Failing::spills);
}

TEST(Published, TakesLessThanAMillisecondASchedule) {
#if defined(RIDGE_SANITIZED)
  GTEST_SKIP() << "sanitized code, which is not optimised, takes longer";
#endif
  const Description device = gcd();
  double least = 1; // of the processor's time, and the least: the machine may be busy
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    (void)compare_published(published_cases(), device);
    const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, spent / 20);
  }
  EXPECT_LT(least, 1e-3);
}

std::string refusal_of_figure(const std::string& content) {
  const std::string path = testing::TempDir() + "figure-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path) << content;
  try {
    (void)read_figure(path, gcd());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Figure, ReadsPointsOfKernel5) {
  const std::string path = testing::TempDir() + "figure-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path) << "# comment\nnx,ny,nz,kernel,block,fom_gb_s,more\n"
                         "512,512,512,5,256x1x1,1165,\n512,512,512,1,256x1x1,808,\n"
                         "1024,1024,1024,5,128x1x8,934,\n1024,1024,1024,5,256x1x1,555.4,x\n";
  const auto points = read_figure(path, gcd());
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(points[0].error(), 0, 0.01);
  EXPECT_NEAR(points[1].error(), 0, 0.06);
}

TEST(Figure, NamesWhatIsWrong) {
  EXPECT_NE(refusal_of_figure("nx,ny,nz\n").find("no column 'kernel'"), std::string::npos);
  EXPECT_NE(refusal_of_figure("nx,ny,nz,kernel,block,fom_gb_s\n512,x,512,5,256x1x1,9\n")
                .find("line 2: 'x' is not a number"),
            std::string::npos);
  EXPECT_NE(refusal_of_figure("nx,ny,nz,kernel,block,fom_gb_s\n").find("no point of kernel 5"),
            std::string::npos);
  EXPECT_THROW((void)read_figure("/nonexistent.csv", gcd()), UsageError);
}

} // namespace
} // namespace ridge::model
