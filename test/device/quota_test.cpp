// Limits of control groups, as containers have them.
#include <ridge/device/cpu/quota.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace ridge::cpu {
namespace {

namespace fs = std::filesystem;

/// A folder that looks like the control groups of a machine.
class Quota : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("ridge-quota-" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  [[nodiscard]] std::optional<double> granted() const {
    return granted_processors(root_ / "groups", root_ / "mine");
  }

private:
  fs::path root_;
};

TEST_F(Quota, IsReadFromTheGroupAndThoseAroundIt) {
  write("mine", "0::/pod/box\n");
  write("groups/pod/box/cpu.max", "max 100000\n");
  EXPECT_EQ(granted(), std::nullopt);
  write("groups/pod/cpu.max", "250000 100000\n");
  EXPECT_EQ(granted(), 2.5);
  write("groups/pod/box/cpu.max", "150000 50000\n");
  EXPECT_EQ(granted(), 2.5);
  write("groups/cpu.max", "50000 100000\n");
  EXPECT_EQ(granted(), 0.5);
}

TEST_F(Quota, OfTheFirstVersionIsReadFromTwoFiles) {
  write("mine", "9:name=systemd:/\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/\n0::/\n");
  write("groups/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
  write("groups/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), std::nullopt);
  write("groups/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(granted(), 4.0);
}

TEST_F(Quota, OfAGroupThatAContainerCannotSeeIsThatOfTheOnesItSees) {
  write("mine", "4:cpu:/docker/abc\n");
  write("groups/cpu/cpu.cfs_quota_us", "300000\n");
  write("groups/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), 3.0);
}

TEST_F(Quota, IsNoneWhereNothingCanBeRead) {
  EXPECT_EQ(granted(), std::nullopt);
  write("mine", "nonsense\n0:\n0::/../../elsewhere\n");
  EXPECT_EQ(granted(), std::nullopt);
  write("groups/cpu.max", "garbage\n");
  EXPECT_EQ(granted(), std::nullopt);
}

} // namespace
} // namespace ridge::cpu
